# SPDX-License-Identifier: Apache-2.0
# Meson does the work; this file is for fingers.
PREFIX ?= /usr/local
BUILD ?= build

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)
$(BUILD)/build.ninja:
	meson setup $(BUILD) --prefix=$(PREFIX)
check: all
	meson test -C $(BUILD) --print-errorlogs
.PHONY: all check
