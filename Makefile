# `make demo` and `make test` do all their own set-up; nothing else is needed on a fresh machine.
VENV   ?= .venv
PYTHON ?= python3
PY     := $(VENV)/bin/python
DOCS   ?= .venv-docs
# One BLAS thread a process: several test processes share the cores.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1

PROJECTS := $(wildcard packages/*/pyproject.toml)
FOLDERS  := $(patsubst %/pyproject.toml,%,$(PROJECTS))
STAMP    := $(VENV)/.installed
# Two processes that take work off each other; each has at most one cluster and one browser.
WORKERS  := -n 2 --dist worksteal
PIP      := $(PY) -m pip install -qq --disable-pip-version-check --constraint constraints.txt

.PHONY: help install demo test test-all wheels docs notebooks properties proofs mutants coverage check imports lines format clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP)  ## create .venv and install every package, editable

# First the packages themselves, so that they are found here and not looked for in an index; then all they need.
$(STAMP): constraints.txt requirements-dev.txt $(PROJECTS)
	$(PYTHON) -m venv $(VENV)
	$(PIP) --requirement requirements-dev.txt
	$(PIP) --no-deps --no-build-isolation $(foreach folder,$(FOLDERS),--editable $(folder))
	$(PIP) 'supra-core[pyg,networkx,parquet,plot,test]' 'wl-tests[hypothesis,plot,test]' \
	    'tgnn-models[test]' 'supra-experiments[test]'
	-$(PIP) --no-deps py-tgb  # one test reads its data; the bar of its downloads needs more, which is left out
	@touch $@

demo: install  ## the whole way on real e-mails, from edges to a page
	$(VENV)/bin/supra demo --output demo

test: install  ## every test but the long ones: a few minutes
	$(PY) -m pytest $(WORKERS)

test-all: install  ## every test: whole suites of wheels, sweeps that are killed, large searches
	$(PY) -m pytest $(WORKERS) -m ''

# Built with what is installed here, so that nothing is fetched.
wheels: install  ## a wheel of each package in dist/, for: pip install --find-links dist NAME
	$(foreach folder,$(FOLDERS),$(PY) -m build --wheel --no-isolation --outdir dist $(folder) &&) true

# Pages that come from the program, and pictures that pages draw, are made first; then the site, in an environment of
# its own, from the sources as text.
docs: install $(DOCS)/.installed  ## the documentation, strictly and without network, in site/
	$(PY) tools/site_reference.py docs/made
	$(PY) tools/page_code.py docs/made $(shell grep -rl 'made/.*\.svg' --include=*.md docs)
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet

$(DOCS)/.installed: requirements-docs.txt constraints.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt \
	    --requirement requirements-docs.txt
	@touch $@

notebooks: install  ## run the notebooks of the site again, and keep their output
	$(PY) tools/notebooks.py

properties: install  ## the property tests of both propositions, with many more examples
	HYPOTHESIS_PROFILE=thorough $(PY) -m pytest $(WORKERS) -m property

proofs:  ## the proofs of both propositions, checked by Coq
	@$(MAKE) --no-print-directory -C proofs

mutants: install  ## errors put into the mathematics on purpose: which of them does no test notice?
	$(PY) tools/mutants.py

# By hand, not in CI. Processes that tests start are counted too, unless they are killed, as Ray's workers are.
coverage: install  ## which lines does no test run? first all of them, then a share for each package
	$(PIP) coverage
	$(PY) -m coverage erase
	$(PY) -m coverage run -m pytest $(WORKERS) -m 'not isolated and not long'
	$(PY) -m coverage combine --quiet
	$(PY) -m coverage report --skip-covered --show-missing
	@for name in supra_core wl_tests tgnn_models supra_experiments; do printf '%-18s' $$name; \
	    $(PY) -m coverage report --format=total --precision=1 --include="*/$$name/*"; done

check: install  ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

imports: install  ## draw who imports whom (docs/imports.svg); fails where modules do so in a circle
	$(PY) tools/import_graph.py

lines: install  ## lines and files of Python by folder; SINCE=commit puts those of then beside them
	@$(PY) tools/lines.py $(SINCE)

format: install  ## let ruff rewrite what it can
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

clean:  ## remove the environment and everything built
	@$(MAKE) --no-print-directory -s -C proofs clean
	rm -rf $(VENV) $(DOCS) site docs/made demo dist packages/*/dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
