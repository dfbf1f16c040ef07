"""``cdgrab``, and ``python -m cdgrab_sim``: the command line, imported where Ctrl-C is caught already."""

import sys


def main() -> int:
    """Run one command and return its exit code."""
    try:
        from cdgrab_sim.cli import main as command  # seconds, when files are cold

        return command()
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)  # noqa: T201
        return 130


if __name__ == "__main__":
    sys.exit(main())
