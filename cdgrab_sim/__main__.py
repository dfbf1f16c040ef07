"""``python -m cdgrab_sim`` is the command ``cdgrab``."""

import sys

from cdgrab_sim.cli import main

if __name__ == "__main__":
    sys.exit(main())
