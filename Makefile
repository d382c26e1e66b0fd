# SPDX-License-Identifier: Apache-2.0
# Short commands for Meson. Everything is built below build/ (BUILD=...).
#   make  check  bench [PEERS=slow]  install [PREFIX=/usr] [DESTDIR=/tmp/stage]  uninstall  asan  tsan  coverage
#   fuzz [SECONDS=60]  bless  fmt  dist  clean
BUILD ?= build
MESON_TEST = meson test --print-errorlogs

# Only the product. When Meson configures the build folder, it prints what it leaves out, and why.
all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) product

$(BUILD)/build.ninja:
	meson setup $(BUILD)

# The gate: units, data, command line, layers, agent symbols. The real runtimes are in ./check.
check: $(BUILD)/build.ninja
	INFTRACE_TEST_TURN=$$(git rev-list --count HEAD 2> /dev/null || echo 0) $(MESON_TEST) -C $(BUILD)

# Takes minutes; PEERS=slow adds the benchmarks whose peers take most of an hour. bench/README.md explains the table at
# the end. Meson names the log with the output of each benchmark.
bench: $(BUILD)/build.ninja
	@ninja -C $(BUILD)
	@meson test -C $(BUILD) --benchmark --no-rebuild --logbase benchlog $(if $(filter slow,$(PEERS)),,--no-suite slow) || true
	@python3 bench/table.py $(BUILD)/meson-logs/benchlog.json

# Each sanitizer has a build folder of its own.
asan: SANITIZERS = address,undefined
tsan: SANITIZERS = thread
asan tsan:
	@[ -f $(BUILD)-$@/build.ninja ] || meson setup $(BUILD)-$@ -Db_sanitize=$(SANITIZERS)
	$(MESON_TEST) -C $(BUILD)-$@

# Which lines of src `make check` runs, in a build folder of its own.
coverage:
	@[ -f $(BUILD)-$@/build.ninja ] || meson setup $(BUILD)-$@ -Db_coverage=true -Doptimization=0 -Dpage=disabled
	-$(MESON_TEST) -C $(BUILD)-$@
	@tools/coverage $(BUILD)-$@

# Searches for inputs that break a parser, SECONDS for each; findings stay in the build folder. Needs clang.
SECONDS ?= 60
fuzz:
	@[ -f $(BUILD)-fuzz/build.ninja ] || CC=clang meson setup $(BUILD)-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C $(BUILD)-fuzz fuzzers
	@tools/fuzz $(BUILD)-fuzz $(SECONDS)

# Accepts the present output of the commands as the expected one: read the difference before you commit it.
bless: all
	@ninja -C $(BUILD) bless
	@git status --short test/cli

# Formats the C files that differ from the last commit, with the version that ./check has installed.
fmt:
	@git diff --name-only --diff-filter=d HEAD -- '*.c' '*.h' | xargs -r $(BUILD)/lint/bin/clang-format -i --style=file
	@$(BUILD)/lint/bin/ruff format --quiet .

install: all
	@$(if $(PREFIX),meson configure $(BUILD) -Dprefix=$(PREFIX) && ninja -C $(BUILD) product)
	meson install -C $(BUILD) --no-rebuild

# Removes the files of the last `make install` of this build folder.
uninstall:
	@ninja -C $(BUILD) uninstall

# A release: the source with the built page and the commit, to be built without a network. Needs a clean work tree.
dist: all
	meson dist -C $(BUILD) --no-tests --formats gztar

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-coverage $(BUILD)-fuzz

.PHONY: all check bench asan tsan coverage fuzz bless fmt install uninstall dist clean
