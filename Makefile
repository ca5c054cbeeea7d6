# What can be done here. Each target's line after ## is what `make help` prints.
# Settings: docs/setup.md.

.DEFAULT_GOAL := help
.PHONY: help setup demo test acceptance

PYTHON_IN_VENV := .venv/bin/python

# Where the benchmarks' own data lie, for `make acceptance`; they are not part of the project.
ASSAY_DATA ?= ../shared/data
export ASSAY_DATA := $(abspath $(ASSAY_DATA))
export PYTHON

help: ## List the targets.
	@echo "make TARGET, where TARGET is one of"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## Make .venv, install packages, see to Docker, make the sandbox images; safe to repeat.
	@sh scripts/setup.sh

demo: setup ## Start everything, judge our own sample predictions, and show them in the browser.
	@$(PYTHON_IN_VENV) -m scripts.demo

test: setup ## Check style, types, imports and settings, and run the tests; 12 minutes at most.
	@$(PYTHON_IN_VENV) -m scripts.tools_for_tests
	@$(PYTHON_IN_VENV) -m scripts.check

acceptance: setup ## Hold the promises against the real data in ASSAY_DATA, and run the benchmarks.
	@$(PYTHON_IN_VENV) -m scripts.tools_for_tests
	@$(PYTHON_IN_VENV) -m scripts.acceptance
