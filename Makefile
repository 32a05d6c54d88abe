# Everything a fresh machine with Python 3.11 needs: `make demo`, `make test`. Set-up is done once, into .venv.
PYTHON ?= python3.11
BIN = .venv/bin
SECONDS_EACH ?= 60
DEALS ?= 1000
SESSION_TESTS ?=

.PHONY: demo test play docs sessions nightly lint format pages bench ladder clean

demo: .venv/installed
	$(BIN)/python -m experiments.demo --seconds $(SECONDS_EACH) --deals $(DEALS)

test: .venv/installed
	$(BIN)/python -m pytest -n auto

play: .venv/installed
	$(BIN)/marriage-env serve

# Pipelines that cannot live with the others, and the lowest versions: in environments of their own.
sessions: .venv/installed
	$(BIN)/nox -s "page(rllib)" "page(agilerl)"
	$(BIN)/nox -s lowest-3.11 -- $(SESSION_TESTS)

nightly: .venv/installed
	$(BIN)/python -m pytest -n auto --hypothesis-profile nightly -m ""
	$(BIN)/nox -- -m ""

lint: .venv/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/installed
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

pages: .venv/installed
	$(BIN)/python docs/pages.py
	$(BIN)/python docs/pictures.py

bench: .venv/installed
	$(BIN)/python -m experiments.benchmark --markdown docs/benchmarks.md --csv docs/benchmarks.csv \
		--plot docs/benchmarks.png --readme README.md

ladder: .venv/installed
	$(BIN)/python -m experiments.ladder --readme README.md

.venv/installed: pyproject.toml agents/pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade -c constraints.txt pip
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	@# setuptools warns of every editable install; there is nothing to be done about it
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet -c constraints.txt -e ".[all]" -e ./agents
	touch $@

clean:
	rm -rf .venv build dist *.egg-info results runs
	find . -name __pycache__ -prune -exec rm -rf {} +
