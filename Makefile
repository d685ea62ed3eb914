# The front door: `make run` and `make test`. CMake does the work (presets in CMakePresets.json).

MODEL ?= examples/cantilever-damper.yaml

.PHONY: run test build setup validation sanitize scalar fuzz format docs validation-page clean

run: build
	@build/maraca run $(MODEL) --without-grains

test: build
	@ctest --test-dir build --output-on-failure --label-exclude validation --parallel 2

build: setup
	@scripts/build release

setup:
	@scripts/setup

# -- for developers ---------------------------------------------------------------------------------------------
validation: build
	@ctest --test-dir build --output-on-failure --label-regex validation

sanitize scalar: setup
	@scripts/build $@
	@ctest --test-dir build-$@ --output-on-failure --label-exclude 'validation|style' --parallel 2

FUZZ_SECONDS ?= 60
fuzz: setup
	@scripts/fuzz $(FUZZ_SECONDS)

format: setup
	@scripts/check-format --fix

docs: build # what is generated of the documents: the reference of the model file
	@scripts/check-model-file build/maraca --fix

validation-page: build # what is written from runs in docs/validation.md, with its plots
	@scripts/validation-page

clean:
	rm -rf build build-*
