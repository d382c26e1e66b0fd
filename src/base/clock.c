// SPDX-License-Identifier: Apache-2.0
/*
 * Converts ticks to nanoseconds by piecewise lines. A new line starts where the old one is at that moment, so the
 * mapping never jumps. Its slope aims to reach the true clock one second later.
 */
#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BASELINE = 8 }; /* lines over which the rate is measured */

struct pair {
	uint64_t ticks, ns, width;
};

/* Reads ticks, clock, ticks a few times; keeps the tightest. */
static struct pair read_pair(void)
{
	struct pair best = { .width = UINT64_MAX };

	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_ticks(), ns = clock_ns(), after = clock_ticks();
		if (after - before < best.width)
			best = (struct pair){ before + (after - before) / 2, ns, after - before };
	}
	return best;
}

static struct clock_line *last_line(struct clock_map *map)
{
	return &map->line[(map->n - 1) % CLOCK_LINES];
}

void clock_map_init(struct clock_map *map, unsigned ms)
{
	struct pair first = read_pair(), next;
	struct timespec pause = { 0, 1000000 };

	do {
		nanosleep(&pause, NULL);
		next = read_pair();
	} while (next.ns - first.ns < (uint64_t)ms * 1000000u);
	memset(map, 0, sizeof *map);
	map->n = 1;
	map->line[0] = (struct clock_line){ first.ticks, first.ns, first.ns,
					    (double)(next.ns - first.ns) / (double)(next.ticks - first.ticks) };
	map->width_ns = (uint64_t)((double)next.width * map->line[0].slope);
}

void clock_map_update(struct clock_map *map)
{
	struct pair now = read_pair();
	struct clock_line *old = last_line(map);
	uint64_t predicted = clock_line_ns(old, now.ticks);
	int64_t error = (int64_t)(now.ns - predicted);
	const struct clock_line *base = &map->line[(map->n > BASELINE ? map->n - BASELINE : 0) % CLOCK_LINES];
	double rate;

	if (now.ns - old->true_ns < 50000000)
		return;
	if ((uint64_t)(error < 0 ? -error : error) > map->error_ns)
		map->error_ns = (uint64_t)(error < 0 ? -error : error);
	rate = (double)(now.ns - base->true_ns) / (double)(now.ticks - base->ticks);
	map->line[map->n % CLOCK_LINES] =
	    (struct clock_line){ now.ticks, predicted, now.ns, rate * (1 + (double)error / 1e9) };
	map->n++;
}

uint64_t clock_map_old_ns(const struct clock_map *map, uint64_t ticks)
{
	uint32_t oldest = map->n > CLOCK_LINES ? map->n - CLOCK_LINES : 0;

	for (uint32_t i = map->n; i-- > oldest;) {
		const struct clock_line *line = &map->line[i % CLOCK_LINES];
		if (ticks >= line->ticks || i == oldest)
			return clock_line_ns(line, ticks);
	}
	return 0;
}

static bool file_has(const char *sysroot, const char *path, const char *words[2])
{
	char name[512], text[8192];
	ssize_t n;
	int fd;

	snprintf(name, sizeof name, "%s%s", sysroot ? sysroot : "", path);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	return strstr(text, words[0]) && strstr(text, words[1]);
}

bool clock_is_invariant(const char *sysroot, const char **reason)
{
#if defined(__x86_64__)
	const char *flags[2] = { "constant_tsc", "nonstop_tsc" }, *source[2] = { "tsc", "tsc" };

	if (file_has(sysroot, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source))
		return true;
	if (reason)
		*reason = file_has(sysroot, "/proc/cpuinfo", flags)
			      ? "the kernel does not use the TSC as its clock source"
			      : "the processor's TSC is not invariant";
	return false;
#else
	return true;
#endif
}
