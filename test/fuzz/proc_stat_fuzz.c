// SPDX-License-Identifier: Apache-2.0
/*
 * Texts of /proc: each input is given to every parser. A number found must be in the text: it is printed and searched
 * for. A truncated text must not give another number than the whole one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/proc/proc.h"
#include "fuzz.h"

static void require(bool claim)
{
	if (!claim)
		abort();
}

/* The digits of a number that was found, without leading zeros, are somewhere in the text. */
static void require_in(const uint8_t *data, size_t size, uint64_t number)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);

	require(memmem(data, size, digits, (size_t)len));
}

static void fuzz_stat(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct proc_stat stat, cut;

	if (!proc_stat_parse(text, size, &stat))
		return;
	require(strlen(stat.name) < sizeof stat.name && memmem(data, size, stat.name, strlen(stat.name)));
	require(stat.parent >= 0);
	require_in(data, size, stat.start_ticks);
	require_in(data, size, stat.n_threads);
	require_in(data, size, stat.minor_faults);
	require_in(data, size, stat.major_faults);
	if (data[size - 1] != ')' && proc_stat_parse(text, size - 1, &cut))
		require(cut.start_ticks == stat.start_ticks && cut.cpu_ticks == stat.cpu_ticks);
}

static void fuzz_fields(const uint8_t *data, size_t size)
{
	static const char *const key[] = { "VmHWM", "MemTotal", "MemAvailable", "Pss", "" };
	uint64_t value, cut;

	for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
		if (!proc_field((const char *)data, size, key[i], &value))
			continue;
		require_in(data, size, value);
		if (proc_field((const char *)data, size - 1, key[i], &cut))
			require(cut == value);
	}
	for (unsigned nth = 0; nth < 8; nth++) {
		if (proc_number((const char *)data, size, nth, &value))
			require_in(data, size, value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_cpu cpu;
	uint64_t total_us;

	if (!size)
		return 0;
	fuzz_stat(data, size);
	fuzz_fields(data, size);
	if (proc_pressure((const char *)data, size, &total_us))
		require_in(data, size, total_us);
	if (proc_cpu_parse((const char *)data, size, &cpu)) {
		for (int i = 0; i <= CPU_IDLE; i++)
			require_in(data, size, cpu.ticks[i]);
	}
	return 0;
}
