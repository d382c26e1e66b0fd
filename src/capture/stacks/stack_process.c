// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel's count of the times that a thread got a CPU tells whether it has run at all. Reading the clock of the
 * process first makes the kernel bring the CPU time of its running threads up to date.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/stacks/stack_thread.h"

#define MS_NS UINT64_C(1000000)
#define LIST_NS (1000 * MS_NS) /* how long a list of threads is good of which none has ended, */
#define PUT_NS (1000 * MS_NS)  /* and the longest that a sample is pending */
#define NAME_NS (2000 * MS_NS) /* and a name, which a young thread gets soon */
#define FIRST_NS (100 * MS_NS) /* of CPU time, for threads that are new, */
#define FIRST_ROUND_NS MS_NS   /* and in one round */
#define FIRST_TRY_NS (5 * MS_NS)

enum { LONG_STEPS = 50, FEW_STEPS = 5 };
enum { COST_PART = 200 }; /* a list is good for so many times what making it takes */
enum { MAX_KEPT = 256, MAX_TRIES = 7, MAX_THREADS = 32768, IN_TURN = 16, MANY = 200 };

static void close_files(struct stack_thread *thread, struct stack_shared *shared)
{
	if (thread->is_kept)
		shared->n_kept -= 2;
	thread->is_kept = false;
	stack_native_unwatch(thread, shared);
	proc_file_close(&thread->sched);
	proc_file_close(&thread->call);
}

/* It ran on since it was looked at long ago: where it has been since then is not known. */
static bool is_late(const struct stack_thread *thread, const struct stack_round *round)
{
	return thread->now.weight_ns > LONG_STEPS * round->step_ns && thread->now.cpu_ns > FEW_STEPS * round->step_ns;
}

static int put(struct stack_thread *thread, const struct stack_round *round, uint64_t until_ns)
{
	struct event_sample *now = &thread->now;
	struct event event = { .type = EVENT_SAMPLE, .track = round->track, .time_ns = until_ns, .sample = now };

	if (until_ns <= thread->from_ns)
		return 0;
	now->weight_ns = until_ns - thread->from_ns;
	now->cpu_ns = thread->more_ran_ns < now->weight_ns ? thread->more_ran_ns : now->weight_ns;
	now->queue_ns = now->weight_ns - now->cpu_ns;
	if (now->queue_ns > thread->more_waited_ns)
		now->queue_ns = thread->more_waited_ns;
	now->thread_name = thread->name;
	if (is_late(thread, round))
		now->stack = now->holder_tid = now->holder_stack = 0;
	thread->more_ran_ns -= now->cpu_ns;
	thread->more_waited_ns -= now->queue_ns;
	thread->from_ns = until_ns;
	return sink_put(round->out, &event, round->err);
}

static bool is_awake(const struct stack_thread *thread)
{
	return thread->now.state == SAMPLE_RAN || thread->now.state == SAMPLE_QUEUED ||
	       thread->now.state == SAMPLE_UNKNOWN;
}

static bool is_busy(const struct stack_thread *thread)
{
	return !thread->is_pending && !thread->is_ours;
}

static void read_name(struct stack_thread *thread, const struct stack_round *round)
{
	struct proc_file none = { 0 };
	char text[32];
	ssize_t got = stack_thread_read(thread, &none, round->pid, "comm", text, sizeof text - 1);

	thread->named_ns = round->now_ns;
	if (got <= 0)
		return;
	text[got] = 0;
	text[strcspn(text, "\n")] = 0;
	err_disarm(text);
	thread->name = names_of(round->out->names, text);
	thread->is_ours = !strcmp(text, "inftrace");
}

static bool has_old_name(const struct stack_thread *thread, uint64_t now_ns)
{
	uint64_t age_ns = now_ns - thread->found_ns;

	return !thread->named_ns || now_ns - thread->named_ns > (age_ns < NAME_NS ? age_ns / 2 : NAME_NS);
}

/* Whether the kernel's events count what its schedstat counts: found out once. */
static void check_turns(const struct stack_thread *thread, struct stack_shared *shared, uint64_t n_turns)
{
	if (shared->counts_turns || !thread->turns || !thread->moments.slot || n_turns == thread->n_turns)
		return;
	shared->counts_turns = stack_moments_turns(&thread->moments) == thread->turns ? -1 : 1;
}

/* Known without a system call. turns: read once, because it may change right after. */
static bool stands_still(const struct stack_thread *thread, const struct stack_shared *shared, uint32_t turns)
{
	return thread->is_pending && turns && stack_thread_counts(thread, shared) && turns == thread->turns;
}

/* False: the thread has ended. *has_run: since the last look; *is_same: it has not even got a CPU. */
static bool read_times(struct stack_thread *thread, const struct stack_round *round, bool *has_run, bool *is_same)
{
	uint64_t ran_ns, waited_ns, n_turns;
	char text[96];
	ssize_t got = stack_thread_read(thread, &thread->sched, round->pid, "schedstat", text, sizeof text);

	if (got <= 0 || !proc_number(text, (size_t)got, 0, &ran_ns) || !proc_number(text, (size_t)got, 1, &waited_ns) ||
	    !proc_number(text, (size_t)got, 2, &n_turns))
		return false;
	check_turns(thread, round->shared, n_turns);
	*has_run = thread->has_base && ran_ns > thread->ran_ns;
	*is_same = thread->has_base && ran_ns == thread->ran_ns && n_turns == thread->n_turns;
	if (thread->has_base) {
		uint64_t ran = ran_ns > thread->ran_ns ? ran_ns - thread->ran_ns : 0;
		uint64_t waited = waited_ns > thread->waited_ns ? waited_ns - thread->waited_ns : 0;

		thread->more_ran_ns += ran;
		thread->more_waited_ns += waited;
		round->shared->ran_ns += ran;
		round->shared->waited_ns += waited;
	} else {
		thread->from_ns = thread->seen_ns = round->now_ns;
	}
	thread->ran_ns = ran_ns;
	thread->waited_ns = waited_ns;
	thread->n_turns = n_turns;
	thread->has_base = true;
	return true;
}

static bool has_python(const struct stack_process *process)
{
	return process->languages.python.is_there && !*process->languages.python.why;
}

static void read_state(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round,
		       bool has_run)
{
	thread->tried_ns = round->now_ns;
	thread->n_tries++;
	thread->is_early = !has_python(process);
	stack_state_read(process, thread, round, has_run);
}

/* A stack that was torn, or whose thread Python did not list, stands still by now: it would be missing for long. */
static bool lacks_stack(const struct stack_process *process, const struct stack_thread *thread)
{
	return (!thread->now.stack || thread->is_early) && thread->is_pending && has_python(process) &&
	       thread->n_tries < MAX_TRIES;
}

/* -ESRCH: the thread has ended. */
static int look(struct stack_process *process, struct stack_thread *thread, const struct stack_round *round)
{
	uint32_t turns = thread->moments.slot ? stack_moments_turns(&thread->moments) : 0;
	bool has_run = false, is_same = stands_still(thread, round->shared, turns), was_pending = thread->is_pending;
	uint64_t seen_ns = thread->seen_ns, more_ran_ns = thread->more_ran_ns, more_waited_ns = thread->more_waited_ns;
	int result = 0;

	if (thread->is_ours)
		return 0;
	if (!is_same && !read_times(thread, round, &has_run, &is_same))
		return -ESRCH;
	thread->turns = turns;
	if (is_same && was_pending) {
		thread->seen_ns = round->now_ns;
		if (round->shared->counts_turns >= 0)
			stack_native_count(process, thread, round);
		if (lacks_stack(process, thread) &&
		    round->now_ns - thread->tried_ns > (FIRST_TRY_NS << thread->n_tries))
			read_state(process, thread, round, false);
		return round->now_ns - thread->from_ns >= PUT_NS ? put(thread, round, round->now_ns) : 0;
	}
	if (was_pending) { /* until it was last seen so; what it ran since belongs to what comes */
		uint64_t ran_ns = thread->more_ran_ns - more_ran_ns,
			 waited_ns = thread->more_waited_ns - more_waited_ns;

		thread->more_ran_ns = more_ran_ns;
		thread->more_waited_ns = more_waited_ns;
		result = put(thread, round, seen_ns);
		thread->more_ran_ns += ran_ns;
		thread->more_waited_ns += waited_ns;
	}
	if (has_old_name(thread, round->now_ns))
		read_name(thread, round);
	if (thread->is_ours) {
		thread->is_pending = false;
		return result;
	}
	thread->n_tries = 0;
	read_state(process, thread, round, has_run);
	thread->seen_ns = round->now_ns;
	thread->is_pending = !is_awake(thread);
	if (!result && !thread->is_pending)
		result = put(thread, round, round->now_ns);
	return result;
}

/* What a thread did that has ended, as far as it was seen. */
static int end_thread(struct stack_process *process, size_t i, const struct stack_round *round)
{
	struct stack_thread *thread = stack_thread_at(process, i);
	int result = thread->is_pending ? put(thread, round, thread->seen_ns) : 0;

	close_files(thread, round->shared);
	process->n_links = 0; /* another thread may have begun, and this round may pass one over */
	*thread = *stack_thread_at(process, --process->thread.n);
	return result;
}

static int32_t inner_tid(pid_t pid, int32_t tid)
{
	char name[48], text[4096], *line, *end;
	ssize_t got;

	snprintf(name, sizeof name, "task/%d/status", (int)tid);
	got = proc_read("", pid, name, text, sizeof text - 1);
	text[got > 0 ? got : 0] = 0;
	line = strstr(text, "\nNSpid:");
	end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return tid;
	*end = 0;
	line = strrchr(line, '\t');
	return line ? atoi(line + 1) : tid;
}

static struct stack_thread *thread_of(struct stack_process *process, const struct stack_round *round, int32_t tid,
				      size_t *hint)
{
	struct stack_thread *thread;

	for (size_t i = 0; i < process->thread.n; i++) {
		size_t at = (*hint + i) % process->thread.n;

		if (stack_thread_at(process, at)->tid == tid) {
			*hint = at + 1;
			return stack_thread_at(process, at);
		}
	}
	if (process->thread.n >= MAX_THREADS || !(thread = array_add(&process->thread, sizeof *thread)))
		return NULL;
	*thread = (struct stack_thread){ .tid = tid, .inner_tid = tid, .found_ns = round->now_ns };
	if (process->is_inside)
		thread->inner_tid = inner_tid(round->pid, tid);
	process->languages.python.good_ns = 0; /* Python may know it by now: as many threads may have ended */
	thread->is_kept = round->shared->n_kept + 2 <= MAX_KEPT;
	round->shared->n_kept += thread->is_kept ? 2 : 0;
	return thread;
}

static bool is_traced(pid_t pid)
{
	uint64_t tracer = 0;
	char text[4096];
	ssize_t got = proc_read("", pid, "status", text, sizeof text);

	return got > 0 && proc_field(text, (size_t)got, "TracerPid", &tracer) && tracer;
}

static int list_threads(struct stack_process *process, const struct stack_round *round)
{
	struct dirent *entry;
	struct stack_thread *thread;
	uint64_t began_ns, age_ns;
	int result = 0;
	size_t hint = 0;
	struct stat is;
	char path[32];
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/task", (int)round->pid);
	age_ns = round->now_ns - process->listed_ns;
	if (age_ns < process->least_ns || stat(path, &is) ||
	    (is.st_nlink == process->n_links && age_ns < process->good_ns) || !(folder = opendir(path)))
		return 0;
	began_ns = clock_cpu_ns();
	process->listed_ns = round->now_ns;
	process->is_traced = is_traced(round->pid);
	for (size_t i = 0; i < process->thread.n; i++)
		stack_thread_at(process, i)->is_listed = false;
	while ((entry = readdir(folder)))
		if (atoi(entry->d_name) > 0 && (thread = thread_of(process, round, atoi(entry->d_name), &hint)))
			thread->is_listed = true;
	closedir(folder);
	process->least_ns = (clock_cpu_ns() - began_ns) * COST_PART;
	process->good_ns = process->least_ns > LIST_NS ? process->least_ns : LIST_NS;
	for (size_t i = process->thread.n; !result && i-- > 0;)
		if (!stack_thread_at(process, i)->is_listed)
			result = end_thread(process, i, round);
	process->n_links = is.st_nlink;
	return result;
}

/* 0: not known. */
static uint64_t cpu_of(pid_t pid)
{
	clockid_t clock = ~pid * 8 | 2; /* what clock_getcpuclockid gives, without a call */
	struct timespec cpu;

	return clock_gettime(clock, &cpu) ? 0 : (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
}

/* What the agent's own thread has run, which wakes up all the time. */
static uint64_t ours_of(struct stack_process *process, const struct stack_round *round)
{
	uint64_t ran_ns;
	char text[96];

	for (size_t i = 0; i < process->thread.n; i++) {
		struct stack_thread *thread = stack_thread_at(process, i);
		ssize_t got;

		if (!thread->is_ours)
			continue;
		got = stack_thread_read(thread, &thread->sched, round->pid, "schedstat", text, sizeof text);
		return got > 0 && proc_number(text, (size_t)got, 0, &ran_ns) ? ran_ns : 0;
	}
	return 0;
}

/* Whether a thread has run since the last round, other than the agent's. */
static bool has_run(struct stack_process *process, const struct stack_round *round)
{
	uint64_t cpu_ns = cpu_of(round->pid), ours_ns = process->ours_ns;
	bool is_more = !cpu_ns || cpu_ns != process->cpu_ns;

	if (is_more && !process->was_awake)
		ours_ns = ours_of(process, round);
	is_more &= cpu_ns - process->cpu_ns != ours_ns - process->ours_ns;
	process->cpu_ns = cpu_ns;
	process->ours_ns = ours_ns;
	process->round_ns = round->now_ns;
	return is_more;
}

bool stack_process_is_busy(const struct stack_process *process, pid_t pid, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - process->round_ns;

	return cpu_of(pid) - process->cpu_ns > passed_ns - passed_ns / 10;
}

/* Puts what is pending for long; all of it at the end. */
static int put_pending(struct stack_process *process, const struct stack_round *round)
{
	int result = 0;

	for (size_t i = 0; !result && i < process->thread.n; i++) {
		struct stack_thread *thread = stack_thread_at(process, i);

		if (!thread->is_pending)
			continue;
		thread->seen_ns = round->now_ns;
		if (round->is_last || round->now_ns - thread->from_ns >= PUT_NS)
			result = put(thread, round, round->now_ns);
	}
	return result;
}

static enum stack_kind kind_of(const struct stack_thread *thread)
{
	if (thread->is_ours)
		return STACK_QUIET;
	return !thread->has_base ? STACK_NEW : thread->is_pending ? STACK_QUIET : STACK_BUSY;
}

/*
 * Threads of a kind, those first that had no turn in the last round. At least one, and until the budget is spent since
 * the clock of this thread said `began`.
 */
static int look_in_turn(struct stack_process *process, const struct stack_round *round, enum stack_kind kind,
			uint64_t began_ns, uint64_t budget_ns)
{
	int result = 0, cost = 0; /* of looks since the clock was read */

	for (size_t n = process->thread.n, done = 0; !result && done < n && process->thread.n; done++) {
		size_t at = (process->turn[kind] + done) % process->thread.n;
		struct stack_thread *thread = stack_thread_at(process, at);

		if (kind_of(thread) != kind || (thread->has_base && thread->seen_ns == round->now_ns))
			continue;
		if (cost >= IN_TURN && (cost = 0, clock_cpu_ns() - began_ns > budget_ns)) {
			process->is_short = true;
			process->turn[kind] = at;
			return 0;
		}
		result = look(process, thread, round);
		cost += thread->tried_ns == round->now_ns ? IN_TURN : 1;
		if (result == -ESRCH)
			result = end_thread(process, at, round);
	}
	return result;
}

/* The first thread, which most programs run models in: among hundreds that spin it would rarely have its turn. */
static int look_at_first(struct stack_process *process, const struct stack_round *round)
{
	for (size_t i = 0; i < process->thread.n; i++) {
		struct stack_thread *thread = stack_thread_at(process, i);
		int result;

		if (thread->tid != round->pid)
			continue;
		result = kind_of(thread) == STACK_BUSY ? look(process, thread, round) : 0;
		return result == -ESRCH ? end_thread(process, i, round) : result;
	}
	return 0;
}

/* What a process begins with is looked at soon: that costs more than its part once, not for each of its threads. */
static int look_at_new(struct stack_process *process, const struct stack_round *round, uint64_t began_ns)
{
	bool is_first = process->first_ns < FIRST_NS;
	uint64_t now_ns = clock_cpu_ns();
	int result = look_in_turn(process, round, STACK_NEW, is_first ? now_ns : began_ns,
				  is_first ? FIRST_ROUND_NS : round->budget_ns);

	process->first_ns += is_first ? clock_cpu_ns() - now_ns : 0;
	return result;
}

/* Threads that ran when they were last seen come first, in each round. */
static int look_at_threads(struct stack_process *process, const struct stack_round *round)
{
	uint64_t began_ns = clock_cpu_ns();
	int result = look_at_first(process, round);

	if (!result)
		result = look_in_turn(process, round, STACK_BUSY, began_ns, round->budget_ns);
	if (!result)
		result = look_at_new(process, round, began_ns);
	return result ? result : look_in_turn(process, round, STACK_QUIET, began_ns, round->budget_ns);
}

/* Threads that may do something else by now although none has run since. */
static bool is_any_awake(const struct stack_process *process)
{
	for (size_t i = 0; i < process->thread.n; i++) {
		const struct stack_thread *thread = stack_thread_at(process, i);

		if (is_busy(thread) || lacks_stack(process, thread))
			return true;
	}
	return false;
}

int stack_process_sample(struct stack_process *process, const struct stack_round *round)
{
	bool is_more = has_run(process, round), had_python = has_python(process);
	int result = 0;

	stack_program_find(process, round, is_more);
	is_more |= has_python(process) && !had_python; /* threads that sleep already have no stack so far */
	if (!is_more && !process->was_awake && process->thread.n)
		return put_pending(process, round);
	result = list_threads(process, round);
	process->is_short = false;
	if (!result)
		result = look_at_threads(process, round);
	process->was_awake = process->is_short || !process->n_links || is_any_awake(process);
	process->n_short += process->is_short && process->thread.n >= MANY ? 1 : process->n_short ? -1 : 0;
	return result || !round->is_last ? result : put_pending(process, round);
}

void stack_process_moment(struct stack_process *process, const struct stack_round *round, int32_t tid, bool has_ended)
{
	for (size_t i = 0; i < process->thread.n; i++) {
		struct stack_thread *thread = stack_thread_at(process, i);

		if (thread->tid == tid && has_ended)
			stack_native_unwatch(thread, round->shared);
		else if (thread->tid == tid)
			stack_native_take(process, thread, round, true);
	}
}

int stack_process_end(struct stack_process *process, const struct stack_round *round)
{
	int result = 0;

	while (!result && process->thread.n)
		result = end_thread(process, process->thread.n - 1, round);
	return result;
}

void stack_process_done(struct stack_process *process, struct stack_shared *shared)
{
	for (size_t i = 0; i < process->thread.n; i++)
		close_files(stack_thread_at(process, i), shared);
	array_done(&process->thread, sizeof(struct stack_thread));
	stack_python_done(&process->languages.python);
	stack_v8_done(&process->languages.v8);
	stack_java_done(&process->languages.java);
	stack_maps_done(&process->maps);
	freezer_close(&process->freezer);
	proc_file_close(&process->stat);
	*process = (struct stack_process){ 0 };
}

void stack_shared_done(struct stack_shared *shared)
{
	language_files_done(&shared->files);
	stack_sockets_done(&shared->sockets);
	stack_images_done(&shared->images);
}
