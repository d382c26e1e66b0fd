// SPDX-License-Identifier: Apache-2.0
/*
 * probe_run CPU plain|pair: a player (player.h) that calls an empty function; pair: with two empty probes on it, on the
 * instructions that are cheapest to probe, like those around an operator. probe_run times PID ROUNDS: the time to
 * inspect the runtime of a process, to add all its probes, and to remove them; one line of milliseconds a round.
 * probe_run hold PID inference|operator: keeps all probes of that level in a process, empty, until standard input ends.
 * All need root.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/probe/uprobe_load.h"
#include "capture/probe/uprobe_trial.h"
#include "capture/probe/uprobes.h"
#include "player.h"

/* The cost of a probe depends on its instruction; the kernel emulates these two. */
void probed(void);
#if defined(__x86_64__)
__asm__(".text\n.type probed, @function\nprobed:\n\tpush %rbp\n\tnop\n\tpop %rbp\n\tret\n.size probed, .-probed\n");
enum { SECOND = 1 }; /* offset of the nop */
#else
__asm__(".text\n.type probed, %function\nprobed:\n\tadr x0, probed\n\tcbz x0, probed\n\tret\n.size probed, .-probed\n");
enum { SECOND = 4 };
#endif

static void play(void *ctx, long n)
{
	for (long i = 0; i < n; i++)
		probed();
}

static int put_pair(struct uprobe_loaded *loaded, struct uprobe_links *links, struct err *err)
{
	struct uprobe_site site[2] = { { 0 } };
	struct uprobe_place place = { "/proc/self/exe", getpid(), site, 2 };
	int code = uprobe_load(loaded, UPROBE_LINK_ANY, err);

	site[0].offset = uprobe_own_offset((const void *)probed);
	site[1].offset = site[0].offset + SECOND;
	return code ? code : uprobe_links_open(links, loaded->link, &loaded->empty, &place, err);
}

static int play_all(int cpu, bool has_pair)
{
	struct uprobe_loaded loaded;
	struct uprobe_links links = { 0 };
	struct player player = { .chunk = 100, .play = play };
	struct err err;

	player_pin(cpu);
	if (has_pair && put_pair(&loaded, &links, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 3;
	}
	player_run(&player);
	if (has_pair) {
		uprobe_links_close(&links);
		uprobe_unload(&loaded);
	}
	return 0;
}

static void take_out(struct uprobes *uprobes, pid_t pid)
{
	for (uint32_t i = 0; i < UPROBE_MAX_ARMED; i++)
		if (uprobes_copy(uprobes, i) && uprobes_copy(uprobes, i)->pid == pid)
			uprobes_disarm(uprobes, i);
}

static int measure_once(pid_t pid, struct err *err)
{
	struct uprobes_opts opts = { .has_operators = true };
	uint64_t begin = clock_ns(), loaded, first, out, second, end;
	struct uprobes *uprobes = uprobes_open(&opts, err);
	int n;

	if (!uprobes)
		return -err->code;
	loaded = clock_ns();
	n = uprobes_arm(uprobes, pid, 0, NULL, err);
	first = clock_ns();
	take_out(uprobes, pid);
	out = clock_ns();
	if (n > 0)
		n = uprobes_arm(uprobes, pid, 0, NULL, err); /* the file is known by now */
	second = clock_ns();
	take_out(uprobes, pid);
	end = clock_ns();
	uprobes_close(uprobes);
	if (n <= 0)
		return n ? n : err_set(err, ENOENT, "process %d has no runtime", (int)pid);
	printf("%.2f %.2f %.2f %.2f\n", (double)(loaded - begin) / 1e6,
	       ((double)(first - loaded) - (double)(second - out)) / 1e6, (double)(second - out) / 1e6,
	       ((double)(out - first) + (double)(end - second)) / 2e6);
	return 0;
}

static int hold(pid_t pid, bool has_operators, struct err *err)
{
	struct uprobes_opts opts = { .has_operators = has_operators, .is_empty = true };
	struct uprobes *uprobes = uprobes_open(&opts, err);
	int n = uprobes ? uprobes_arm(uprobes, pid, 0, NULL, err) : -err->code;

	if (!n)
		n = err_set(err, ENOENT, "process %d has no runtime", (int)pid);
	if (n > 0) {
		puts("in");
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	uprobes_close(uprobes);
	return n < 0 ? n : 0;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	int code = 0;

	if (argc == 3)
		return play_all(atoi(argv[1]), !strcmp(argv[2], "pair"));
	if (argc != 4)
		return 2;
	if (!strcmp(argv[1], "hold"))
		code = hold(atoi(argv[2]), !strcmp(argv[3], "operator"), &err);
	for (int i = 0; strcmp(argv[1], "hold") && i < atoi(argv[3]) && !code; i++)
		code = measure_once(atoi(argv[2]), &err);
	if (code)
		fprintf(stderr, "%s\n", err.msg);
	return code ? 3 : 0;
}
