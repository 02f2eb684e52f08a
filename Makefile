# Everything runs in .venv, which is made on first use from the lock files and again when a lock changes.
# With only Python 3.11+, make and a package index: `make demo` or `make test`.

PYTHON ?= python3
# Where a Python 3.13 may be, for `make test-newest`; pyenv puts only the chosen ones on the path.
PYTHON313 ?= python3.13 $(wildcard $(or $(PYENV_ROOT),$(HOME)/.pyenv)/versions/3.13.*/bin/python3.13)
VENV := .venv
NEWEST := .venv-newest
BIN := $(VENV)/bin
PIP := -m pip -qq --disable-pip-version-check
# Installs into an environment, $(1), what $(2) says. uv takes a tenth of pip's time: pip installs it, as the lock pins
# it, and it asks the index that pip would. Where it cannot, pip does it all.
INSTALL = index=$${PIP_INDEX_URL:-$$($(1)/bin/python -m pip config get global.index-url 2>/dev/null)}; \
	test -x $(1)/bin/uv || { awk '/^uv==/, !/\\$$/' requirements.lock >$(1)/uv.lock && \
		$(1)/bin/python $(PIP) install --require-hashes -r $(1)/uv.lock; }; \
	UV_HTTP_TIMEOUT=20 $(1)/bin/uv pip install -q --python $(1)/bin/python $${index:+--default-index "$$index"} $(2) 2>/dev/null || \
		$(1)/bin/python $(PIP) install $(2)
LOCK := $(BIN)/uv pip compile -q pyproject.toml --group build --universal \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-newest check lint types public-types campaign bench lock release clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/runtime.stamp ## see it work
	@$(BIN)/ludus demo

test: lint ## every check and every test, except the campaigns
	@$(BIN)/python tests/helpers/browser.py
	$(BIN)/python -m pytest -n 2

test-newest: $(NEWEST)/stamp ## every test on Python 3.13 with the newest JAX and NumPy; PYTHON313=... names that Python
	@$(NEWEST)/bin/python tests/helpers/browser.py
	$(NEWEST)/bin/python -m pytest -n 2

check: lint ## the quick subset, for every change
	$(BIN)/python -m pytest -n 2 -m "not slow and not campaign"

lint: $(VENV)/dev.stamp ## style and types only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@$(MAKE) --no-print-directory -j2 types public-types

types: $(VENV)/dev.stamp
	$(BIN)/pyright

public-types: $(VENV)/dev.stamp
	$(BIN)/python tools/public_types.py

campaign: $(VENV)/dev.stamp ## the long tests
	$(BIN)/python -m pytest -m campaign tests

bench: $(VENV)/dev.stamp ## speed, with the peers beside it
	$(BIN)/ludus bench --peers

lock: $(BIN)/python ## renew the lock files after a change of dependencies; UPGRADE=1 takes newer versions too
	@test -x $(BIN)/uv || $(BIN)/python $(PIP) install uv  # where there is no lock yet
	$(LOCK) --python-version 3.11 -o requirements.lock
	$(LOCK) --python-version 3.11 --extra dev --extra peers -c requirements.lock -o requirements-dev.lock
	$(LOCK) --python-version 3.13 --extra dev --extra peers -o requirements-newest.lock

release: $(VENV)/dev.stamp ## VERSION=1.2.3: test, date the changelog, build, try the wheel, commit and tag; TESTED=COMMIT
	@$(BIN)/python tools/release.py "$(VERSION)" $(if $(TESTED),--tested "$(TESTED)")

clean: ## remove what make made (runs/ stays)
	rm -rf $(VENV) $(NEWEST) build dist .pytest_cache .ruff_cache .hypothesis
	find src tests bench tools -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Ludus needs Python 3.11 or newer, and '$(PYTHON)' is not that:" \
			"name one that is, as in 'make demo PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/runtime.stamp: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) (once, less than a minute) ..." >&2
	@$(call INSTALL,$(VENV),--require-hashes -r requirements.lock)
	@$(call INSTALL,$(VENV),--no-deps --no-build-isolation -e .)
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/runtime.stamp
	@echo "Adding the test tools to $(VENV) (once) ..." >&2
	@$(call INSTALL,$(VENV),--require-hashes -r requirements-dev.lock)
	@touch $@

$(NEWEST)/bin/python:
	@for python in $(PYTHON313); do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null; then \
			exec "$$python" -m venv $(NEWEST); fi; done; \
		echo "The tests with the newest JAX need Python 3.13, and '$(PYTHON313)' is not that:" \
			"name one that is, as in 'make test-newest PYTHON313=/opt/python3.13/bin/python3'." >&2; exit 1

$(NEWEST)/stamp: requirements-newest.lock pyproject.toml | $(NEWEST)/bin/python
	@echo "Setting up $(NEWEST) (once, less than a minute) ..." >&2
	@$(call INSTALL,$(NEWEST),--require-hashes -r requirements-newest.lock)
	@$(call INSTALL,$(NEWEST),--no-deps --no-build-isolation -e .)
	@touch $@
