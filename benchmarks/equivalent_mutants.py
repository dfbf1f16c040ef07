"""What is not sampled, and changes that no test could tell, each with its reason."""

# Parts of the names of files.
LEFT_OUT = {
    "cdgrab_sim/plots/": "sizes, colours and places in figures, which are judged by eye",
    "/figure.py": "sizes, colours and places in figures, which are judged by eye",
    "cdgrab_sim/demo/app.py": "cells of a notebook",
    "cdgrab_sim/experiments/statements/": "rows of the check, which are tests: sizes and seeds are choices",
}
# In these files what is assigned outside of functions is left out too: sizes, margins, readings of figures.
SIZED = "cdgrab_sim/experiments/"

# "file | line | old -> new": why no test can tell.
EQUIVALENT: dict[str, str] = {}
