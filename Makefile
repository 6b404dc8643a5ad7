# Everything starts here: `make demo` and `make test` set up their own virtual environment in .venv.

VENV    := .venv
BIN     := $(VENV)/bin
CPP     := $(shell find cpp -name '*.?pp')
# An editable installation lists its modules, so that it is made anew when files come or go (their folders change).
NATIVE  := $(filter-out cpp/fuzz/%,$(CPP)) CMakeLists.txt pyproject.toml $(shell find src -type d -not -name __pycache__)
PYTHON  ?= $(firstword $(foreach p,python3.14 python3.13 python3.12 python3.11 python3.10 python3 python,$(shell \
             command -v $(p) >/dev/null 2>&1 && $(p) -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $(p))))
CXX     ?= c++
DATA    ?= $(or $(TAGLOOM_DATA),../shared/data)
PIP     := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCKS   := tools/requirements
DEVELOPMENT := --config-settings=cmake.define.TAGLOOM_DEVELOPMENT=ON

.PHONY: demo test test-slow test-browser test-serve test-ray lint format stubs asan tsan fuzz fuzz-long fuzz-long-core faults soak audit licences sbom lock wheel \
  bench bench-core bench-learners bench-scale bench-ray bench-use bench-treebank bench-defaults bench-tutorial bench-suggest bench-serve figures redraw best reproduce test-rivals clean help

demo: $(VENV)/.installed  ## train a tagger on bundled data, score it, tag a sentence
	@$(BIN)/tagloom demo

test: $(VENV)/.dev  ## all tests but those of test-slow
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: $(VENV)/.dev  ## the scores of docs/results/scores.md that take long trainings on whole corpora (needs the corpora; two minutes)
	$(BIN)/python -m pytest -n 2 -m slow tests/acceptance

# Pages are looked at in Chromium, by Playwright; axe-core checks whether everybody can read them.
build/browser/.installed: $(VENV)/.dev
	@command -v chromium >/dev/null || apt-get install -y -q chromium chromium-driver || \
	  { echo "make $(MAKECMDGOALS) needs Chromium: install it (Debian: apt install chromium chromium-driver)"; exit 1; }
	@mkdir -p $(@D)
	@$(PIP) install "playwright>=1.40"
	@npm install --silent --no-fund --no-audit --prefix $(@D) axe-core@4
	@touch $@

test-browser: build/browser/.installed  ## pages of reports in Chromium, which this installs; draws docs/images anew (a minute)
	TAGLOOM_IMAGES=docs/images $(BIN)/python -m pytest -m browser tests/report

# Schemathesis makes requests from the OpenAPI document. It brings many packages, so that it has an environment of its own.
build/browser/venv/.installed: $(VENV)/bin/python
	@$(BIN)/python -m venv build/browser/venv
	@build/browser/venv/bin/python -m pip --disable-pip-version-check --quiet install "schemathesis>=4"
	@touch $@

test-serve: build/browser/.installed build/browser/venv/.installed  ## the page of the server in Chromium, requests made from its OpenAPI document; draws docs/images anew (some minutes)
	TAGLOOM_IMAGES=docs/images $(BIN)/python -m pytest -m browser tests/serve

test-ray: $(VENV)/.dev  ## tests of what runs on the workers of Ray, which this installs (some minutes)
	@$(PIP) install "tagloom[ray]"
	$(BIN)/python -m pytest tests/scale tests/test_docs.py -k "scale or ray"

.PHONY: docs linkcheck notebooks pictures

# Sphinx has requirements of its own, which nothing else needs.
$(VENV)/.docs: $(VENV)/.dev
	@$(PIP) install "tagloom[docs]"
	@touch $@

docs: $(VENV)/.docs  ## the documentation site, into build/docs; warnings are errors
	$(BIN)/python -m sphinx -b html -W --keep-going -n -q -j 2 -d build/doctrees docs build/docs
	@echo "wrote build/docs/index.html"

linkcheck: $(VENV)/.docs  ## links of the documentation to other sites (needs a network; make test checks all others)
	$(BIN)/python -m sphinx -b linkcheck -q -d build/doctrees docs build/linkcheck

notebooks: $(VENV)/.dev  ## run the notebooks of examples, and store their outputs
	$(BIN)/python tools/run_notebooks.py examples/*.ipynb

pictures: $(VENV)/.dev  ## the pictures of the README, into docs/images (needs chromium)
	$(BIN)/python tools/make_pictures.py

lint: $(VENV)/.dev  ## formatting, ruff, mypy, layers, committed stubs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/python -m nanobind.stubgen -q -m tagloom._core -o build/_core.pyi
	@$(BIN)/python tools/make_keywords.py > build/keywords.pyi
	@$(BIN)/python tools/make_options.py > build/options.md
	@$(BIN)/python tools/make_parameters.py > build/parameters.pyi
	@$(BIN)/python tools/make_model_format.py > build/model-format.md
	@for pair in _core.pyi:src/tagloom/_core.pyi keywords.pyi:src/tagloom/systems/keywords.pyi options.md:docs/options.md \
	    model-format.md:docs/model-format.md \
	    parameters.pyi:src/tagloom/compat/sklearn/keywords.pyi; do \
	  cmp -s build/$${pair%%:*} $${pair#*:} || { echo "$${pair#*:} is out of date: run make stubs"; exit 1; }; done

format: $(VENV)/.dev  ## reformat the Python and C++ code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP)

stubs: $(VENV)/.dev  ## write what is generated from the code: stubs, keywords of train, docs/options.md, docs/model-format.md
	$(BIN)/python -m nanobind.stubgen -q -m tagloom._core -o src/tagloom/_core.pyi
	$(BIN)/python tools/make_keywords.py > build/keywords.pyi && mv build/keywords.pyi src/tagloom/systems/keywords.pyi
	$(BIN)/python tools/make_options.py > build/options.md && mv build/options.md docs/options.md
	$(BIN)/python tools/make_parameters.py > build/parameters.pyi && mv build/parameters.pyi src/tagloom/compat/sklearn/keywords.pyi
	$(BIN)/python tools/make_model_format.py > build/model-format.md && mv build/model-format.md docs/model-format.md

# A sanitized module stands in build/NAME/site. A bare environment runs it and borrows the other packages through
# PYTHONPATH; their .pth files are not read that way, so the ordinary build is not found first.
SANITIZERS_asan := address,undefined
SANITIZERS_tsan := thread
build/%/.built: $(VENV)/.dev $(NATIVE) $(shell find src -type f -not -path '*/__pycache__/*')
	@$(BIN)/python -m venv --without-pip build/$*/venv
	$(PIP) install --no-deps --no-build-isolation --upgrade --target build/$*/site . $(DEVELOPMENT) \
	  --config-settings=cmake.define.TAGLOOM_SANITIZE=$(SANITIZERS_$*) --config-settings=build-dir=build/$*/objects
	@touch $@

# The interpreter of a sanitized build: $(call sanitized,NAME,RUNTIME LIBRARIES). Sanitizers want the memory layout that a
# process has without randomization, where that can be had.
sanitized = LD_PRELOAD="$(foreach library,$(2),$$($(CXX) -print-file-name=$(library)))" TAGLOOM_SANITIZED=$(1) \
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$(CURDIR)/build/$(1)/site:$$($(BIN)/python -c \
  'import sysconfig; print(sysconfig.get_path("purelib"))')" $(shell setarch -R true 2>/dev/null && echo setarch -R) build/$(1)/venv/bin/python
ASAN := ASAN_OPTIONS=detect_leaks=0 $(call sanitized,asan,libasan.so libubsan.so)

asan: build/asan/.built  ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(ASAN) -m pytest -n 2 -p no:cacheprovider tests

# One process, so that its exit code tells whether there was a report.
tsan: build/tsan/.built  ## the tests of threads under ThreadSanitizer
	TSAN_OPTIONS="exitcode=66" $(call sanitized,tsan,libtsan.so) -m pytest -p no:cacheprovider -k thread \
	  tests/core tests/features tests/learners tests/structures tests/systems tests/reliability

# Fuzzing: targets of tests/fuzz with the sanitized module, each in seconds, and those of cpp/fuzz with libFuzzer. What the
# allocator of the sanitizer keeps back is little, so that the memory of a case can be measured.
FUZZ_SECONDS ?= 30
FUZZ_SEED ?= 1
FUZZ := TMPDIR=$(firstword $(wildcard /dev/shm /tmp)) ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8 \
  $(call sanitized,asan,libasan.so libubsan.so)
CLANG   ?= clang++
CORE    := $(patsubst cpp/fuzz/%.cpp,build/fuzz/core/%,$(wildcard cpp/fuzz/*.cpp))
# Cases of every target in make fuzz-long: files with the sanitized module, the others, which are mostly Python, without.
FUZZ_COUNTS := models-120000 foreign-20000 checkpoints-60000
FUZZ_COUNTS_PLAIN := api-100000 corpora-200000 templates-200000

build/fuzz/core/%: cpp/fuzz/%.cpp cpp/fuzz/input.hpp $(CPP)
	@command -v $(CLANG) >/dev/null || { echo "make fuzz needs clang with libFuzzer: install clang and libclang-rt-dev (Debian: apt install clang libclang-rt-14-dev), or run make fuzz CLANG=/path/to/clang++"; exit 1; }
	@mkdir -p $(@D)
	$(CLANG) -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Icpp/include -Icpp/fuzz $< -o $@

build/fuzz/.atheris: $(VENV)/.dev
	@mkdir -p $(@D)
	@$(PIP) install atheris==3.0.0 || echo "make fuzz: atheris cannot be installed for this Python; readers and templates go without" >&2
	@touch $@

fuzz: build/asan/.built build/fuzz/.atheris $(CORE)  ## fuzz every target for FUZZ_SECONDS, with AddressSanitizer and UndefinedBehaviorSanitizer
	@for target in $$($(BIN)/python -m tests.fuzz --list); do \
	  $(FUZZ) -m tests.fuzz $$target --count 1000000000 --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) || failed=1; done; \
	for target in corpora templates; do \
	  $(BIN)/python -m tests.fuzz.guided $$target --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) || failed=1; done; \
	$(BIN)/python -m tests.fuzz.core --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) || failed=1; exit $${failed:-0}

fuzz-long: $(FUZZ_COUNTS:%=fuzz-long-%) $(FUZZ_COUNTS_PLAIN:%=fuzz-plain-%) fuzz-long-core  ## hundreds of thousands of cases, counted in docs/reliability.json (hours; -j 2)
	$(BIN)/python -m tests.fuzz.records docs/reliability.json build/fuzz/records

fuzz-long-core: build/fuzz/.atheris $(CORE)
	$(BIN)/python -m tests.fuzz.core --seconds 300 --seed $(FUZZ_SEED) --records build/fuzz/records
	$(BIN)/python -m tests.fuzz.guided corpora --seconds 600 --seed $(FUZZ_SEED) --records build/fuzz/records
	$(BIN)/python -m tests.fuzz.guided templates --seconds 600 --seed $(FUZZ_SEED) --records build/fuzz/records

fuzz-long-%: build/asan/.built
	$(FUZZ) -m tests.fuzz $(subst -, --count ,$*) --seed $(FUZZ_SEED) --records build/fuzz/records

fuzz-plain-%: $(VENV)/.dev
	TMPDIR=$(firstword $(wildcard /dev/shm /tmp)) $(BIN)/python -m tests.fuzz $(subst -, --count ,$*) --seed $(FUZZ_SEED) --records build/fuzz/records

faults: $(VENV)/.dev  ## kills, faults of the disk and memory limits: every promise about files, with counts (an hour)
	$(BIN)/python -m tests.faults kills
	$(BIN)/python -m tests.faults writes
	$(BIN)/python -m tests.faults memory

soak: $(VENV)/.dev  ## ten million sentences of new words through one model, and its resident memory (half an hour)
	$(BIN)/python -m tests.faults soak

# The tools that look at requirements have an environment of their own, because they bring many.
AUDIT := build/audit/venv/bin

build/audit/venv/.installed: $(VENV)/bin/python $(LOCKS)/audit.txt
	@$(BIN)/python -m venv build/audit/venv
	@$(AUDIT)/python -m pip --disable-pip-version-check --quiet install --require-hashes -r $(LOCKS)/audit.txt
	@touch $@

audit: build/audit/venv/.installed  ## known vulnerabilities of everything that is locked
	$(AUDIT)/python tools/audit.py $(LOCKS)/build.txt $(LOCKS)/runtime.txt $(LOCKS)/audit.txt

licences: $(VENV)/.dev  ## the licences of all dependencies against a list of allowed ones
	$(BIN)/python tools/check_licences.py

sbom: build/audit/venv/.installed  ## a list of all dependencies in the format CycloneDX, into build/sbom.json
	@$(AUDIT)/cyclonedx-py requirements $(LOCKS)/runtime.txt --pyproject pyproject.toml --mc-type library --output-reproducible \
	  -o build/sbom.json 2>build/audit/sbom.log || { cat build/audit/sbom.log; exit 1; }
	@echo "wrote build/sbom.json"

LOCK := $(AUDIT)/uv pip compile --quiet --universal --python-version 3.10 --no-header --no-annotate --upgrade
lock: build/audit/venv/.installed  ## write the locks in tools/requirements anew, with the newest versions
	$(LOCK) --generate-hashes $(LOCKS)/build.in -o $(LOCKS)/build.txt
	$(LOCK) --generate-hashes $(LOCKS)/audit.in -o $(LOCKS)/audit.txt
	$(LOCK) pyproject.toml --extra plots --extra sklearn --extra spacy --extra huggingface --extra ray --extra serve --extra docs -o $(LOCKS)/runtime.txt

# The wheel is built from the source distribution and tested in an environment that has neither sources nor the module in
# double precision: tests/conftest.py leaves out the tests that need it, and those below read the sources.
wheel: $(VENV)/.build  ## source distribution and wheel in dist, tested as a user installs them
	@rm -rf dist build/wheel
	@$(PIP) install build
	$(BIN)/python -m build --no-isolation --outdir dist .
	@$(BIN)/python -m venv build/wheel/venv
	@cp -r tests docs README.md CONTRIBUTING.md pyproject.toml build/wheel/
	@build/wheel/venv/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl "pytest>=8" "hypothesis>=6.100" "seqeval==1.2.2" "matplotlib>=3.7"
	cd build/wheel && venv/bin/python -m pytest -q -p no:cacheprovider \
	  --ignore tests/test_docs.py --ignore tests/docs --ignore tests/test_version.py $(or $(WHEEL_TESTS),tests)

test-rivals: $(VENV)/.dev  ## the test suites of python-crfsuite and sklearn-crfsuite against tagloom.compat.crfsuite
	$(BIN)/python tools/test_rivals.py

bench: $(VENV)/.dev  ## tagloom beside other tools, into docs/benchmarks (needs the corpora and 90 minutes; goes on if stopped)
	@$(BIN)/python -m bench.rivals.install
	$(BIN)/python -m bench.rivals $(BENCH)

bench-core: $(VENV)/.dev  ## micro benchmarks of the core beside those of the revision BASE, built in the same run
	$(BIN)/python -m bench.core $(if $(BASE),--base $(BASE))

bench-tutorial: $(VENV)/.dev  ## the tutorial of sklearn-crfsuite with either package (needs the corpora; some minutes)
	$(BIN)/python -m bench.tutorial_crfsuite

bench-scale: $(VENV)/.dev  ## from 10^5 to 10^8 tokens, threads, parameter mixing (an hour and 10 GB of disk; goes on if stopped)
	$(BIN)/python -m bench.scale $(SCALE)

bench-ray: $(VENV)/.dev  ## 10^7 tokens of JSONL tagged by Ray workers beside two threads, into docs/results/ray.json (some minutes)
	@$(PIP) install "tagloom[ray]"
	$(BIN)/python -m bench.scale.ray_workers $(RAY)

bench-use: $(VENV)/.dev  ## one sentence at a time, and files of any size (needs the corpora and 3 GB of disk)
	$(BIN)/python -m bench.use

bench-learners: $(VENV)/.dev  ## learners beside python-crfsuite's L-BFGS; seconds a pass; memory (needs the corpora)
	$(BIN)/python -m bench.learners

bench-treebank: $(VENV)/.dev  ## raw text to treebank beside UDPipe 1 (needs the corpora and an hour; goes on if stopped)
	@$(PIP) install "tagloom[bench]"
	$(BIN)/python -m bench.treebank
bench-defaults: $(VENV)/.dev  ## defaults beside the old ones and the best shipped sets (needs the corpora; some minutes)
	$(BIN)/python -m bench.defaults

bench-suggest: $(VENV)/.dev  ## labels that suggestions save against chance, into docs/results (needs the corpora; 20 minutes; goes on if stopped)
	$(BIN)/python -m bench.suggest

bench-serve: $(VENV)/.dev  ## requests per second, latency and memory of the server, into docs/results (needs wrk; three minutes; SERVE=--quick: only printed)
	$(BIN)/python -m bench.serve $(SERVE)

figures: $(VENV)/.dev  ## what non-local features bring on documents made by rule, into docs/results (some minutes)
	$(BIN)/python -m bench.documents

redraw: $(VENV)/.dev  ## all figures under docs/ again, from the numbers beside them
	$(BIN)/python -m tools.redraw

BEST := conll2003-en conll2002-nl jnlpba conll2000 ud-ewt-upos ud-ewt-las pku
best: $(VENV)/.installed  ## the best models of seven tasks, into docs/best (needs the corpora and an hour; goes on if stopped)
	@for task in $(BEST); do $(BIN)/tagloom reproduce best-$$task --data "$(DATA)" -o docs/best || exit 1; done

reproduce: $(VENV)/.installed  ## the papers' tables on the corpora in DATA, into docs/papers (an hour; goes on if stopped)
	$(BIN)/tagloom reproduce he-wang-2012 --data "$(DATA)" -o docs/papers
	$(BIN)/tagloom reproduce kazama-torisawa-2007 --data "$(DATA)" -o docs/papers
	$(BIN)/tagloom reproduce tsuruoka-2011 --data "$(DATA)" -o docs/papers
	$(BIN)/tagloom reproduce collins-2002 --data "$(DATA)" -o docs/papers
	$(BIN)/tagloom reproduce carreras-2003 --data "$(DATA)" -o docs/papers

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "tagloom needs Python 3.10 or newer (with venv): install it, or run make PYTHON=/path/to/python3"; exit 1; }
	@command -v $(CXX) >/dev/null 2>&1 || { echo "tagloom needs a C++20 compiler: install g++ 12 or clang 15, or run make CXX=/path/to/c++"; exit 1; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version)" >&2
	@$(PYTHON) -m venv $(VENV)

# The package is built without isolation, so that the build directory and its compiled objects are reused.
$(VENV)/.build: $(VENV)/bin/python $(LOCKS)/build.txt
	@$(PIP) install --require-hashes -r $(LOCKS)/build.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.build $(NATIVE)
	@$(PIP) install --no-build-isolation --editable .
	@rm -f $(VENV)/.dev
	@touch $@

# With the double-precision module that tests compare with. The packages of the dev extra are added in a second step, so that
# those without a wheel are built in isolation, whatever the environment holds.
$(VENV)/.dev: $(VENV)/.build $(NATIVE)
	@$(PIP) install --no-build-isolation --editable . $(DEVELOPMENT)
	@$(PIP) install "tagloom[dev]"
	@touch $(VENV)/.installed $@

clean:  ## remove everything that was built, the virtual environment included
	rm -rf build dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16
