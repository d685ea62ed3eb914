# The front door: `make run` and `make test`. CMake does the work (presets in CMakePresets.json).

MODEL ?= examples/cantilever-damper.yaml

.PHONY: run test build setup install deb python validation validation-short sanitize scalar baseline avx2 tsan fuzz format docs gallery validation-page reliability clean

run: setup
	@scripts/build release maraca
	@build/maraca run $(MODEL) --without-grains

test: build
	@scripts/run-tests build --label-exclude validation --parallel 2

build: setup
	@scripts/build release

setup:
	@scripts/setup

PREFIX ?= /usr/local
install: setup # DESTDIR is put before it, for packages
	@scripts/build release maraca maraca_shared maraca_static manual
	@cmake --install build --prefix $(abspath $(PREFIX)) --strip
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

deb: setup # packages for Debian 12, in build-deb/
	@scripts/make-deb

python: setup # the Python module, for the user who runs make
	@scripts/build release maraca_shared
	@scripts/install-python

# -- for developers ---------------------------------------------------------------------------------------------
validation: build
	@scripts/run-tests build --label-regex validation

validation-short: build # the cases of up to two minutes each
	@scripts/run-tests build --label-regex short --parallel 2

sanitize: setup # WITHOUT='|cli' leaves out the tests of the program from outside, which take half of the time
	@scripts/build $@
	@scripts/run-tests build-$@ --label-exclude 'validation|style|browser|long$(WITHOUT)' --parallel 2

scalar baseline avx2: setup # modules with vectors, at another level of instructions than this machine's
	@scripts/build $@ kernel_tests
	@scripts/run-tests build-$@ --label-regex kernel --label-exclude long --parallel 2

tsan: setup # what has threads
	@scripts/build $@ thread_tests
	@scripts/run-tests build-$@ --label-regex threads --parallel 2

FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 1
fuzz: setup # with FUZZ_SEED=0 other inputs each time
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ_SEED)

format: setup
	@scripts/check-format --fix

docs: build # what is generated of the documents: the reference of the model file
	@scripts/check-model-file build/maraca --fix

gallery: build # docs/gallery.md: a picture of each example, from its report
	@scripts/gallery

validation-page: build # what is written from runs in docs/validation.md, with its plots
	@scripts/validation-page

reliability: build # attacks the program: the table of docs/reliability.md
	@scripts/reliability

clean:
	rm -rf build build-*
