// SPDX-License-Identifier: Apache-2.0
/*
 * What a thread used during an inference.
 *
 * One system call returns page faults, context switches and CPU time. The kernel brings that CPU time up to date at its
 * ticks and when the thread is switched out. CLOCK_THREAD_CPUTIME_ID would be exact, but reading it ends the thread's
 * time slice: on a busy machine each reading then moved the next loss of the CPU to the end of an inference, whose
 * median rose from 1.3 to 3.9 ms. A thread that did not sleep has run for all the time that it did not wait, which the
 * recorder works out.
 *
 * The time a thread waited for a CPU stands in a file, which costs ten times as much to read. It changes only when the
 * thread is switched out: as long as the number of switches is the same, so is the wait. The thread keeps the last wait
 * it read, and the number of switches then.
 *
 * The thread may lose its CPU on the way back from these calls. At the begin of an inference the loss is taken off the
 * wait that was read after it; at the end all is read again, and the inference lasts until then.
 *
 * Levels below detail read only what is free. Inferences vote in their session: one that took USAGE_SHARE times what
 * the two readings cost votes for them, a shorter one against. A steady session writes nothing, so that threads that
 * run it side by side do not share a cache line that changes. The file is paid from a thread's own savings, a
 * USAGE_SHARE-th of the time of its inferences; without them the wait of a switched inference stays unknown.
 *
 * Inferences that are too short for that are read as far as the savings last: at the begin of every few of them (the
 * thread's mark), and at the end of one that turns out slow. Its usage since the mark is told if the mark lies close
 * before it. Of the others, every SAMPLE-th with a mark is told, chosen before its time was known. A thread that was
 * only switched out against its will may read the file at a mark without savings, as often as it is free. If it did
 * not, it has waited for a CPU whenever it did not run, give or take a tick.
 */
#include "capture/agent/usage.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "base/syscalls.h"
#include "capture/agent/session.h"

enum { VOTES = 8, TRIALS = 4, SAVINGS = 64, SAMPLE = 64, SLOW = 2, USUAL_OF = 16 };
/* Readings that take so many times what they cost have lost the CPU; how often they are tried again. */
enum { LOST = 16, TRIES = 3 };
/* Readings of a wait that a mark leaves in the savings. */
enum { MARK_LEAVES = 4 };

/* Ticks that one reading of the system calls, and one of the file, costs; set before the first inference is seen. */
static uint64_t cost, wait_cost;

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static bool read_basics(struct usage *usage)
{
	struct rusage all;

	if (CALL(SYS_getrusage, RUSAGE_THREAD, (long)&all))
		return false;
	usage->faults = (uint64_t)(all.ru_minflt + all.ru_majflt);
	usage->major = (uint64_t)all.ru_majflt;
	usage->blocks = (uint64_t)all.ru_inblock;
	usage->sleeps = (uint64_t)all.ru_nvcsw;
	usage->switches = usage->sleeps + (uint64_t)all.ru_nivcsw;
	usage->cpu_ns = ns_of(all.ru_utime) + ns_of(all.ru_stime);
	return true;
}

/* No system call returns the wait: it is the second number of this file. at_ns: CLOCK_MONOTONIC when it was that. */
static bool read_wait(uint64_t *wait_ns, uint64_t *at_ns)
{
	char text[96];
	ssize_t n = 0;
	int fd;

	call_begin();
	fd = call_open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0);
	*at_ns = clock_ns();
	if (fd >= 0) {
		n = call_read(fd, text, sizeof text - 1);
		call_close(fd);
	}
	call_end();
	const char *at = text, *end = text + (n > 0 ? n : 0);
	while (at < end && *at != ' ')
		at++;
	*wait_ns = 0;
	for (at++; at < end && *at >= '0' && *at <= '9'; at++)
		*wait_ns = *wait_ns * 10 + (uint64_t)(*at - '0');
	return n > 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a && a < b ? a : b;
}

/* The least of several, because what interrupts one of them is no cost. */
void usage_measure(void)
{
	uint64_t basics = cost, file = wait_cost, wait_ns, at_ns;
	struct usage usage;
	int saved = errno;

	for (int i = 0; i < TRIALS && !cost; i++) {
		uint64_t start = agent_now(), between;

		read_basics(&usage);
		between = agent_now();
		read_wait(&wait_ns, &at_ns);
		basics = least(basics, between - start);
		file = least(file, agent_now() - between);
	}
	__atomic_store_n(&wait_cost, file + !file, __ATOMIC_RELAXED);
	__atomic_store_n(&cost, basics + !basics, __ATOMIC_RELAXED);
	agent.segment->usage_ticks = basics + !basics;
	errno = saved;
}

/* Whether the thread can pay, and has `rest` left then; pays. */
static bool pay(struct thread *thread, const uint64_t *price_, uint64_t rest)
{
	uint64_t price = __atomic_load_n(price_, __ATOMIC_RELAXED);

	if (hot->level == LEVEL_DETAIL)
		return true;
	if (thread->wait.savings < price + rest)
		return false;
	thread->wait.savings -= price;
	return true;
}

/* A thread that did not sleep lost its CPU to others, for milliseconds: once in a while that pays for the reading. */
static bool lost_the_cpu(struct thread *thread, const struct usage *usage)
{
	uint64_t now = agent_now(), price = __atomic_load_n(&wait_cost, __ATOMIC_RELAXED);

	if (thread->wait.sleeps != usage->sleeps || now - thread->wait.given_at < USAGE_SHARE * price)
		return false;
	thread->wait.given_at = now;
	return true;
}

/* at_ns: when it was read; else it is left as it is. */
static void read_wait_of(struct thread *thread, struct usage *usage, uint64_t rest, uint64_t *at_ns)
{
	if (!thread->wait.is_known || thread->wait.switches != usage->switches) {
		thread->wait.is_known = (pay(thread, &wait_cost, rest) || lost_the_cpu(thread, usage)) &&
					read_wait(&thread->wait.ns, at_ns);
		thread->wait.switches = usage->switches;
	}
	thread->wait.sleeps = usage->sleeps;
	usage->has_wait = thread->wait.is_known;
	usage->wait_ns = thread->wait.ns;
}

uint64_t usage_lost_ticks(void)
{
	return LOST * (__atomic_load_n(&cost, __ATOMIC_RELAXED) + __atomic_load_n(&wait_cost, __ATOMIC_RELAXED));
}

/* What an inference is compared with. A wait since `begun` belongs to the inference, although it was read after it. */
static void read_first(struct thread *thread, struct usage *usage, uint64_t rest)
{
	uint64_t begun = agent_now(), begun_ns = clock_ns(), read_ns = begun_ns;

	usage->is_known = read_basics(usage);
	if (!usage->is_known)
		return;
	read_wait_of(thread, usage, rest, &read_ns);
	if (usage->has_wait && agent_now() - begun > usage_lost_ticks())
		usage->wait_ns -= usage->wait_ns < read_ns - begun_ns ? usage->wait_ns : read_ns - begun_ns;
}

/* A new session's first inference is read, because it is slower than the others. */
static bool is_free(const struct session *session)
{
	return __atomic_load_n(&session->too_short, __ATOMIC_RELAXED) <= 0;
}

static void put_mark(struct thread *thread, struct open_run *run)
{
	struct usage_mark *mark = &thread->mark;
	uint64_t price = __atomic_load_n(&cost, __ATOMIC_RELAXED), least_apart = USAGE_SHARE * 4 * price;

	/* one after the other they would use up what a long inference left, and then lie far apart */
	if (mark->last_end < mark->at + least_apart || !pay(thread, &cost, price))
		return;
	mark->at = agent_now();
	/* what a slow inference reads then must be paid, too */
	read_first(thread, &mark->usage, MARK_LEAVES * __atomic_load_n(&wait_cost, __ATOMIC_RELAXED));
	if (mark->usage.is_known && ++mark->n % SAMPLE == 0)
		run->usage = mark->usage;
}

void usage_begin(struct thread *thread, struct open_run *run)
{
	int saved = errno;

	if (run->was_asked || (!run->session && hot->level != LEVEL_DETAIL))
		return;
	run->was_asked = true;
	if (hot->level != LEVEL_DETAIL && !is_free(run->session)) {
		put_mark(thread, run);
		errno = saved;
		return;
	}
	read_first(thread, &run->usage, 0);
	errno = saved;
}

static void vote(struct thread *thread, struct session *session, uint64_t took)
{
	uint64_t most = SAVINGS * __atomic_load_n(&wait_cost, __ATOMIC_RELAXED);
	int8_t votes = __atomic_load_n(&session->too_short, __ATOMIC_RELAXED);
	bool is_short = took < USAGE_SHARE * 2 * __atomic_load_n(&cost, __ATOMIC_RELAXED);

	thread->wait.savings += took / USAGE_SHARE;
	if (thread->wait.savings > most)
		thread->wait.savings = most;
	if (is_short ? votes < VOTES : votes > -VOTES)
		__atomic_store_n(&session->too_short, (int8_t)(is_short ? votes + 1 : votes - 1), __ATOMIC_RELAXED);
}

/* Most inferences read nothing, and get no record of it. */
static void tell_reads(struct thread *thread, const struct open_run *run, const struct usage *from,
		       const struct usage *to)
{
	uint64_t major = to->major - from->major, blocks = to->blocks - from->blocks;
	struct record *record = major || blocks ? agent_claim(thread) : NULL;

	if (!record)
		return;
	*record =
	    (struct record){ .value = blocks * 512, .id = (uint32_t)major, .run = run->run, .type = RECORD_RUN_READS };
	agent_publish(thread);
}

/* Readings are paid by the inference, as far as its caller sees. A thread that loses the CPU reads again. Returns when
 * it had read. */
static uint64_t read_last(struct thread *thread, const struct usage *from, struct usage *to, uint64_t end)
{
	uint64_t now, read_ns;
	bool is_lost;

	for (int i = 0; i < TRIES; i++) {
		to->is_known = read_basics(to);
		if (!to->is_known)
			return end;
		/* a thread that was never switched has not waited, whatever the sum was */
		to->has_wait = to->switches == from->switches;
		to->wait_ns = from->wait_ns;
		if (!to->has_wait && from->has_wait)
			read_wait_of(thread, to, 0, &read_ns);
		now = agent_now();
		is_lost = now - end > usage_lost_ticks();
		end = now;
		if (!is_lost)
			break;
	}
	return end;
}

/*
 * from: the reading at the begin of what is told. before: how long that is before the run, in 65,536ths of its time; 0
 * unless flags say that it is a slow one.
 */
static void tell(struct thread *thread, const struct open_run *run, const struct usage *from, uint64_t end,
		 uint8_t flags, uint32_t before)
{
	uint32_t switches;
	struct usage to = { 0 };
	struct record *record;
	uint64_t last = read_last(thread, from, &to, end);

	if (!to.is_known)
		return;
	if (to.sleeps == from->sleeps)
		flags |= FLAG_AWAKE;
	if (!to.has_wait && flags & FLAG_AWAKE && (flags & FLAG_OF_SLOW || last - end > usage_lost_ticks()))
		flags |= FLAG_PREEMPTED;
	switches = (uint32_t)(to.switches - from->switches);
	if (flags & FLAG_OF_SLOW)
		switches = (switches < UINT16_MAX ? switches : UINT16_MAX) | before << 16;
	record = agent_claim(thread);
	if (!record)
		return;
	*record = (struct record){ .time = to.cpu_ns - from->cpu_ns,
				   .value = to.has_wait ? to.wait_ns - from->wait_ns : 0,
				   .id = (uint32_t)(to.faults - from->faults),
				   .text = switches,
				   .run = run->run,
				   .type = RECORD_RUN_USAGE,
				   .flags = to.has_wait ? flags : flags | FLAG_NO_WAIT };
	agent_publish(thread);
	tell_reads(thread, run, from, &to);
}

/* A slow inference of a session whose inferences are too short; the mark is at most a quarter of its time before it. */
static void tell_slow(struct thread *thread, struct open_run *run, uint64_t end)
{
	struct usage_mark *mark = &thread->mark;
	uint64_t took = end - run->start, usual = mark->usual;
	uint64_t counts = took < usual * 4 || !usual ? took : usual * 4;
	uint64_t before = run->start > mark->at ? run->start - mark->at : 0;
	uint64_t after = mark->at > run->start ? mark->at - run->start : 0; /* that of a run inside, if it is long */

	mark->last_end = end;
	mark->usual = usual ? usual - usual / USUAL_OF + counts / USUAL_OF : took;
	if (!usual || took < SLOW * usual || !mark->usage.is_known || before + after > took / 4)
		return;
	if (pay(thread, &cost, 0))
		tell(thread, run, &mark->usage, end, FLAG_OF_SLOW, (uint32_t)(before * 65536 / took));
}

void usage_end(struct thread *thread, struct open_run *run, uint64_t end)
{
	int saved = errno;

	if (run->session && hot->level != LEVEL_DETAIL)
		vote(thread, run->session, end - run->start);
	if (run->usage.is_known)
		tell(thread, run, &run->usage, end, 0, 0);
	else if (run->session && hot->level != LEVEL_DETAIL)
		tell_slow(thread, run, end);
	errno = saved;
}

uint64_t usage_waited(struct usage_clock *clock)
{
	struct usage_clock before = *clock;
	int saved = errno;
	struct usage usage;
	uint64_t at_ns;

	if (!read_basics(&usage)) {
		clock->is_known = false;
	} else if (!before.is_known || before.switches != usage.switches) {
		clock->switches = usage.switches;
		clock->is_known = read_wait(&clock->ns, &at_ns);
	}
	errno = saved;
	return before.is_known && clock->is_known ? clock->ns - before.ns : 0;
}

void usage_hand_on(struct thread *thread, const struct usage_clock *clock)
{
	if (!clock->is_known)
		return;
	thread->wait.is_known = true;
	thread->wait.ns = clock->ns;
	thread->wait.switches = clock->switches;
	thread->wait.savings += 2 * __atomic_load_n(&wait_cost, __ATOMIC_RELAXED);
}
