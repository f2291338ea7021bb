PYTHON ?= python3
PY := .venv/bin/python

.PHONY: demo llm local serve test test-fast lint types format lock clean help

help:            ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/'

demo:            ## install everything and run the embedded benchmark, watching it live
	@$(PYTHON) bootstrap.py core
	@$(PY) -m memtui demo

llm:             ## add litellm, for agents and judges that are language models
	@$(PYTHON) bootstrap.py core llm

local:           ## add llama.cpp's server, for a language model on this machine
	@$(PYTHON) bootstrap.py core local

serve:           ## add textual-serve, for the app in a browser (memtui serve)
	@$(PYTHON) bootstrap.py core serve

test:            ## install everything and run all tests
	@$(PYTHON) bootstrap.py dev
	$(PY) -m pytest -n 2 --dist worksteal

test-fast:       ## the tests without the slow ones
	@$(PYTHON) bootstrap.py dev
	$(PY) -m pytest -n 2 --dist worksteal -m "not slow"

lint:            ## format and lint check, import contracts
	@$(PYTHON) bootstrap.py dev
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	.venv/bin/lint-imports

types:           ## mypy --strict
	@$(PYTHON) bootstrap.py dev
	$(PY) -m mypy

format:          ## rewrite in the house style
	@$(PYTHON) bootstrap.py dev
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

lock:            ## resolve the lock files anew (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --extra dev --extra llm --extra serve --extra embed pyproject.toml requirements.in -o requirements-dev.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  -c requirements-dev.lock pyproject.toml requirements.in -o requirements.lock

clean:           ## remove the environment
	rm -rf .venv .bootstrap.lock
