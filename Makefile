# Everything runs in .venv, which is made on first use from the lock files and again when a lock changes.
# With only Python 3.11+, make and a package index: `make demo` or `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
LOCK := $(BIN)/uv pip compile -q pyproject.toml --group build --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check lint campaign bench lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/runtime.stamp ## see it work
	@$(BIN)/ludus demo

test: lint ## every check and every test, except the campaigns
	@$(BIN)/python tests/helpers/browser.py
	$(BIN)/python -m pytest -n 2

check: lint ## the quick subset, for every change
	$(BIN)/python -m pytest -n 2 -m "not slow and not campaign"

lint: $(VENV)/dev.stamp ## style and types only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright

campaign: $(VENV)/dev.stamp ## the long tests
	$(BIN)/python -m pytest -m campaign tests

bench: $(VENV)/dev.stamp ## speed, with the peers beside it
	$(BIN)/ludus bench --peers

lock: $(BIN)/python ## renew the lock files after a change of dependencies; UPGRADE=1 takes newer versions too
	@test -x $(BIN)/uv || $(PIP) install uv
	$(LOCK) -o requirements.lock
	$(LOCK) --extra dev --extra peers -c requirements.lock -o requirements-dev.lock

clean: ## remove what make made (runs/ stays)
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find src tests bench -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Ludus needs Python 3.11 or newer, and '$(PYTHON)' is not that:" \
			"name one that is, as in 'make demo PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/runtime.stamp: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) (once, about a minute) ..." >&2
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/runtime.stamp
	@echo "Adding the test tools to $(VENV) (once, about half a minute) ..." >&2
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@
