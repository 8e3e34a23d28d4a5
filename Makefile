# make demo | test | lint | bench | mutants: each sets up what it needs in .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint bench mutants format clean
.DELETE_ON_ERROR:

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'gramian needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/bench-ready: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	touch $@

$(VENV)/mutants-ready: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[mutants]"
	touch $@

demo: $(VENV)/ready
	mkdir -p build
	$(BIN)/gramian report --force --output build/report.html

test: $(VENV)/ready
	$(BIN)/python -m pytest --quiet --no-header -m alone tests/gram tests/cli
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal -m "not alone"

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/bench-ready
	$(BIN)/python benchmarks/run.py

mutants: $(VENV)/mutants-ready
	$(BIN)/python benchmarks/mutants/run.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
