// SPDX-License-Identifier: Apache-2.0
/* Processes that were killed because there was no memory, in cgroups made of files; and what is said of peaks. */
#include "capture/source/memory_limit.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "event/process_note.h"
#include "show/words/memory_words.h"
#include "show/words/resource_words.h"
#include "stream.h"

struct notes {
	struct sink sink;
	uint32_t last_track;
	int n;
	struct arg arg[8];
	size_t n_args;
};

struct fixture {
	char root[64];
	struct notes notes;
	struct tree_process process;
	struct tree tree;
	struct target target;
	struct memory_limit limit;
};

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct notes *to = (struct notes *)sink;

	assert_string_equal(names_text(sink->names, event->name), EVENT_NOTE_OUT_OF_MEMORY);
	to->n++;
	to->n_args = event->n_args;
	memcpy(to->arg, event->args, event->n_args * sizeof *event->args);
	return 0;
}

static void put_file(const struct fixture *f, const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof whole, "%s/%s", f->root, path);
	for (char *slash = strchr(whole + strlen(f->root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(whole, 0700);
		*slash = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .root = "/tmp/memory-limit-XXXXXX" };
	assert_non_null(mkdtemp(f->root));
	f->notes.sink = (struct sink){ .put = put, .names = names_new(), .last_track = &f->notes.last_track };
	f->process = (struct tree_process){ .pid = 42, .track = 1 };
	f->tree = (struct tree){ .process = &f->process, .n = 1 };
	f->target = (struct target){ .sysroot = f->root, .tree = &f->tree, .interval_ns = 1000000000 };
}

static void drain_at(struct fixture *f, uint64_t now_ns)
{
	struct err err;

	assert_int_equal(memory_limit_drain(&f->limit, &f->target, &f->notes.sink, now_ns, &err), 0);
}

static void drain(struct fixture *f)
{
	f->limit.due_ns = 0;
	drain_at(f, 1000);
}

static void end(struct fixture *f)
{
	char command[100];

	memory_limit_done(&f->limit);
	names_free(f->notes.sink.names);
	snprintf(command, sizeof command, "rm -r %s", f->root);
	assert_int_equal(system(command), 0);
}

static const struct arg *arg_of(const struct fixture *f, enum event_key key)
{
	for (size_t i = 0; i < f->notes.n_args; i++)
		if (f->notes.arg[i].key == key)
			return &f->notes.arg[i];
	return NULL;
}

static void events(const struct fixture *f, const char *group, int oom, int oom_kill)
{
	char path[200], text[200];

	snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.events", group);
	snprintf(text, sizeof text, "low 0\nhigh 0\nmax 9\noom %d\noom_kill %d\noom_group_kill 0\n", oom, oom_kill);
	put_file(f, path, text);
}

#define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))

CASE(the_cgroup_whose_limit_was_reached_is_named)
{
	put_file(f, "proc/42/cgroup", "0::/pod/app\n");
	events(f, "/pod", 2, 2);
	events(f, "/pod/app", 2, 2);
	put_file(f, "sys/fs/cgroup/pod/app/memory.max", "max\n");
	put_file(f, "sys/fs/cgroup/pod/memory.max", "314572800\n");
	drain(f);
	assert_int_equal(f->notes.n, 0); /* these were before */
	events(f, "/pod", 3, 3);
	events(f, "/pod/app", 2, 3);
	drain(f);
	assert_int_equal(f->notes.n, 1);
	assert_int_equal(arg_of(f, KEY_COUNT)->integer, 1);
	assert_int_equal(arg_of(f, KEY_LIMIT)->integer, 314572800);
	assert_string_equal(names_text(f->notes.sink.names, arg_of(f, KEY_PATH)->name), "/sys/fs/cgroup/pod");
	drain(f);
	assert_int_equal(f->notes.n, 1);
}

/* Not when the interval is over: whoever started the program removes its cgroup then. */
CASE(counts_are_read_as_soon_as_a_process_has_ended)
{
	put_file(f, "proc/42/cgroup", "0::/app\n");
	put_file(f, "sys/fs/cgroup/app/memory.max", "314572800\n");
	events(f, "/app", 0, 0);
	drain_at(f, UINT64_C(1000000000));
	drain_at(f, UINT64_C(10000000000));
	events(f, "/app", 1, 1);
	drain_at(f, UINT64_C(10001000000));
	assert_int_equal(f->notes.n, 0);
	f->tree.n_ended++;
	drain_at(f, UINT64_C(10002000000));
	assert_int_equal(f->notes.n, 1);
}

static void remove_group(const struct fixture *f, const char *group)
{
	char command[300];

	snprintf(command, sizeof command, "rm -r %s/sys/fs/cgroup%s", f->root, group);
	assert_int_equal(system(command), 0);
}

static void local_events(const struct fixture *f, const char *group, int oom)
{
	char path[200], text[100];

	snprintf(path, sizeof path, "sys/fs/cgroup%s/memory.events.local", group);
	snprintf(text, sizeof text, "max 9\noom %d\noom_kill 0\n", oom);
	put_file(f, path, text);
}

/* Who started the program removed it at once: the one above counts what was below it. */
TEST(of_a_cgroup_that_is_gone_the_one_above_tells)
{
	for (int is_near = 0; is_near < 2; is_near++) {
		struct fixture fixture, *f = &fixture;

		begin(f);
		put_file(f, "proc/42/cgroup", "0::/pod/app\n");
		put_file(f, "sys/fs/cgroup/pod/app/memory.max", "314572800\n");
		put_file(f, "sys/fs/cgroup/pod/app/memory.peak", is_near ? "300000000\n" : "50000000\n");
		events(f, "/pod", 2, 2);
		local_events(f, "/pod", 1);
		events(f, "/pod/app", 0, 0);
		drain(f);
		remove_group(f, "/pod/app");
		events(f, "/pod", 3, 3);
		drain(f);
		assert_int_equal(f->notes.n, is_near); /* else it may have been another program's */
		if (is_near) {
			assert_int_equal(arg_of(f, KEY_LIMIT)->integer, 314572800);
			assert_string_equal(names_text(f->notes.sink.names, arg_of(f, KEY_PATH)->name),
					    "/sys/fs/cgroup/pod/app");
		}
		events(f, "/pod", 4, 4);
		drain(f);
		assert_int_equal(f->notes.n, is_near);
		end(f);
	}
}

/* Two containers of a pod go at once: a kill counts at one of them, or where nothing shows whose it was at none. */
TEST(one_kill_is_noted_once)
{
	static const struct {
		int local, n_killed, n_notes;
		const char *other_peak;
	} cases[] = {
		{ 1, 1, 0, "300000000\n" }, /* both were near their limits */
		{ 1, 2, 2, "300000000\n" },
		{ 1, 1, 1, "50000000\n" },
		{ 2, 1, 1, "300000000\n" }, /* the pod's own limit was reached */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tree_process process[2] = { { .pid = 42, .track = 1 }, { .pid = 43, .track = 2 } };
		struct fixture fixture, *f = &fixture;

		begin(f);
		f->tree = (struct tree){ .process = process, .n = 2 };
		put_file(f, "proc/42/cgroup", "0::/pod/app\n");
		put_file(f, "proc/43/cgroup", "0::/pod/other\n");
		put_file(f, "sys/fs/cgroup/pod/app/memory.max", "314572800\n");
		put_file(f, "sys/fs/cgroup/pod/app/memory.peak", "300000000\n");
		put_file(f, "sys/fs/cgroup/pod/other/memory.max", "314572800\n");
		put_file(f, "sys/fs/cgroup/pod/other/memory.peak", cases[i].other_peak);
		events(f, "/pod", 2, 2);
		local_events(f, "/pod", 1);
		events(f, "/pod/app", 0, 0);
		events(f, "/pod/other", 0, 0);
		drain(f);
		remove_group(f, "/pod/app");
		remove_group(f, "/pod/other");
		events(f, "/pod", 3, 2 + cases[i].n_killed);
		local_events(f, "/pod", cases[i].local);
		drain(f);
		assert_int_equal(f->notes.n, cases[i].n_notes);
		end(f);
	}
}

/* As the kernel writes it; the first one is older than the recording. */
TEST(of_a_cgroup_that_is_gone_the_kernels_log_tells)
{
	static const char *const limits[] = { "/app", "/" };

	for (int i = 0; i < 2; i++) {
		struct fixture fixture, *f = &fixture;
		char path[100], text[400];
		FILE *log;

		begin(f);
		put_file(f, "proc/42/cgroup", "4:memory:/app\n");
		put_file(f, "sys/fs/cgroup/memory/app/memory.oom_control", "oom_kill 0\n");
		put_file(f, "sys/fs/cgroup/memory/app/memory.failcnt", "7\n");
		put_file(f, "sys/fs/cgroup/memory/app/memory.limit_in_bytes", "209715200\n");
		put_file(f, "dev/kmsg",
			 "4,1,1,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/app,"
			 "task_memcg=/app,task=python,pid=5,uid=0\n");
		drain(f);
		remove_group(f, "/memory/app");
		snprintf(path, sizeof path, "%s/dev/kmsg", f->root);
		snprintf(text, sizeof text,
			 "4,2,2,-;oom-kill:constraint=%s,nodemask=(null),cpuset=/,mems_allowed=0,%s%s,task_memcg=/app,"
			 "task=python,pid=42,uid=0\n",
			 i ? "CONSTRAINT_NONE" : "CONSTRAINT_MEMCG",
			 i ? "global_oom" : "oom_memcg=", i ? "" : limits[i]);
		log = fopen(path, "a");
		fputs(text, log);
		fclose(log);
		drain(f);
		assert_int_equal(f->notes.n, 1);
		assert_int_equal(arg_of(f, KEY_LIMIT) ? arg_of(f, KEY_LIMIT)->integer : 0, i ? 0 : 209715200);
		drain(f);
		assert_int_equal(f->notes.n, 1);
		end(f);
	}
}

CASE(without_a_limit_that_was_reached_it_was_the_machine)
{
	put_file(f, "proc/42/cgroup", "0::/app\n");
	events(f, "/app", 0, 0);
	drain(f);
	events(f, "/app", 0, 2);
	drain(f);
	assert_int_equal(f->notes.n, 1);
	assert_int_equal(arg_of(f, KEY_COUNT)->integer, 2);
	assert_null(arg_of(f, KEY_PATH));
}

CASE(version_1_counts_failures)
{
	put_file(f, "proc/42/cgroup", "5:cpu:/\n4:memory:/app\n0::/\n");
	put_file(f, "sys/fs/cgroup/memory/app/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
	put_file(f, "sys/fs/cgroup/memory/app/memory.failcnt", "7\n");
	put_file(f, "sys/fs/cgroup/memory/app/memory.limit_in_bytes", "209715200\n");
	put_file(f, "sys/fs/cgroup/memory/app/memory.max_usage_in_bytes", "209710000\n");
	drain(f);
	put_file(f, "sys/fs/cgroup/memory/app/memory.failcnt", "90\n");
	drain(f);
	assert_int_equal(f->notes.n, 0); /* reached, and something was given back */
	put_file(f, "sys/fs/cgroup/memory/app/memory.failcnt", "99\n");
	put_file(f, "sys/fs/cgroup/memory/app/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
	drain(f);
	assert_int_equal(f->notes.n, 1);
	assert_int_equal(arg_of(f, KEY_LIMIT)->integer, 209715200);
	assert_int_equal(arg_of(f, KEY_PEAK)->integer, 209710000);
}

static void put_swap_limit(const struct fixture *f, const char *peak, const char *failures)
{
	put_file(f, "sys/fs/cgroup/memory/pod/memory.memsw.limit_in_bytes", "209715200\n");
	put_file(f, "sys/fs/cgroup/memory/pod/memory.memsw.max_usage_in_bytes", peak);
	put_file(f, "sys/fs/cgroup/memory/pod/memory.memsw.failcnt", failures);
}

/* A limit on memory and swap together, as containers get it: newer kernels count no failures of it, others do. */
TEST(version_1_limits_memory_and_swap_together)
{
	static const struct {
		const char *peak, *failures;
		bool is_cause;
	} cases[] = {
		{ "209715200\n", "0\n", true },
		{ "150000000\n", "3\n", true },
		{ "150000000\n", "0\n", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture fixture, *f = &fixture;

		begin(f);
		put_file(f, "proc/42/cgroup", "4:memory:/pod/app\n");
		put_file(f, "sys/fs/cgroup/memory/pod/memory.oom_control", "oom_kill 0\n");
		put_file(f, "sys/fs/cgroup/memory/pod/memory.failcnt", "0\n");
		put_file(f, "sys/fs/cgroup/memory/pod/memory.limit_in_bytes", "209715200\n");
		put_file(f, "sys/fs/cgroup/memory/pod/app/memory.oom_control", "oom_kill 0\n");
		put_file(f, "sys/fs/cgroup/memory/pod/app/memory.failcnt", "0\n");
		put_file(f, "sys/fs/cgroup/memory/pod/app/memory.memsw.limit_in_bytes", "9223372036854771712\n");
		put_file(f, "sys/fs/cgroup/memory/pod/app/memory.memsw.max_usage_in_bytes", "209715200\n");
		put_swap_limit(f, "0\n", "0\n");
		drain(f);
		put_file(f, "sys/fs/cgroup/memory/pod/app/memory.oom_control", "oom_kill 1\n");
		put_swap_limit(f, cases[i].peak, cases[i].failures);
		drain(f);
		assert_int_equal(f->notes.n, 1);
		assert_int_equal(arg_of(f, KEY_LIMIT) ? arg_of(f, KEY_LIMIT)->integer : 0,
				 cases[i].is_cause ? 209715200 : 0);
		end(f);
	}
}

/* The log has it, where a limit was reached in vain before. */
CASE(the_kernels_log_comes_before_counts)
{
	put_file(f, "proc/42/cgroup", "0::/app\n");
	put_file(f, "sys/fs/cgroup/app/memory.max", "314572800\n");
	put_file(f, "dev/kmsg", "");
	events(f, "/app", 0, 0);
	drain(f);
	events(f, "/app", 1, 1);
	put_file(f, "dev/kmsg",
		 "4,2,2,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,"
		 "task_memcg=/app,task=python,pid=42,uid=0\n");
	drain(f);
	assert_int_equal(f->notes.n, 1);
	assert_null(arg_of(f, KEY_PATH));
}

/* A recording of a second, whose memory was sampled to 0.7 s. */
static struct summary *recorded(struct stream *s, int64_t peak, int64_t at_exit, bool is_killed)
{
	static const struct summary_file file;
	uint32_t process, rss, most;

	stream_init(s);
	process = stream_process(s, 42, "app");
	rss = stream_counter(s, process, "rss", "bytes");
	most = stream_counter(s, process, "peak rss", "bytes");
	for (uint64_t i = 1; i <= 7; i++)
		stream_sample(s, rss, i * 100000, (double)(i << 20));
	stream_sample(s, most, 300000, (double)(5 << 20));
	if (peak && !is_killed) {
		stream_int(s, KEY_PID, 42);
		stream_int(s, KEY_PEAK, peak);
		stream_int(s, KEY_BYTES, at_exit);
		stream_instant(s, process, 990000, KIND_NOTE, EVENT_NOTE_MEMORY_END);
	}
	if (is_killed) {
		stream_text(s, KEY_PATH, "/sys/fs/cgroup/app");
		stream_int(s, KEY_COUNT, 1);
		stream_int(s, KEY_LIMIT, 300 << 20);
		stream_instant(s, process, 995000, KIND_NOTE, EVENT_NOTE_OUT_OF_MEMORY);
	}
	stream_int(s, KEY_PID, 42);
	stream_int(s, is_killed ? KEY_SIGNAL : KEY_EXIT_STATUS, is_killed ? 9 : 0);
	if (is_killed && peak)
		stream_int(s, KEY_PEAK, peak);
	stream_instant(s, process, 1000000, KIND_NOTE, EVENT_NOTE_EXIT);
	return stream_summary(s, &file);
}

static void memory_is(int64_t peak, int64_t at_exit, bool is_killed, const char *words, const char *killed)
{
	struct stream s;
	struct summary *summary = recorded(&s, peak, at_exit, is_killed);

	assert_string_equal(resource_memory(&summary->resources[0]).s, words);
	assert_string_equal(memory_killed(summary, true).s, killed);
	summary_free(summary);
	stream_done(&s);
}

TEST(growth_that_was_given_back_does_not_last)
{
	struct summary_resource memory = { .n = 9, .max = 600 << 20, .first = 4 << 20, .at_exit = 65 << 20 };

	memory.peak = 638 << 20;
	memory.is_peak_whole = true;
	memory.growth_per_s = 50 << 20;
	memory.grown_to = 600 << 20;
	assert_string_equal(resource_memory(&memory).s, "4.00 MiB at first, 65.0 MiB at the end, peak 638 MiB; grew by "
							"50.0 MiB/s before it was given back");
	memory.at_exit = 630 << 20;
	assert_string_equal(resource_memory(&memory).s, "4.00 MiB at first, 630 MiB at the end, peak 638 MiB; still "
							"growing by 50.0 MiB/s");
	/* the peak was long before: nothing was given back since it grew */
	memory.peak = 2048ll << 20;
	assert_string_equal(resource_memory(&memory).s, "4.00 MiB at first, 630 MiB at the end, peak 2.00 GiB; still "
							"growing by 50.0 MiB/s");
}

TEST(peaks_are_the_kernels)
{
	/* samples alone miss what came after them */
	memory_is(0, 0, false,
		  "1.00 MiB at first, 7.00 MiB when last sampled, 300 ms before the end, peak 7.00 MiB or more", "");
	memory_is(648 << 20, 2 << 20, false, "1.00 MiB at first, 2.00 MiB at the end, peak 648 MiB", "");
	memory_is(301 << 20, 0, true,
		  "1.00 MiB at first, 7.00 MiB when last sampled, 300 ms before the end, peak 301 MiB",
		  "the kernel killed process 42 at the memory limit of 300 MiB of its cgroup (/sys/fs/cgroup/app)");
}
