# Two commands do everything: `make demo` and `make test`. Each creates the environment it needs.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
# Where to take torch from, e.g. the CPU-only wheel index that PyTorch's installation page names.
# Empty: wherever pip is set up to look.
TORCH_INDEX_URL ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
WORKSPACE := .demo

.PHONY: demo test lint install format clean

demo: $(VENV)/.core
	@$(BIN)/panelist demo --workspace $(WORKSPACE)

test: lint
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

install: $(VENV)/.dev

# torch comes first and alone: any looser request would pull gigabytes of CUDA packages.
$(VENV)/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) $(if $(TORCH_INDEX_URL),--index-url $(TORCH_INDEX_URL)) torch
	$(PIP) -e '.[web]'
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) -e '.[web,train,dev]'
	touch $@

clean:
	rm -rf $(VENV) $(WORKSPACE) build dist *.egg-info
