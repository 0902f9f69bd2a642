# `make demo` and `make test` do all their own set-up; nothing else is needed on a fresh machine.
VENV   ?= .venv
PYTHON ?= python3
PY     := $(VENV)/bin/python
# One BLAS thread a process: several test processes share the cores.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1

PROJECTS := $(wildcard packages/*/pyproject.toml)
STAMP    := $(VENV)/.installed

.PHONY: help install demo test properties check format clean

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP)  ## create .venv and install every package, editable

$(STAMP): constraints.txt requirements-dev.txt $(PROJECTS)
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --constraint constraints.txt --requirement requirements-dev.txt \
	    $(foreach project,$(PROJECTS),--editable '$(patsubst %/,%,$(dir $(project)))$(EXTRAS_$(notdir $(patsubst %/,%,$(dir $(project)))))')
	@touch $@

EXTRAS_supra-core := [pyg,networkx,parquet,plot]
EXTRAS_wl-tests   := [hypothesis,plot]

demo: install  ## the whole way on a built-in temporal graph
	$(VENV)/bin/supra demo --output demo

test: install  ## every test
	$(PY) -m pytest -n 2 --dist worksteal

properties: install  ## the property tests of both propositions, with many more examples
	HYPOTHESIS_PROFILE=thorough $(PY) -m pytest -n 2 -m property

check: install  ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: install  ## let ruff rewrite what it can
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

clean:  ## remove the environment and everything built
	rm -rf $(VENV) demo dist packages/*/dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
