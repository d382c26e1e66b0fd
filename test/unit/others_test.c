// SPDX-License-Identifier: Apache-2.0
#include "capture/source/others.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cases.h"
#include "keep.h"

enum { PROGRAMS = 150, SECOND_TICKS = 100 };

static const uint64_t second_ns = 1000000000;

/* A machine with programs that are not recorded: "job 0" is process 1000. */
struct machine {
	char root[64];
	struct tree tree;
	struct target target;
	struct keep *keep;
	struct others others;
	uint64_t ticks[PROGRAMS];
	uint64_t written[PROGRAMS]; /* the ticks in its file, plus 1 */
	uint64_t now_ns;
};

static void write_stat(struct machine *machine, int i)
{
	char path[128];
	FILE *file;

	if (machine->written[i] == machine->ticks[i] + 1)
		return;
	machine->written[i] = machine->ticks[i] + 1;
	snprintf(path, sizeof path, "%s/proc/%d/stat", machine->root, 1000 + i);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%d (job %d) R 1 1 1 0 -1 0 0 0 0 0 %llu 0 0 0 20 0 1 0 50 0 0 0\n", 1000 + i, i,
		(unsigned long long)machine->ticks[i]);
	assert_int_equal(fclose(file), 0);
}

static struct machine *machine_new(void)
{
	struct machine *machine = calloc(1, sizeof *machine);
	char path[128];

	strcpy(machine->root, "/tmp/inftrace-others-XXXXXX");
	assert_non_null(mkdtemp(machine->root));
	snprintf(path, sizeof path, "%s/proc", machine->root);
	assert_int_equal(mkdir(path, 0755), 0);
	for (int i = 0; i < PROGRAMS; i++) {
		snprintf(path, sizeof path, "%s/proc/%d", machine->root, 1000 + i);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	machine->keep = keep_new();
	machine->target = (struct target){ .sysroot = machine->root, .tree = &machine->tree };
	machine->now_ns = 100 * second_ns;
	return machine;
}

static void machine_free(struct machine *machine)
{
	char command[128];

	snprintf(command, sizeof command, "rm -r %s", machine->root);
	assert_int_equal(system(command), 0);
	others_done(&machine->others);
	keep_free(machine->keep);
	free(machine);
}

static void look(struct machine *machine)
{
	struct err err = { 0 };
	struct sample sample = { &machine->target, NULL, &machine->keep->sink, machine->now_ns, &err };

	for (int i = 0; i < PROGRAMS; i++)
		write_stat(machine, i);
	assert_int_equal(others_look(&machine->others, &sample, false), 0);
	machine->now_ns += second_ns;
}

/* The most that its counters said; NAN: it has none. */
static double most(const struct machine *machine, int i)
{
	const struct keep *keep = machine->keep;
	char name[64];
	double value = NAN;

	snprintf(name, sizeof name, "other program job %d", i);
	for (size_t k = 0; k < keep->n; k++)
		if (keep->event[k].type == EVENT_COUNTER &&
		    !strcmp(keep_text(keep, keep->track[keep->event[k].track].name), name) &&
		    !(keep->event[k].value <= value))
			value = keep->event[k].value;
	return value;
}

#define CASE(name) TEST_OF_NEW(name, struct machine, machine, machine_new(), machine_free(machine))

CASE(more_programs_than_there_is_room_for_are_named_one_after_the_other)
{
	look(machine);
	for (int i = 0; i < PROGRAMS; i++) {
		machine->ticks[i] += SECOND_TICKS;
		look(machine);
	}
	for (int i = 0; i < PROGRAMS; i++)
		assert_true(fabs(most(machine, i) - 100) < 1e-9);
}

CASE(a_program_that_comes_back_has_values_again)
{
	size_t n;

	look(machine);
	for (int i = 0; i < PROGRAMS; i++) {
		machine->ticks[i] += SECOND_TICKS;
		look(machine);
	}
	n = machine->keep->n;
	machine->ticks[0] += SECOND_TICKS / 2;
	look(machine);
	assert_true(machine->keep->n > n);
	assert_true(fabs(machine->keep->event[machine->keep->n - 1].value - 50) < 1e-9);
}

CASE(many_that_do_little_hide_none_that_does_much)
{
	look(machine);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < PROGRAMS; i++)
			machine->ticks[i] += i < PROGRAMS - 1 ? 1 : SECOND_TICKS;
		look(machine);
	}
	assert_true(fabs(most(machine, PROGRAMS - 1) - 100) < 1e-9);
	for (int i = 0; i < PROGRAMS - 1; i++)
		assert_true(isnan(most(machine, i)));
}

CASE(programs_that_go_on_keep_their_counters)
{
	look(machine);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < OTHERS_NAMED; i++)
			machine->ticks[i] += SECOND_TICKS / 2;
		if (round)
			machine->ticks[OTHERS_NAMED + round] += SECOND_TICKS;
		look(machine);
	}
	/* one for each, however many others came */
	assert_int_equal(machine->keep->last_track, OTHERS_NAMED);
}
