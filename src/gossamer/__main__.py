"""`python -m gossamer` is the command line."""

from gossamer.cli.main import run

if __name__ == "__main__":
    run()
