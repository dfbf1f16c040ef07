# make run     the main job: how the error falls with the number of workers
# make test    the test suite
# make lint    lint, types, import contracts
# Each target sets up .venv when it is missing, and nothing twice.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# Numba notices a changed file, but not a changed callee in another file: tests compile afresh.
FRESH := NUMBA_CACHE_DIR=$$(mktemp -d)
PYTEST := $(BIN)/python -m pytest -q -n 2 --dist worksteal

.PHONY: run test lint coverage boundscheck mutants slow deep bench bench-check readme leaderboard follow-readme notebooks clean
.DEFAULT_GOAL := run

$(VENV)/.core: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

run: $(VENV)/.core
	$(BIN)/cdgrab speedup

test: $(VENV)/.dev
	$(FRESH) $(PYTEST)

slow: $(VENV)/.dev
	$(FRESH) $(PYTEST) -m slow

deep: $(VENV)/.dev
	$(FRESH) $(PYTEST) -m deep

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The tests with kernels as plain Python, so that their lines count, and then every experiment as users run it.
coverage: $(VENV)/.dev
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -n 2 --dist worksteal -m "not slow and not deep and not compiled"
	$(FRESH) $(BIN)/coverage run -m cdgrab_sim all --quick -q --jobs 1 --out $$(mktemp -d)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=95 --skip-covered

boundscheck: $(VENV)/.dev
	$(FRESH) NUMBA_BOUNDSCHECK=1 $(PYTEST) --ignore=tests/theory

# 300 changes of one token, each against the tests that execute its line. Hours; stop it and it goes on where it was.
# `make mutants SEED=1`, or `MORE=--report` for what is known.
mutants: $(VENV)/.dev
	$(BIN)/python -m benchmarks.mutants --number 300 --seed $(or $(SEED),0) $(MORE)

# About ten minutes on a quiet machine; `make bench QUICK=--quick` takes two and is noisier.
bench: $(VENV)/.core
	$(BIN)/python -m benchmarks.run $(QUICK) --out results/bench.json

# Ratios against benchmarks/reference.json.
bench-check: $(VENV)/.core
	$(BIN)/python -m benchmarks.run $(QUICK) --check

# Every table, print and picture of README.md.
readme: $(VENV)/.core
	$(BIN)/python docs/readme.py

# docs/leaderboard.md: all registered orderings through the scorecard's measures.
leaderboard: $(VENV)/.core
	$(BIN)/python docs/leaderboard.py

# README.md to the letter, in a copy of the repository with an environment of its own.
follow-readme:
	$(PYTHON) docs/follow.py

# Every .ipynb in notebooks/, with outputs, from the .py beside it.
notebooks: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[notebooks]'
	$(BIN)/python notebooks/build.py

clean:
	rm -rf $(VENV) .numba_cache .pytest_cache .mypy_cache .ruff_cache .coverage* results
