// SPDX-License-Identifier: Apache-2.0
/*
 * The memory of a report does not grow with the recording: of one that is four times as large it is the same, but for
 * little. The smaller one is large enough for every limit of what is kept. In the gate one kind of recording at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bench/made_recording.h"
#include "analyze/insight/recorded.h"
#include "analyze/summary/recording.h"
#include "cases.h"
#include "show/report/reports.h"
#include "turn.h"

#ifdef __SANITIZE_ADDRESS__
enum { IS_MEASURED = 0 }; /* freed memory is not used again */
#else
enum { IS_MEASURED = 1 };
#endif

enum { MAX_GROWTH_KIB = 6 << 10, MAX_KIB = 160 << 10, N_GROWING = 5 };

static void report(const char *path)
{
	static const struct report_look look;
	struct recording recording;
	struct recorded recorded;
	FILE *out = fopen("/dev/null", "w");
	struct err err;

	if (recording_sum_up(&recording, path, NULL, &err) || recorded_init(&recorded, recording.summary, &err))
		_exit(1);
	report_write(out, reports[0], &(struct report){ recording.summary, recorded.model, recorded.n }, &look);
	_exit(0);
}

/* Of a report in a process of its own. */
static long peak_kib(const struct made_recording *made)
{
	char path[] = "/tmp/inftrace-memory-XXXXXX";
	int fd = mkstemp(path), status;
	struct rusage usage;
	struct err err;
	pid_t child;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(made_recording_write(made, path, &err), 0);
	child = fork();
	if (!child)
		report(path);
	assert_int_equal(wait4(child, &status, 0, &usage), child);
	unlink(path);
	assert_int_equal(status, 0);
	return usage.ru_maxrss;
}

static void assert_flat(int number, struct made_recording made)
{
	long first, second;

	if (!is_in_turn(number, N_GROWING))
		skip();
	first = peak_kib(&made);
	made.n_inferences *= 4;
	second = peak_kib(&made);
	if (IS_MEASURED && (second > first + MAX_GROWTH_KIB || second > MAX_KIB))
		fail_msg("%s%s: %ld KiB, of four times as many %ld KiB", made_recording_name(made.kind),
			 made.is_compressed ? ", compressed" : "", first, second);
}

TEST(memory_does_not_grow_with_operators)
{
	assert_flat(0, (struct made_recording){ MADE_OPERATORS, 140000, 5, false });
}

/* What is behind the decompressor is the same for all kinds. */
TEST(memory_does_not_grow_with_compressed_operators)
{
	assert_flat(1, (struct made_recording){ MADE_OPERATORS, 140000, 5, true });
}

TEST(memory_does_not_grow_with_inferences)
{
	assert_flat(2, (struct made_recording){ MADE_INFERENCES, 200000, 5, false });
}

TEST(memory_does_not_grow_with_sessions)
{
	assert_flat(3, (struct made_recording){ MADE_SESSIONS, 200000, 5, false });
}

TEST(memory_does_not_grow_with_tags_and_shapes)
{
	assert_flat(4, (struct made_recording){ MADE_TEXTS, 400000, 5, false });
}
