# One verb per action. Each starts from a bare Debian 12: it installs what is missing, configures, builds and runs.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SECONDS ?= 60
say = @echo "== $@:"

.PHONY: help build build-tests test demo check format format-check tidy asan tsan fuzz bench conformance torture soak \
        mutants install clean bootstrap ci bench-build coverage bench-gate docs

help:
	@echo "make              build the program: build/release/sluice"
	@echo "make test         build the program and its tests, and run every test"
	@echo "make demo         build the program, and show a conversation with it over real data"
	@echo "make ci           what continuous integration runs (STAGE=quick|test|asan|nightly for one stage)"
	@echo "make check        everything a change must pass: format, tidy, test, asan"
	@echo "make format       lay out the sources with clang-format"
	@echo "make tidy         clang-tidy over the sources (FILES='a.cc b.cc' for some of them)"
	@echo "make asan         unit, end-to-end and hostile tests with the address and undefined-behaviour sanitizers"
	@echo "make tsan         unit tests with the thread sanitizer"
	@echo "make coverage     which lines the tests run, for each module; fails below the floors of tests/coverage"
	@echo "make fuzz         run each fuzz target for SECONDS=60"
	@echo "make bench        measure"
	@echo "make bench-build  measure how long a clean clone takes to build, and fail if that grew by more than 10 %"
	@echo "make bench-gate   compare the instructions of this commit with those of BASE=tag, the newest v* by default"
	@echo "make docs         the API reference of the SDK: build/docs/html"
	@echo "make conformance  the protocol's official conformance suite"
	@echo "make torture      the long-running tests"
	@echo "make soak         compare random answers with the model of tests/differential for SECONDS=60"
	@echo "make mutants      break the program in many ways, and see that tests/differential finds each"
	@echo "make install      install into PREFIX=/usr/local (DESTDIR is obeyed)"
	@echo "make portable     a folder and an archive that run on every Linux with glibc 2.34: dist/sluice-VERSION-linux-ARCH"
	@echo "make npm          packages for npm, of the folder that \`make portable\` made: dist/npm"
	@echo "make mcpb         bundles for desktop hosts, likewise: dist/*.mcpb"
	@echo "make image        a container image, likewise, as root: dist/sluice-VERSION-oci.tar"
	@echo "make server-json  what the MCP registry is told about these: dist/server.json"
	@echo "make deb          Debian packages for SUITE=bookworm|trixie and ARCH=amd64|arm64; of another suite than this machine's as root"
	@echo "make packages     all of these, tested: what \`make release\` makes, of a commit without a tag"
	@echo "make release      everything that a release has, tested: dist/ (docs/RELEASING.md)"
	@echo "make reproduce    make it twice, and compare every byte"
	@echo "make sign         sign the checksums of dist/ with a key of minisign: KEY=/path/to/key"
	@echo "make clean        remove build/ and dist/ (the tools in .deps/ stay)"

bootstrap:
	@scripts/bootstrap --for test

# Ninja runs CMake again by itself when a CMakeLists.txt changes, but does not know of the presets.
build/%/build.ninja: CMakePresets.json
	@echo "== configure: $*"
	@cmake --preset $* --log-level=WARNING
	@touch $@

build/%/.built: build/%/build.ninja always
	@echo "== build: $*"
	@cmake --build --preset $* --parallel $(JOBS)

.PHONY: always
always:
.PRECIOUS: build/%/build.ninja

# The program alone. Where the tests are configured already, they stay configured and are not built.
build:
	@scripts/bootstrap --for build
	@$(MAKE) build/release/.built

# The tests are built into build/release, too: nothing of the program is compiled twice.
build-tests: | bootstrap
	@$(MAKE) build/release/build.ninja
	@grep --quiet '^SLUICE_TESTS:BOOL=ON' build/release/CMakeCache.txt || cmake --preset test --log-level=WARNING
	@echo "== build: test"
	@cmake --build --preset test --parallel $(JOBS)

test: build-tests
	$(say) release
	@ctest --preset test --label-exclude 'torture|packages' --parallel $(JOBS)

conformance: build-tests
	$(say) release
	@ctest --preset test --label-regex conformance --no-tests=error

torture: build-tests
	$(say) release
	@ctest --preset test --label-regex torture --no-tests=error

soak: build | bootstrap
	$(say) $(SECONDS) seconds
	@python3 tests/differential/soak.py --sluice build/release/sluice --seconds $(SECONDS)

mutants: build | bootstrap
	$(say) tests/differential/mutants
	@python3 tests/differential/mutants.py

asan: LABELS := unit|e2e|hostile
tsan: LABELS := unit
asan tsan: | bootstrap
	@$(MAKE) build/$@/.built
	$(say) '$(LABELS)'
	@ctest --preset $@ --label-regex '$(LABELS)' --parallel $(JOBS) --no-tests=error

# The report comes also if a test failed, and the target fails then all the same.
coverage: | bootstrap
	@$(MAKE) build/$@/.built
	$(say) 'unit|e2e|hostile'
	@find build/$@ -name '*.gcda' -delete
	@status=0; ctest --preset $@ --label-regex 'unit|e2e|hostile' --parallel $(JOBS) --no-tests=error || status=$$?; \
	  tests/coverage/coverage.py . build/$@ $(if $(RECORD),--record) || status=$$?; exit $$status

demo: build
	$(say) scripts/demo
	@scripts/demo

ci:
	@scripts/ci $(STAGE)

check: | bootstrap
	@$(MAKE) format-check
	@$(MAKE) tidy
	@$(MAKE) asan
	@$(MAKE) test

format: | bootstrap
	$(say) clang-format
	@scripts/format

format-check: | bootstrap
	$(say) clang-format
	@scripts/format --check

tidy:
	@scripts/bootstrap --for tidy
	@$(MAKE) build/tidy/build.ninja
	$(say) clang-tidy
	@scripts/tidy $(FILES)

fuzz:
	@scripts/bootstrap --for fuzz
	@$(MAKE) build/fuzz/build.ninja
	@echo "== build: fuzz"
	@cmake --build --preset fuzz --parallel $(JOBS) --target fuzz_targets
	$(say) $(SECONDS) seconds for each target
	@scripts/fuzz $(SECONDS)

bench:
	@scripts/bootstrap --for bench
	@$(MAKE) build/bench/.built
	$(say) tests/bench/run
	@tests/bench/run build/bench

bench-build: | bootstrap
	@tests/bench/build_times.py . $(if $(PARTS),--parts $(PARTS)) $(if $(RECORD),--record)

bench-gate:
	@scripts/bootstrap --for bench
	$(say) $(if $(BASE),$(BASE),the newest tag)
	@tests/bench/gate.py . $(if $(BASE),--base $(BASE))

docs:
	@scripts/bootstrap --for test
	$(say) build/docs
	@scripts/docs

install: build
	$(say) $(DESTDIR)$(PREFIX)
	@cmake --install build/release --prefix $(PREFIX)

# What users install, in dist/. Each is made of the folder that `make portable` made.
.PHONY: portable npm mcpb image server-json deb
portable:
	$(say) dist
	@JOBS=$(JOBS) scripts/portable dist

npm:
	$(say) dist/npm
	@python3 packaging/tools/npm_packages.py dist

mcpb:
	$(say) dist
	@python3 packaging/tools/bundle.py dist

image:
	@scripts/bootstrap --for release
	$(say) dist
	@python3 packaging/tools/image.py dist

server-json:
	$(say) dist
	@python3 packaging/tools/registry.py dist

SUITE ?= $(shell . /etc/os-release && echo $$VERSION_CODENAME)
ARCH ?= $(shell dpkg --print-architecture)
deb:
	$(say) $(SUITE) $(ARCH)
	@JOBS=$(JOBS) scripts/deb $(SUITE) $(ARCH) dist

.PHONY: packages release reproduce sign
packages:
	@JOBS=$(JOBS) scripts/release try

release:
	@JOBS=$(JOBS) scripts/release build

reproduce:
	@JOBS=$(JOBS) scripts/release reproduce

sign:
	@scripts/release sign $(KEY)

clean:
	$(say) build and dist
	@rm -rf build dist
