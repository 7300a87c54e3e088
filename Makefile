# SPDX-License-Identifier: Apache-2.0
# The two commands of the README on a bare Debian: `make fuzz` and `make test`. Everything else is CMake.
.PHONY: help setup more-setup test-setup build test-build program modules test test-all test-fleet test-frameworks test-trixie nightly-trixie nightly-frameworks-trixie newest newest-program fuzz replay guided nightly libraries js mlir triton gpu-trial nightly-frameworks transfer seeds sanitize valgrind neon avx512 avx512-soft detection audit mutation bench throughput narrow check dev odr wheel sdist test-wheel clean

PACKAGES := g++ cmake ninja-build libtorch-dev libdnnl-dev libcli11-dev libsqlite3-dev libsqlitecpp-dev libhwy-dev \
            libfmt-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev libonnx-dev libprotobuf-dev \
            libonnx-testdata libzip-dev libsodium-dev libpugixml-dev libjs-chart.js help2man
# Libraries that are on trial if the user names them. OpenCV brings 150 packages more: a first campaign does not wait for it.
MORE_PACKAGES := libopencv-dnn-dev libxnnpack-dev libpthreadpool-dev
# For a night: its report on what is new.
NIGHT_PACKAGES := jq sqlite3
TEST_PACKAGES := python3-torch python3-onnx python3-numpy python3-pytest python3-pip python3-setuptools python3-wheel \
            python3-dev \
            nodejs pkg-config faketime zsh fish groff-base chromium chromium-driver \
            python3-selenium python3-yaml shellcheck electric-fence
# What compiles for ARM, what emulates it, and what the program and the kernel that it runs on need there.
NEON_PACKAGES := cmake ninja-build g++-aarch64-linux-gnu libjs-chart.js qemu-system-arm cpio
NEON_TREE := linux-image-cloud-arm64 busybox-static \
            $(filter-out g++ cmake ninja-build libtorch-dev libdnnl-dev libgtest-dev libonnx-testdata libjs-chart.js help2man,$(PACKAGES))
NEON_PROCESSORS ?= cortex-a57 max
AVX512_PACKAGES := bochs bochs-term vgabios busybox-static isolinux syslinux-common genisoimage cpio
FLEET_PACKAGES := slurm-wlm munge clang libclang-rt-dev zip unzip
JOBS     ?= $(shell nproc)
# A quarter of the time of tests is waiting for processes.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
TIME     ?= 60s
DB       ?= convict.db
CASES    ?= 1000
SOFT_CASES ?= 100000
SUDO     := $(if $(filter 0,$(shell id -u)),,sudo)
CONVICT  := build/release/convict

help:
	@echo 'make build   install what is missing, build $(CONVICT)'
	@echo 'make test    build, and run the tests that each change needs'
	@echo 'make test-all  all tests, each as thorough as it can be: before a release, and in nights'
	@echo 'make check   build, and run the tests without campaigns; with ROOM=judge those of tests/judge first'
	@echo 'make test-fleet  test what runs on clusters: Slurm, Kubernetes, ClusterFuzzLite'
	@echo 'make fuzz    build, and put all native kernels on trial for TIME=$(TIME) into DB=$(DB)'
	@echo 'make modules build that and a module for every other library on this machine: OpenCV, XNNPACK'
	@echo 'make replay  build, and run every case of corpus/ but the full-size ones of corpus/bench/ and corpus/kernelbench/'
	@echo 'make guided  build convict-guided with clang, for `fuzz --engine libfuzzer`'
	@echo 'make nightly build, guided, and a night: replay, fuzz, merge, report; TIME=10m SHARDS=2 DB=nightly.db (docs/nightly.md)'
	@echo 'make nightly-frameworks  all libraries and frameworks on trial in turn: TIME=8h DB=frameworks.db MEMORY= ONLY= JOBS=$(JOBS) (docs/nightly.md)'
	@echo 'make detection  measure which planted faults are found, and rewrite the tables of docs/background/detection.md: half an hour'
	@echo 'make audit   put the judge itself on trial: honest kernels, dishonest ones, what each fill sees (docs/background/detection.md): an hour or two'
	@echo 'make mutation  change src/ at COUNT=200 random places, one by one, and say which tests notice (CONTRIBUTING.md): hours'
	@echo 'make throughput measure how fast cases are judged, and rewrite that table of docs/background/performance.md; BENCHDNN=path for a comparison'
	@echo 'make narrow  measure campaigns on kernels that take little (tests/narrow): half an hour; NARROW_FLAGS for less'
	@echo 'make bench   measure every layer of corpus/bench, and rewrite the tables of docs/background/performance.md: half an hour'
	@echo 'make libraries  unpack ggml and ONNX Runtime into build/, and build their modules'
	@echo 'make js      install TensorFlow.js and OpenCV.js into build/js: `convict fuzz --target tfjs`, `--target opencvjs`'
	@echo 'make mlir    install MLIR 22: `convict fuzz --target mlir`'
	@for client in $(PYTHON_CLIENTS); do \
	  echo "make $$client  install it into build/venvs/$$client: \`convict fuzz --target $$client\`"; done
	@echo 'make triton  install Triton, whose interpreter runs examples/python/triton_conv.py without a GPU'
	@echo 'make gpu-trial  all that computes on the GPU of this machine on trial for MINUTES=$(MINUTES), into build/gpu (docs/gpu.md); after `make wheel`'
	@echo 'make test-frameworks  install all of these, and run the tests of their clients'
	@echo 'make wheel   build/wheel/convict_conv-*.whl: the program, its clients and the Python package, for pip (docs/wheel.md)'
	@echo 'make sdist   the same as sources'
	@echo 'make test-wheel  put the wheel into trees of Debian 12 and 13 that have Python and nothing of convict; 1 GB in build/bare'
	@echo 'make transfer  replay known bugs on everything, and rewrite the table of docs/transfer.md'
	@echo 'make seeds   ask the frameworks that are installed for the bugs that founded convict, and rewrite the table of docs/seeds.md'
	@echo 'make test-trixie     build and test in a tree of Debian 13: LibTorch 2.6, oneDNN 3.7; 6 GB in build/debian'
	@echo 'make nightly-trixie  a night there; TIME and the rest as for nightly'
	@echo 'make nightly-frameworks-trixie  that of frameworks there'
	@echo 'make newest  LibTorch 2.13 and oneDNN 3.13 of the package index: known causes, replay, fuzz; TIME and DB as for fuzz; 3 GB'
	@echo 'make dev       build without optimisation, and run all tests'
	@echo 'make odr       link the program as one unit: one definition for each name'
	@echo 'make sanitize  build and test with AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make valgrind  all native kernels on corpus/seeds under the memory checker: a quarter of an hour'
	@echo 'make neon      compile the program for 64-bit ARM, and all native kernels on CASES=$(CASES) sampled cases, in an emulator: ten minutes'
	@echo 'make avx512-soft  all native kernels with vectors of AVX-512 that are computed in loops, on SOFT_CASES=$(SOFT_CASES) sampled cases: ten minutes'
	@echo 'make avx512    all native kernels with AVX-512 on CASES=$(CASES) sampled cases, in an emulator: a quarter of an hour'

# Installs the packages of $(1) that are missing, and nothing if none is.
define install
missing=; for package in $(1); do \
  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; done; \
if [ -n "$$missing" ]; then \
  echo "installing:$$missing"; \
  $(SUDO) apt-get update -q && \
  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; fi
endef

setup:
	@$(call install,$(PACKAGES))

more-setup:
	@$(call install,$(PACKAGES) $(MORE_PACKAGES))

test-setup: more-setup
	@$(call install,$(TEST_PACKAGES) $(NIGHT_PACKAGES))

# Configured again: `make program` may have been here before, without the libraries of MORE_PACKAGES.
build: more-setup
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS)

# The same, while what only tests need is installed: unpacking it is waiting for the disk.
test-build: more-setup
	@mkdir -p build
	@{ $(call install,$(TEST_PACKAGES) $(NIGHT_PACKAGES)); } > build/packages.log 2>&1 & installing=$$!; \
	cmake --preset release && cmake --build --preset release -j $(JOBS); built=$$?; \
	wait $$installing || { cat build/packages.log; exit 1; }; \
	exit $$built

# What a campaign needs: the program, LibTorch and oneDNN.
program: setup
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release --target convict convict_libtorch convict_onednn -j $(JOBS)

# That, and all other libraries on this machine.
modules: more-setup
	@cmake --preset release
	@cmake --build --preset release --target convict oracles -j $(JOBS)

ROOM ?=
SUITES_OF_ROOM = $$(sed -nE 's/^TEST(_F|_P)?\((\w+),.*/*\2.*/p' tests/$(ROOM)/*.cpp | sort -u | paste -sd:)

check: test-build
	$(if $(ROOM),build/release/convict_tests --gtest_brief=1 --gtest_filter="$(SUITES_OF_ROOM)")
	ctest --preset release -j $(TEST_JOBS) -LE 'campaign|thorough'

test: test-build
	ctest --preset release -j $(TEST_JOBS) -LE thorough

test-all: test-build
	CONVICT_THOROUGH=1 ctest --preset release -j $(TEST_JOBS)

# Not part of `make test`: it installs a batch scheduler, and builds everything once more, with clang's AddressSanitizer.
test-fleet: test-build
	@$(call install,$(FLEET_PACKAGES))
	ctest --preset release -R '^Fleet\.' --no-tests=error
	tests/deploy/clusterfuzzlite_test.sh build/clusterfuzzlite

fuzz: program
	$(CONVICT) fuzz --time $(TIME) -j $(JOBS) --db $(DB)

replay: program
	$(CONVICT) replay corpus/seeds corpus/networks --relations all -j $(JOBS)

guided: setup
	@$(call install,clang libclang-rt-dev)
	@[ -f build/fuzz/build.ninja ] || cmake --preset fuzz
	@cmake --build build/fuzz --target convict-guided convict_libtorch convict_onednn -j $(JOBS)
	@cmake --build build/release --target convict -j $(JOBS)
	@tools/check_guided.sh $(CONVICT) build/fuzz/convict-guided

# TIME, SHARDS, DB and the rest reach the script through the environment, if they are given.
nightly: modules guided
	@$(call install,$(NIGHT_PACKAGES))
	deploy/night.sh all $(NIGHT_FLAGS)

dev: test-setup
	cmake --preset dev
	cmake --build --preset dev -j $(JOBS)
	ctest --preset dev -j $(JOBS)

# The next Debian has the other generation of both libraries. Its tree is made once, without a container.
TRIXIE = $(SUDO) tools/debian_tree.sh build/debian trixie \
  '$(PACKAGES) $(MORE_PACKAGES) $(TEST_PACKAGES) $(NIGHT_PACKAGES) git make sudo ca-certificates clang libclang-rt-dev libonnxruntime-dev'

# Those of the variables $(1) that have a value which is no default of this file, for another make.
given = $(foreach name,$(1),$(if $(filter-out undefined file,$(origin $(name))),$(name)='$($(name))'))

test-trixie:
	@$(call install,mmdebstrap)
	$(TRIXIE) make test JOBS=$(JOBS)

nightly-trixie:
	@$(call install,mmdebstrap)
	$(TRIXIE) env $(call given,TIME SHARDS DB NIGHT SEED FLAGS FUZZ_FLAGS) make nightly JOBS=$(JOBS)

nightly-frameworks-trixie:
	@$(call install,mmdebstrap)
	$(TRIXIE) env $(call given,TIME DB MEMORY ONLY FUZZ_FLAGS) make nightly-frameworks JOBS=$(JOBS)

# What pip installs. Of the packages above it needs those that the program is made of.
WHEEL_PACKAGES = $(filter-out libtorch-dev libdnnl-dev libgtest-dev libonnx-testdata,$(PACKAGES)) python3-venv python3-pip
WHEEL_TOOLS := build/wheel-tools

$(WHEEL_TOOLS)/installed: tools/wheel_requirements.txt
	@$(call install,$(WHEEL_PACKAGES))
	/usr/bin/python3 -m venv --clear $(WHEEL_TOOLS)
	$(WHEEL_TOOLS)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

wheel: $(WHEEL_TOOLS)/installed
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) tools/wheel.sh $(WHEEL_TOOLS) build/wheel

sdist: $(WHEEL_TOOLS)/installed
	@$(WHEEL_TOOLS)/bin/python -m build --sdist --no-isolation -o build/wheel

# Not part of `make test`: it compiles the program once more, and makes trees. WHEEL_SUITES=forky is the next Debian.
WHEEL_SUITES ?= bookworm trixie
WHEEL_PYTHONS ?= 3.11 3.13 3.14

test-wheel: wheel
	@$(call install,mmdebstrap)
	@$(WHEEL_TOOLS)/bin/python tests/wheel/steps.py build/wheel/steps
	@for version in $(WHEEL_PYTHONS); do \
	  $(WHEEL_TOOLS)/bin/python -m pip download --quiet --disable-pip-version-check --only-binary :all: \
	    --platform manylinux_2_28_x86_64 --python-version $$version --dest build/wheel/links numpy pytest || exit; done
	@for suite in $(WHEEL_SUITES); do \
	  echo $$suite; \
	  mkdir -p build/bare/$$suite-build && rm -rf build/bare/$$suite-build/* && \
	  cp -r build/wheel/links build/wheel/steps build/bare/$$suite-build && \
	  cp build/wheel/*.whl build/bare/$$suite-build/links && \
	  $(SUDO) tools/debian_tree.sh build/bare $$suite 'python3 python3-venv' \
	    tests/wheel/newcomer.sh build/links . build/steps || exit; done

# LibTorch and oneDNN of Python's package index: newer than any Debian's. LibTorch is in the wheel of the client `torch`.
NEWEST := build/newest/convict

newest-program: setup build/venvs/torch/installed build/venvs/onednn/installed
	@cmake --preset newest -DCONVICT_LIBTORCH_ROOT="$$(echo "$(CURDIR)"/build/venvs/torch/lib/python3.*/site-packages/torch)"
	@cmake --build --preset newest -j $(JOBS)

newest: newest-program
	$(NEWEST) check-causes corpus/known/libtorch.causes corpus/known/onednn.causes -j $(JOBS)
	$(NEWEST) replay corpus/seeds corpus/networks --relations all -j $(JOBS)
	$(NEWEST) fuzz --time $(TIME) -j $(JOBS) --db $(DB)

# Two types of one name, in two files, are undefined behaviour that only inlining hides.
odr: setup
	cmake --preset lto
	cmake --build --preset lto -j $(JOBS)

sanitize: test-setup
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)

valgrind: program
	@$(call install,valgrind)
	tests/valgrind_test.sh $(CONVICT) corpus/seeds/*.cases

# For machines that are not ARM: on an old processor, and on one that has all that QEMU knows.
neon:
	@$(call install,$(NEON_PACKAGES))
	@tools/foreign_tree.sh build/arm64 arm64 $(NEON_TREE)
	@cmake --preset neon
	@cmake --build --preset neon -j $(JOBS)
	@for processor in $(NEON_PROCESSORS); do echo $$processor; \
	  tools/arm64_emulator.sh build/arm64 $$processor build/neon/convict 'convict doctor | head -n 1' \
	    'convict fuzz --oracle none --profile all --cases $(CASES) --shrink none --timeout 10m -q' || exit; done

# For machines without AVX-512.
avx512: program
	@$(call install,$(AVX512_PACKAGES))
	tools/avx512_emulator.sh build/avx512 $(CONVICT) 'convict doctor | head -n 1' \
	  'convict fuzz --oracle none --profile all --cases $(CASES) --shrink none --timeout 10m -q'

# The same, some hundred times as fast and with VNNI: the source of the kernels is put on trial, but not the instructions.
avx512-soft: setup
	@cmake --preset avx512-soft
	@cmake --build --preset avx512-soft -j $(JOBS)
	@for cap in avx512 avx512_vnni; do echo $$cap; \
	  CONVICT_ISA=$$cap build/avx512-soft/convict fuzz --oracle none --profile all --cases $(SOFT_CASES) \
	    --db build/avx512-soft/$$cap.db --timeout 10m -j $(JOBS) -q || exit; done

# Libraries that are no packages of this Debian. Nothing of them is installed.
NPM_LIBRARIES := @node-llama-cpp/linux-x64@3.22.1 onnxruntime-node@1.30.0

libraries: more-setup
	tools/npm_package.sh build/npm $(NPM_LIBRARIES)
	tools/debian_package.sh build/deb trixie libonnxruntime-dev
	tools/debian_package.sh build/deb forky libggml-dev
	cmake --preset release
	@cmake --build --preset release -j $(JOBS)

# Clients in Python have a virtual environment each, with what their folder names, in the versions that it names.
PYTHON_CLIENTS := $(patsubst clients/%/requirements.txt,%,$(wildcard clients/*/requirements.txt))
.PHONY: $(PYTHON_CLIENTS)

$(PYTHON_CLIENTS): %: build/venvs/%/installed

tinygrad_PACKAGES := clang-19 libllvm19  # it compiles by these

define install_venv
@$(call install,python3-venv python3-pip $($*_PACKAGES))
/usr/bin/python3 -m venv --clear build/venvs/$*
build/venvs/$*/bin/pip install --quiet --disable-pip-version-check -r $<
touch $@
endef

build/venvs/%/installed: clients/%/requirements.txt
	$(install_venv)

# oneDNN of Python's package index, for `make newest`.
build/venvs/%/installed: oracles/%/requirements.txt
	$(install_venv)

# For examples/python/triton_conv.py and its test.
triton: build/venvs/triton/installed
build/venvs/%/installed: examples/python/%_requirements.txt
	$(install_venv)

# For clients/js. Nothing of the packages is run while they are installed.
js:
	@$(call install,nodejs)
	mkdir -p build/js
	cp clients/js/package.json build/js
	npm install --prefix build/js --ignore-scripts --no-package-lock --no-audit --no-fund

# For clients/mlir.
mlir:
	@$(call install,mlir-22-tools python3-numpy)

# Not part of `make test`: what it installs takes minutes and gigabytes (docs/process-targets.md).
test-frameworks: js mlir $(filter-out cudnn,$(PYTHON_CLIENTS)) test-build
	ctest --preset release -R '^Clients\.' --no-tests=error

# Clients that are installed take part. TIME, DB and the rest reach the tool through the environment, if they are given.
nightly-frameworks: modules
	@$(call install,python3)
	JOBS=$(JOBS) tools/frameworks_night.py $(CONVICT)

# Needs no network, and nothing of `make setup`. Without MINUTES, 10.
MINUTES ?= 10
gpu-trial:
	tools/gpu_trial.sh build/wheel/convict_conv-*.whl $(MINUTES) build/gpu

transfer: build
	tools/transfer.py --cases > build/findings.cases
	mv build/findings.cases corpus/transfer
	tools/transfer.py $(CONVICT) > build/transfer.md
	sed -i -e '/^<!-- measured -->$$/,/^<!-- end -->$$/{//!d}' -e '/^<!-- measured -->$$/r build/transfer.md' \
	  docs/transfer.md

seeds: build
	tools/seeds.py $(CONVICT) > build/seeds.md
	sed -i -e '/^<!-- measured -->$$/,/^<!-- end -->$$/{//!d}' -e '/^<!-- measured -->$$/r build/seeds.md' \
	  docs/seeds.md

# A mutant that is missed costs its whole budget every time: baselines, which miss more of them, get fewer seeds.
MUTANTS := --plugin build/release/tests/mutants_p.so --plugin build/release/tests/mutants_b.so

detection: build
	$(CONVICT) score $(MUTANTS) --seeds 20 --budget 60s -j $(JOBS) --format markdown -o build/detection.md
	$(CONVICT) score $(MUTANTS) --seeds 3 --budget 10s --baselines all -j $(JOBS) --format markdown -o build/baselines.md
	{ echo; echo '### Beside other methods'; sed -e '/^| [PBD][0-9]* .*\( | 3\/3\)\{4\} |$$/d' \
	  -e 's/^All mutants; .*/Mutants that another method misses:/' build/baselines.md; } >> build/detection.md
	sed -i -e '/^<!-- measured -->$$/,/^<!-- end -->$$/{//!d}' -e '/^<!-- measured -->$$/r build/detection.md' \
	  docs/background/detection.md

# No honest kernel may be convicted, and of dishonest ones only those that say why not may never be.
audit: build
	cmake --build build/release --target audit
	build/release/tests/audit honest f32 60000 1
	for sums in f16 bf16; do build/release/tests/audit honest $$sums 20000 1 || exit 1; done
	build/release/tests/audit dishonest 1000 1
	build/release/tests/audit fills 100 1

# Goes on where it was stopped; tools/mutation.py has its parts.
COUNT ?= 200
mutation: test-setup
	@$(call install,python3-clang)
	@[ -f build/mutation/units.json ] || tools/mutation.py prepare --count $(COUNT) -j $(JOBS)
	@tools/mutation.py run -j $(JOBS)
	@tools/mutation.py report

# Nothing else should run on the machine.
bench: program
	$(CONVICT) bench corpus/bench --pass all --threads 1,2 --format json -o build/bench.json
	$(CONVICT) bench --from build/bench.json --pass forward --threads 1 --format svg -o docs/background/performance.svg
	{ echo '```'; $(CONVICT) bench --from build/bench.json | sed -n '1p; /^in short/,$$p'; echo '```'; \
	  echo; echo 'Forward, one thread:'; echo '```'; \
	  $(CONVICT) bench --from build/bench.json --pass forward --threads 1; echo '```'; } > build/bench.md
	sed -i -e '/^<!-- measured -->$$/,/^<!-- end -->$$/{//!d}' -e '/^<!-- measured -->$$/r build/bench.md' \
	  docs/background/performance.md

# The same. With BENCHDNN=path, oneDNN's own tester runs in turn with convict, on the same problems.
throughput: program
	tools/throughput.py $(CONVICT) > build/throughput.md
	sed -i -e '/^<!-- throughput -->$$/,/^<!-- end -->$$/{//!d}' -e '/^<!-- throughput -->$$/r build/throughput.md' \
	  docs/background/performance.md

# Nothing else should run on the machine, either.
narrow: build
	@cmake --build build/release --target narrow_domains -j $(JOBS)
	tools/narrow.py $(CONVICT) --json build/narrow.json $(NARROW_FLAGS) | tee build/narrow.md

clean:
	rm -rf build
