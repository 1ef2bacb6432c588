// Ask: a question, the chosen set with evidence and reasons, plain rankings beside it, the context to copy.
import { get, Latest, message, post, type Found, type Plain, type SettingsView } from "./api";
import { control, segmented, slider, choice, type Look } from "./controls";
import { copy, fixed, h, notice, plural, say, show } from "./dom";
import { card, heading, bars } from "./passage";
import { asked, fields, go, where, type Engine, type View } from "./state";

// The settings people move first, in their order; the rest stand under "All settings".
const FIRST: Record<string, Look> = {
  "retrieval.seed_count": { label: "Seeds", low: 1, high: 50 },
  "retrieval.flow_weight": { label: "Weight of the flow", symbol: "φ", low: 0, high: 3 },
  "proximity.flow_damping": { label: "Share that flows on", symbol: "d", low: 0, high: 0.95 },
  "utility.coverage": { label: "Coverage of the question", low: 0, high: 20, step: 0.5 },
  "utility.redundancy": { label: "Redundancy", symbol: "λ", low: 0, high: 3 },
  "selection.length_power": { label: "Price of length", symbol: "ρ", low: 0, high: 2 },
  "selection.pool": { label: "Pool", low: 10, high: 500, step: 10 },
  "selection.core_size": { label: "Core", low: 0, high: 10 },
};
const FIRST_CHOICES = ["retrieval.proximity", "selection.selector"];
const SPREADING: Record<string, Look> = {
  damping: { label: "Damping", symbol: "d", low: 0, high: 0.95, step: 0.01 },
  threshold: { label: "Threshold", symbol: "ρ", low: 0, high: 0.1, step: 0.001 },
  width: { label: "Seed ideas", low: 1, high: 30, step: 1 },
  exponent: { label: "Split exponent", symbol: "α", low: 0.5, high: 4, step: 0.1 },
};

const NAMES: Record<string, string> = { "hybrid-rrf": "the hybrid" };

export function askView(): View {
  const question = h("textarea", { id: "question", name: "question", rows: "2", dir: "auto", placeholder: "What do you want to know?", maxLength: 20000 });
  const send = h("button", { type: "submit", class: "primary" }, "Ask");
  const results = h("div", { class: "results" });
  const panel = h("div", { class: "settings-panel", id: "ask-settings", hidden: true });
  const toggle = h("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": "ask-settings" }, "Settings");
  const budget = slider("budget", asked.budget, { label: "Budget", note: "tokens", low: 0, high: 8000, step: 10 }, (value) => {
    asked.budget = value;
    again();
  });
  const latest = new Latest();
  let settings: SettingsView | null = null;
  let answered = false;
  let timer: number | undefined;

  const again = (): void => {
    window.clearTimeout(timer);
    if (answered) timer = window.setTimeout(() => void run(), 300);
  };

  const form = h(
    "form",
    { class: "ask card", role: "search", "aria-label": "Ask the index" },
    h("label", { for: "question", class: "hidden" }, "Question"),
    h("div", { class: "ask-line" }, question, send),
    h(
      "div",
      { class: "ask-options" },
      segmented<Engine>("Engine", asked.engine, [["set", "Set"], ["flow", "Flow"], ["wave", "Wave"]], (engine) => {
        asked.engine = engine;
        drawSettings();
        again();
      }),
      budget.element,
      toggle,
    ),
    panel,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  question.addEventListener("input", () => (asked.question = question.value));
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  toggle.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    toggle.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) void loadSettings();
  });

  async function loadSettings(): Promise<void> {
    if (settings) return;
    try {
      settings = await get<SettingsView>("settings");
      drawSettings();
    } catch (problem) {
      show(panel, notice("error", "The settings cannot be read", message(problem)));
    }
  }

  function drawSettings(): void {
    if (!settings) return;
    const reset = h("button", { type: "button", class: "quiet", onclick: () => {
      asked.settings = {};
      asked.spread = {};
      asked.without = [];
      asked.parts = [];
      asked.where = [];
      drawSettings();
      again();
    } }, "Reset");
    const body = asked.engine === "set" ? setControls(settings) : spreadControls(settings);
    show(panel, h("div", { class: "settings-head" }, h("h2", {}, asked.engine === "set" ? "Settings of the search" : "Settings of the spreading"), reset), ...body);
  }

  function lines(label: string, note: string, values: string[], change: (values: string[]) => void): HTMLElement {
    const area = h("textarea", { rows: "2", dir: "auto", "aria-label": label });
    area.value = values.join("\n");
    area.addEventListener("change", () => {
      change(area.value.split("\n").map((line) => line.trim()).filter(Boolean));
      again();
    });
    return h("div", { class: "control" }, h("span", { class: "control-name" }, label), area, h("p", { class: "control-note" }, note));
  }

  const whereLines = (): HTMLElement => lines("Where", "one key=value a line, such as path=reports/* or after=2024", asked.where, (values) => (asked.where = values));

  function setControls(view: SettingsView): HTMLElement[] {
    const make = (name: string, look: Look): HTMLElement | null => {
      const found = view.settings.find((each) => each.name === name);
      if (!found) return null;
      const made = control(found, look, (value) => {
        if (value === found.value) delete asked.settings[name];
        else asked.settings[name] = value;
        again();
      });
      if (made && name in asked.settings) made.set(asked.settings[name]);
      return made?.element ?? null;
    };
    const others = view.settings.map((each) => each.name).filter((name) => !(name in FIRST) && !FIRST_CHOICES.includes(name));
    return [
      h("div", { class: "controls" }, FIRST_CHOICES.map((name) => make(name, {})), Object.entries(FIRST).map(([name, look]) => make(name, look)), whereLines()),
      h("details", {}, h("summary", {}, "All settings"), h("div", { class: "controls" }, others.map((name) => make(name, {})))),
    ];
  }

  function spreadControls(view: SettingsView): HTMLElement[] {
    const option = (name: string, value: unknown): void => {
      if (value === undefined) delete asked.spread[name];
      else asked.spread[name] = value;
      again();
    };
    const profile = choice("profile", String(asked.spread.profile ?? "standard"), ["standard", "precise", "explore", "compare"], { label: "Profile" }, (value) => option("profile", value === "standard" ? undefined : value));
    const sliders = Object.entries(SPREADING).map(([name, look]) => {
      const from = Number(asked.spread[name] ?? view.profile[name] ?? 0);
      return slider(name, from, { ...look, low: look.low ?? 0, high: look.high ?? 1, step: look.step ?? 0.01 }, (value) => option(name, value)).element;
    });
    const rest = view.spreading.filter((each) => !(each.name in SPREADING) && each.name !== "engine");
    return [
      h(
        "div",
        { class: "controls" },
        profile.element,
        sliders,
        lines("Without", "one name a line; passages that name it stay out", asked.without, (values) => (asked.without = values)),
        lines("Parts", "one part of the question a line; they spread apart", asked.parts, (values) => (asked.parts = values)),
        whereLines(),
      ),
      h("details", {}, h("summary", {}, "All options"), h("div", { class: "controls" }, rest.map((each) => {
        const made = control(each, {}, (value) => option(each.name, value === each.value ? undefined : value));
        if (made && each.name in asked.spread) made.set(asked.spread[each.name]);
        return made?.element;
      }))),
    ];
  }

  async function run(): Promise<void> {
    asked.question = question.value.trim();
    if (!asked.question) {
      question.focus();
      show(results, notice("empty", "Write a question first", "Then press Enter or the button."));
      return;
    }
    send.disabled = true;
    results.setAttribute("aria-busy", "true");
    if (!answered) show(results, notice("busy", "Searching …"));
    try {
      const pair = await latest.run((signal) =>
        Promise.all([
          post<Found>(asked.engine === "set" ? "query" : "retrieve", fields(), signal),
          post<{ systems: Plain[] }>("compare", { question: asked.question, budget: asked.budget, ...where() }, signal),
        ]),
      );
      if (!pair) return;
      answered = true;
      draw(pair[0], pair[1].systems);
    } catch (problem) {
      answered = false;
      show(results, notice("error", "The question was not answered", message(problem)));
    } finally {
      send.disabled = false;
      results.removeAttribute("aria-busy");
    }
  }

  function draw(found: Found, plain: Plain[]): void {
    const holds = plain.map((system) => new Set(system.passages.map((passage) => passage.id)));
    const inContext = new Set(found.in_context ?? found.passages.map((passage) => passage.id));
    const milliseconds = 1000 * Object.values(found.timings).reduce((sum, value) => sum + value, 0);
    const count = `${plural(inContext.size, "passage")}, ${found.tokens.toLocaleString("en")} of ${found.token_budget.toLocaleString("en")} tokens`;
    say(`${count} found.`);
    const cards = found.passages.map((passage, i) =>
      card(passage, {
        number: i + 1,
        pieces: found.evidence[passage.id],
        inContext: inContext.has(passage.id),
        missedBy: inContext.has(passage.id) ? plain.filter((_, j) => !holds[j]?.has(passage.id)).map((system) => NAMES[system.name] ?? "plain top-k") : [],
      }),
    );
    show(
      results,
      h(
        "div",
        { class: "summary-line" },
        h("h2", {}, count),
        h("span", { class: "muted" }, `${milliseconds.toFixed(0)} ms`),
        h("button", { type: "button", class: "quiet", onclick: () => go("web", { play: "1" }) }, "Play it in the web"),
      ),
      h(
        "div",
        { class: "columns" },
        h("section", { class: "chosen", "aria-label": "The chosen set" }, found.warnings.map((text) => h("p", { class: "warning" }, text)), insights(found), cards.length ? cards : notice("empty", "Nothing speaks to this question", found.token_budget === 0 ? "The budget is 0: raise it." : "No passage shares a word or a meaning with it. Ask in other words."), context(found)),
        h("aside", { class: "beside", "aria-label": "Plain rankings in the same budget" }, plain.map((system) => besideCard(system, inContext)), found.objective && objective(found.objective)),
      ),
    );
  }

  function insights(found: Found): HTMLElement | null {
    const rows: HTMLElement[] = [];
    const add = (kind: string, name: string, ...text: (string | Node)[]): void => void rows.push(h("li", { class: kind }, h("strong", {}, name), " ", h("span", { dir: "auto" }, ...text)));
    if (found.refusal) add("error", "Refusal", found.refusal);
    const { confidence } = found;
    if (typeof confidence === "number") add("info", "Confidence", `${fixed(confidence, 2)}: how likely the passages hold all that the question needs`);
    else if (confidence) add("info", "Confidence", `${confidence.probability === null ? "not calibrated" : fixed(confidence.probability, 2)} (energy ${fixed(confidence.energy, 3)}, nodes ${confidence.nodes}, depth ${confidence.depth})`);
    for (const gap of found.gaps ?? []) add("warning", "Gap", `${gap.text}: ${Math.round(100 * gap.weight)} % of the question, ${gap.known ? "known elsewhere in the index" : "nowhere in the index"}`);
    for (const each of found.contradictions ?? []) add("warning", "Contradiction", `${each.first} says ${each.left}, ${each.second} says ${each.right}. ${each.question}`);
    for (const bridge of (found.bridges ?? []).slice(0, 3)) add("info", "Bridge", `${bridge.passage} (${fixed(bridge.strength, 2)}) between ${bridge.parts.join(" | ")}`);
    if (found.ledger) add("info", "Run", `stopped: ${found.stop_reason}; ${found.reached} passages reached; ${Object.entries(found.ledger).filter(([name, value]) => name !== "balance" && Math.abs(Number(value)) > 1e-9).map(([name, value]) => `${name} ${fixed(Number(value), 3)}`).join(", ")}`);
    return rows.length ? h("ul", { class: "insights card", "aria-label": "What a ranking hides" }, rows) : null;
  }

  function context(found: Found): HTMLElement | null {
    if (!found.context) return null;
    const button = h("button", { type: "button" }, "Copy");
    button.addEventListener("click", () => void copy(found.context).then((done) => {
      button.textContent = done ? "Copied" : "Select and copy by hand";
      say(done ? "The context is copied." : "The browser did not allow copying.");
      window.setTimeout(() => (button.textContent = "Copy"), 2000);
    }));
    return h("section", { class: "card context", "aria-label": "Context" }, h("header", {}, h("h3", {}, "Context"), h("span", { class: "muted" }, plural(found.tokens, "token")), button), h("pre", { dir: "auto", tabIndex: 0 }, found.context));
  }

  function besideCard(system: Plain, chosen: Set<string>): HTMLElement {
    const missed = [...chosen].filter((id) => !system.passages.some((passage) => passage.id === id)).length;
    const name = system.name === "hybrid-rrf" ? "Hybrid" : "Plain top-k";
    return h(
      "section",
      { class: "card plain", "aria-label": name },
      h("header", {}, h("h3", {}, name), h("code", {}, system.name)),
      h("p", { class: "muted" }, `${system.about}. ${plural(system.passages.length, "passage")}, ${system.tokens} tokens; ${missed ? `misses ${missed} of the set` : "holds the whole set"}.`),
      system.passages.length
        ? h("ol", {}, system.passages.map((passage) => h("li", { class: chosen.has(passage.id) ? "shared" : "", value: passage.rank }, h("details", {}, h("summary", {}, heading(passage.title, passage.section, passage.document), chosen.has(passage.id) && h("span", { class: "tick" }, "in the set")), h("p", { class: "text", dir: "auto" }, passage.text), h("p", { class: "id" }, h("code", { dir: "auto" }, passage.id))))))
        : h("p", {}, "Nothing."),
    );
  }

  function objective(values: Record<string, number>): HTMLElement {
    return h("section", { class: "card plain", "aria-label": "Objective" }, h("header", {}, h("h3", {}, "Objective of the set")), bars(values, "Terms of the objective"));
  }

  show(
    results,
    notice("empty", "Ask a question", "Gossamer looks for the set of passages that together answer it, inside a budget of tokens, and says why each is there."),
  );
  const element = h("div", { class: "view ask-view" }, h("h1", { class: "hidden" }, "Ask"), form, results);
  return {
    element,
    enter(parameters) {
      const given = parameters.get("q");
      if (given !== null) asked.question = given;
      if (question.value !== asked.question) {
        question.value = asked.question;
        if (asked.question) void run();
      }
    },
  };
}
