# Two commands do everything: `make demo` and `make test`. Each creates the environment it needs.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
# Where `make test` takes torch from, e.g. the CPU-only wheel index that PyTorch's installation page names.
# Empty: wherever pip is set up to look.
TORCH_INDEX_URL ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
WORKSPACE := .demo
# Somebody else may be installing packages just now: wait for them.
APT_WAIT := -o DPkg::Lock::Timeout=300

RELEASE := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

.PHONY: demo test check coverage release pythons docs openapi lint eslint install model browser axe notebooks screenshots reproduce format clean

demo: $(VENV)/.core
	@$(BIN)/panelist demo --workspace $(WORKSPACE)

# Kernels and measures are compiled once, before the tests, so that no test waits for it.
test: lint model browser axe
	$(BIN)/python -c "from retriever.kernels import compile_kernels; compile_kernels()"
	$(BIN)/python -c "from eval.measures.ranking import compile_kernels; compile_kernels()"
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# The quick tier: without browsers, Java, weights, real data, servers, processes beside the tests, and notebooks.
APART := $(addprefix --ignore tests/,browser test_notebooks.py agreement panelist/app/web panelist/app/access indexing/jobs \
  indexing/dense indexing/lexical indexing/training indexing/test_kernels.py indexing/test_milvus.py panelist/app/cli/test_demo.py \
  panelist/app/cli/test_index.py panelist/app/cli/test_mcp.py panelist/app/test_confined.py panelist/corpus/test_stores.py \
  panelist/app/desk/conference/test_killed.py panelist/test_privacy.py panelist/test_extras.py retriever/affinity/test_bm25.py \
  eval/benchmarks/exharmony/test_static_vectors.py eval/reviews/test_finetune.py test_docs.py test_docker.py test_readme.py)
check: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -q -k "not wheel and not fit_to_publish" \
	  -m "not browser and not java and not model and not data" $(APART)

# The whole suite, and the share of lines and branches that it runs, by package: at least what pyproject.toml says.
coverage: install model browser axe
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -q --cov --cov-report json:build/coverage.json
	$(BIN)/python tests/support/coverage_floors.py build/coverage.json

# Everything of a release but what others see: CONTRIBUTING.md has the whole recipe.
release: test docs
	@test -z "$$(git status --porcelain)" || { echo "commit or stash your changes first"; exit 1; }
	@grep -q "^## $(RELEASE) " CHANGELOG.md && grep -q "^version: $(RELEASE)$$" CITATION.cff || \
	  { echo "CHANGELOG.md or CITATION.cff does not name version $(RELEASE)"; exit 1; }
	rm -rf dist && $(BIN)/python -m build --outdir dist . >/dev/null && $(BIN)/python -m twine check --strict dist/*
	@echo "dry run of $(RELEASE): sign and publish what is in dist/ as CONTRIBUTING.md says"

# The demo on the other versions of Python that pyproject.toml names, with the light install in environments of their own;
# a version that this machine does not have is said.
pythons:
	@for version in 3.12 3.13; do \
	  python=$$(ls -d $$HOME/.pyenv/versions/$$version*/bin/python 2>/dev/null | tail -n 1); python=$${python:-python$$version}; \
	  $$python -c "" 2>/dev/null || { echo "Python $$version is not here: not tried"; continue; }; \
	  bin=build/python$$version/bin; test -x $$bin/python || $$python -m venv build/python$$version || exit 1; \
	  $$bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e . && \
	  $$bin/panelist demo --workspace build/demo$$version --json >/dev/null && echo "Python $$version: installed, demo made" || exit 1; \
	done

# All published and recorded figures, from the real data in PANELIST_DATA.
reproduce: install model
	$(BIN)/panelist eval reproduce

# The site, in build/site; a link that leads nowhere is an error.
docs: install
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The description of the API that is checked in: after a change of a route or a field.
openapi: install
	$(BIN)/python docs/generated.py

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(MAKE) --no-print-directory eslint

# Lints the scripts of the pages, which have no build step; where npm cannot fetch ESLint and Prettier they are not linted.
SCRIPTS := panelist/app/web/static
eslint: node_modules/.fetched
	@! test -x node_modules/.bin/eslint || { node_modules/.bin/eslint --max-warnings 0 $(SCRIPTS) && \
	  node_modules/.bin/prettier --log-level warn --check '$(SCRIPTS)/**/!(*.min).js'; }

node_modules/.fetched: package.json
	@npm install --silent --no-save --no-package-lock --no-audit --no-fund >/dev/null 2>&1 && touch $@ || \
	  echo "no ESLint, no Prettier: the scripts are not linted (Debian: apt-get install npm)"

format: install node_modules/.fetched
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@! test -x node_modules/.bin/prettier || node_modules/.bin/prettier --log-level warn --write '$(SCRIPTS)/**/!(*.min).js'

install: $(VENV)/.dev

model: $(VENV)/.core
	@$(BIN)/panelist model fetch

# The browser tests need Chromium and its driver; where they cannot be installed those tests are skipped.
browser:
	@command -v chromedriver >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get $(APT_WAIT) update -qq && DEBIAN_FRONTEND=noninteractive apt-get $(APT_WAIT) install -y -qq chromium chromium-driver >/dev/null; } || \
	  echo "no chromedriver: the browser tests will be skipped (Debian: apt-get install chromium chromium-driver)"

# Checks the accessibility of the pages; where npm cannot fetch it those tests are skipped.
axe: install
	@$(BIN)/python tests/support/axe.py

# What the notebooks show, stored in them.
notebooks: install model
	$(BIN)/python tests/support/notebooks.py

# The pictures of the README, of the demo corpus.
screenshots: install demo browser
	$(BIN)/python tests/support/screenshots.py $(WORKSPACE) docs/screenshots

$(VENV)/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

# torch comes first and alone: any looser request would pull gigabytes of CUDA packages. Pyserini is there for its jar,
# so that tests with a cache of their own have it; its other dependencies are not.
$(VENV)/.dev: $(VENV)/.core
	$(PIP) $(if $(TORCH_INDEX_URL),--index-url $(TORCH_INDEX_URL)) torch
	$(PIP) -e '.[all,dev,docs]'
	$(PIP) --no-deps pyserini
	touch $@

clean:
	rm -rf $(VENV) $(WORKSPACE) build dist *.egg-info
