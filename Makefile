# make demo | test | lint | docs | package | bench | portable | oldest | campaign | mutants: each sets up what it needs in .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OLDEST := .venv-oldest

.PHONY: demo test portable oldest campaign mutants lint docs package bench format clean
.DELETE_ON_ERROR:

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'gramian needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(VENV)/bench-ready: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	touch $@

$(VENV)/docs-ready: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

$(VENV)/mutants-ready: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[mutants]"
	touch $@

demo: $(VENV)/ready
	mkdir -p build
	$(BIN)/gramian report --force --output build/report.html

test: $(VENV)/ready
	$(BIN)/python -m pytest --quiet --no-header -m alone tests/runtime tests/cli
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal -m "not alone"

# SHARE=word runs a part of it, chosen by the word; "make portable ONLY=haswell" one configuration.
portable: $(VENV)/ready
	$(BIN)/python tests/portable.py $(ONLY) $(if $(SHARE),--share $(SHARE))

$(OLDEST)/ready: pyproject.toml tests/minimums.py
	$(PYTHON) -m venv --clear $(OLDEST)
	$(PYTHON) tests/minimums.py > $(OLDEST)/minimums.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/minimums.txt --editable ".[dev]"
	touch $@

oldest: $(OLDEST)/ready
	$(OLDEST)/bin/python tests/portable.py plain

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The manual, in build/docs: warnings are errors, every example runs, every link within it leads somewhere.
docs: $(VENV)/docs-ready
	rm -rf build/docs docs/gallery docs/project/root docs/reference/generated
	$(BIN)/python -m sphinx --fresh-env --fail-on-warning --keep-going --quiet -d build/doctrees docs build/docs
	$(BIN)/python docs/_ext/links.py build/docs

# What would be uploaded: source and wheel are built, their metadata checked, and each is installed where nothing else is and
# passes the conformance suite there.
package: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[package]"
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	for built in dist/*.whl dist/*.tar.gz; do \
		rm -rf build/bare && $(PYTHON) -m venv build/bare && \
		build/bare/bin/python -m pip install --quiet $$built && \
		build/bare/bin/python tests/bare.py || exit 1; \
	done

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/bench-ready
	$(BIN)/python benchmarks/run.py

campaign: $(VENV)/ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.campaign $(ARGS)

mutants: $(VENV)/mutants-ready
	$(BIN)/python benchmarks/mutants/run.py

clean:
	rm -rf $(VENV) $(OLDEST) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
