// SPDX-License-Identifier: Apache-2.0
/*
 * Moments are moved at random by up to a quarter of the time between them, so that they do not keep step with the
 * program. All processes together get a hundredth of the time. Texts and stacks of the sampler have numbers of its own;
 * those of the recording are found when samples are taken.
 */
#include "capture/stacks/stack_sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/tick.h"
#include "capture/stacks/stack_process.h"
#include "event/callstack.h"

/* SURE_*: a process that has just begun is another program for a moment, which may have other rights. */
enum {
	COST_PART = 100,
	LEAST_BUDGET_NS = 20000,
	MOST_CREDIT_NS = 500000,
	MOST_STEPS = 2,
	MOST_QUEUED = 1 << 18,
	SURE_FINDS = 2,
	SURE_ROUNDS = 10,
	MANY_SHORT = 20
};
enum { EVENTS = 16, MS_NS = 1000000, BUSY_STEPS = 2, CROWDED_PART = 16 };
#define PACE_NS UINT64_C(500000000)

struct queued {
	uint64_t time_ns;
	uint32_t track;
	struct event_sample sample;
};

struct followed {
	struct stack_followed is;
	struct stack_process process;
	unsigned n_refused; /* rounds in which its memory could not be read */
	bool is_there, is_said, is_told, is_turn_told, is_language_told;
};

/* What of a process cannot be read, and why. */
struct refused {
	uint32_t track;
	char what[64], why[96];
};

/* What the sampler's numbers are in the recording. */
struct meanings {
	struct array names, frames, stacks; /* uint32_t, by number */
};

struct stack_sampler {
	struct sink sink; /* of the sampler: queues */
	pthread_t thread;
	pthread_mutex_t lock;
	bool has_thread, is_ending;
	int end_fd;		    /* an eventfd: is_ending has changed */
	uint64_t last_ns;	    /* samples of later times are left out; 0: none is */
	uint64_t asked_ns, step_ns; /* between rounds: as asked for, and now */
	uint64_t tick_ns;	    /* rounds begin with the kernel's ticks, which are so far apart; 0: at any time */
	uint64_t paced_ns, random, n_lost; /* n_lost: since they were told */
	uint64_t round_ns, cpu_ns;	   /* the last round, and its own CPU time then; */
	int64_t credit_ns;		   /* what is left of its part of the time; below 0: owed */
	size_t turn;			   /* the process that comes first */
	uint32_t lost_track;
	uint64_t n_queued, n_taken; /* samples since the start */
	struct names *names;
	struct array queue;   /* struct queued */
	struct array process; /* struct followed */
	struct array refused; /* struct refused, to be told */
	struct stack_shared shared;
	struct meanings means;
};

static struct followed *process_at(const struct stack_sampler *sampler, size_t i)
{
	return (struct followed *)sampler->process.data + i;
}

/* The sampler's thread. */

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct stack_sampler *sampler = (struct stack_sampler *)sink;
	struct queued *queued = sampler->queue.n < MOST_QUEUED ? array_add(&sampler->queue, sizeof *queued) : NULL;

	sampler->n_queued += queued != NULL;
	if (queued)
		*queued = (struct queued){ event->time_ns, event->track, *event->sample };
	else if (++sampler->n_lost)
		sampler->lost_track = event->track;
	return 0;
}

static struct stack_round round_of(struct stack_sampler *sampler, const struct followed *followed, struct err *err)
{
	return (struct stack_round){
		.shared = &sampler->shared,
		.out = &sampler->sink,
		.pid = followed->is.pid,
		.track = followed->is.track,
		.program = followed->is.program,
		.now_ns = clock_ns(),
		.step_ns = sampler->step_ns,
		.budget_ns = LEAST_BUDGET_NS,
		.is_last = sampler->is_ending,
		.err = err,
	};
}

static void note(struct stack_sampler *sampler, const struct refused *refused)
{
	struct refused *to = array_add(&sampler->refused, sizeof *to);

	if (to)
		*to = *refused;
}

/* A program may forbid it at any moment: PR_SET_DUMPABLE. */
static void note_refusal(struct stack_sampler *sampler, struct followed *followed)
{
	const struct stack_python *python = &followed->process.languages.python;
	bool is_sure = followed->process.n_finds >= SURE_FINDS;
	bool is_refused = (is_sure && python->is_refused) || followed->n_refused >= SURE_ROUNDS;
	struct refused refused = { .track = followed->is.track };

	if (followed->is_said || (!is_refused && !(is_sure && python->is_there && *python->why)))
		return;
	followed->is_said = true;
	snprintf(refused.what, sizeof refused.what, "the stacks of process %d", (int)followed->is.pid);
	snprintf(refused.why, sizeof refused.why, "%s",
		 is_refused ? "the kernel does not permit it (ptrace)" : python->why);
	note(sampler, &refused);
}

/* A thread that runs has no stack of machine code then. */
static void note_moments(struct stack_sampler *sampler, struct followed *followed)
{
	struct stack_process *process = &followed->process;
	struct refused refused = { .track = followed->is.track };

	if (!process->moments_failed || followed->is_told || followed->is_said || process->languages.python.is_there ||
	    process->n_finds < SURE_FINDS)
		return;
	followed->is_told = true;
	snprintf(refused.what, sizeof refused.what, "stacks of process %d while its threads run",
		 (int)followed->is.pid);
	snprintf(refused.why, sizeof refused.why, "%s: perf_event_open(), see kernel.perf_event_paranoid",
		 strerror(-process->moments_failed));
	note(sampler, &refused);
}

/* Its threads have frames of machine code. */
static void note_language(struct stack_sampler *sampler, struct followed *followed)
{
	const struct stack_languages *languages = &followed->process.languages;
	const struct stack_v8 *v8 = &languages->v8;
	const struct stack_java *java = &languages->java;
	bool is_java_said = java->is_there && *java->why && !java->hotspot.is_unread;
	const char *why = v8->is_there && *v8->why ? v8->why : is_java_said ? java->why : NULL;
	struct refused refused = { .track = followed->is.track };

	if (followed->is_language_told || (!languages->other && !why) ||
	    (followed->process.n_finds < SURE_FINDS && !languages->python.is_there))
		return;
	followed->is_language_told = true;
	snprintf(refused.what, sizeof refused.what, "functions of %s in process %d",
		 !why		  ? languages->other
		 : why == v8->why ? "JavaScript"
				  : "Java",
		 (int)followed->is.pid);
	snprintf(refused.why, sizeof refused.why, "%s",
		 why ? why : "its threads have stacks of machine code, with names that a /tmp/perf-PID.map has");
	note(sampler, &refused);
}

/* Many threads: each is looked at less often. */
static void note_turns(struct stack_sampler *sampler, struct followed *followed)
{
	struct stack_process *process = &followed->process;
	struct refused refused = { .track = followed->is.track };

	if (followed->is_turn_told || process->n_short < MANY_SHORT)
		return;
	followed->is_turn_told = true;
	snprintf(refused.what, sizeof refused.what, "the %zu threads of process %d that often", process->thread.n,
		 (int)followed->is.pid);
	snprintf(refused.why, sizeof refused.why, "they are sampled in turn, for at most 1 %% of the time");
	note(sampler, &refused);
}

static void note_lost(struct stack_sampler *sampler)
{
	struct refused refused = { .track = sampler->lost_track, .why = "the recorder was too slow to take them" };

	if (!sampler->n_lost)
		return;
	snprintf(refused.what, sizeof refused.what, "%" PRIu64 " samples of threads", sampler->n_lost);
	sampler->n_lost = 0;
	note(sampler, &refused);
}

static void look_at_one(struct stack_sampler *sampler, struct followed *followed, int64_t budget_ns)
{
	struct err ignored;
	struct stack_round round = round_of(sampler, followed, &ignored);

	if (budget_ns > LEAST_BUDGET_NS)
		round.budget_ns = (uint64_t)budget_ns;
	sampler->shared.memory.is_refused = false;
	stack_process_sample(&followed->process, &round);
	followed->n_refused += sampler->shared.memory.is_refused;
	note_refusal(sampler, followed);
	note_moments(sampler, followed);
	note_turns(sampler, followed);
	note_language(sampler, followed);
}

/* Waking up, moments and texts count, too. What one long round has cost is not owed for ever. */
static void earn(struct stack_sampler *sampler)
{
	uint64_t now_ns = clock_ns(), cpu_ns = clock_cpu_ns();

	sampler->credit_ns += (int64_t)((now_ns - sampler->round_ns) / COST_PART) - (int64_t)(cpu_ns - sampler->cpu_ns);
	if (sampler->credit_ns > MOST_CREDIT_NS)
		sampler->credit_ns = MOST_CREDIT_NS;
	if (sampler->credit_ns < -MOST_CREDIT_NS)
		sampler->credit_ns = -MOST_CREDIT_NS;
	sampler->round_ns = now_ns;
	sampler->cpu_ns = cpu_ns;
}

/* All processes, as far as the time allows; the others come first in the next round. */
static void look_at_all(struct stack_sampler *sampler)
{
	size_t n = sampler->process.n;
	int64_t left_ns;

	earn(sampler);
	left_ns = sampler->credit_ns;
	for (size_t i = 0; i < n; i++) {
		struct followed *followed = process_at(sampler, (sampler->turn + i) % n);

		look_at_one(sampler, followed, left_ns / (int64_t)(n - i));
		if (!followed->process.was_awake || i + 1 == n)
			continue;
		left_ns = sampler->credit_ns - (int64_t)(clock_cpu_ns() - sampler->cpu_ns);
		if (left_ns < 0) {
			sampler->turn = (sampler->turn + i + 1) % n;
			return;
		}
	}
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* A thread that runs has reached a moment: it is looked at before it goes on. Whether its process is busy. */
static bool look_at_moment(struct stack_sampler *sampler, uint64_t who, bool has_ended)
{
	struct err ignored;
	bool is_busy = false;

	for (size_t i = 0; i < sampler->process.n; i++) {
		struct followed *followed = process_at(sampler, i);
		struct stack_round round;

		if ((uint32_t)followed->is.pid != who >> 32)
			continue;
		round = round_of(sampler, followed, &ignored);
		stack_process_moment(&followed->process, &round, (int32_t)(uint32_t)who, has_ended);
		is_busy |= round.now_ns - sampler->round_ns > sampler->step_ns / 4 * 3 &&
			   stack_process_is_busy(&followed->process, round.pid, round.now_ns);
	}
	return is_busy;
}

/*
 * Until then; moments of threads are looked at meanwhile. While a process is busy all the time, its moments are as good
 * as any other time: a round that is due soon begins with one, which saves to wake up once more.
 */
static void wait_until(struct stack_sampler *sampler, uint64_t due_ns)
{
	struct epoll_event events[EVENTS];
	uint64_t now_ns;
	bool is_due = false;

	while (!is_due && !sampler->is_ending && (now_ns = clock_ns()) < due_ns) {
		int n;

		pthread_mutex_unlock(&sampler->lock);
		n = epoll_wait(sampler->shared.wake_fd, events, EVENTS, (int)((due_ns - now_ns + MS_NS / 2) / MS_NS));
		pthread_mutex_lock(&sampler->lock);
		for (int i = 0; i < n; i++)
			if (events[i].data.u64)
				is_due |= look_at_moment(sampler, events[i].data.u64, events[i].events & EPOLLHUP);
		if (!n || (n < 0 && errno != EINTR))
			return;
	}
}

/* Where its threads hardly wait for CPUs, a program may keep step with ticks. */
static void set_ticks(struct stack_sampler *sampler, bool is_crowded)
{
	if (is_crowded == !sampler->tick_ns)
		tick_wait(is_crowded);
	sampler->tick_ns = is_crowded ? tick_ns() : 0;
}

/*
 * Each round ends a time slice of another thread, perhaps of the program: where its threads wait for CPUs longer than
 * they run, there are fewer rounds.
 */
static void set_pace(struct stack_sampler *sampler)
{
	struct stack_shared *shared = &sampler->shared;

	if (sampler->round_ns - sampler->paced_ns < PACE_NS)
		return;
	set_ticks(sampler, shared->waited_ns > shared->ran_ns / CROWDED_PART);
	sampler->step_ns = shared->waited_ns > shared->ran_ns ? BUSY_STEPS * sampler->asked_ns : sampler->asked_ns;
	sampler->paced_ns = sampler->round_ns;
	shared->ran_ns = shared->waited_ns = 0;
}

static uint64_t least(int64_t a, uint64_t b)
{
	return (uint64_t)a < b ? (uint64_t)a : b;
}

static void *work(void *data)
{
	struct stack_sampler *sampler = data;

	prctl(PR_SET_NAME, "inftrace-stacks");
	sampler->round_ns = clock_ns();
	pthread_mutex_lock(&sampler->lock);
	while (!sampler->is_ending) {
		uint64_t wait_ns =
		    sampler->step_ns * 3 / 4 + next_random(&sampler->random) % (sampler->step_ns / 2 + 1);

		if (sampler->credit_ns < 0)
			wait_ns += least(-sampler->credit_ns * COST_PART, MOST_STEPS * sampler->step_ns);
		wait_ns -= least((int64_t)sampler->tick_ns, sampler->step_ns) / 2;
		wait_until(sampler, clock_ns() + wait_ns);
		look_at_all(sampler);
		set_pace(sampler);
		stack_images_work(&sampler->shared.images, sampler->names, clock_ns());
	}
	stack_images_finish(&sampler->shared.images, sampler->names);
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

static void end_work(struct stack_sampler *sampler)
{
	uint64_t one = 1;

	pthread_mutex_lock(&sampler->lock);
	sampler->is_ending = true;
	if (write(sampler->end_fd, &one, sizeof one) != sizeof one)
		sampler->is_ending = true; /* it ends with its step */
	pthread_mutex_unlock(&sampler->lock);
	pthread_join(sampler->thread, NULL);
	sampler->has_thread = false;
}

/* The recorder's first thread. */

struct stack_sampler *stack_sampler_start(uint32_t hz, struct err *err)
{
	struct stack_sampler *sampler = calloc(1, sizeof *sampler);
	struct epoll_event event = { .events = EPOLLIN };
	sigset_t all, before;

	if (!sampler || !(sampler->names = names_new())) {
		free(sampler);
		err_no_memory(err, "cannot sample stacks");
		return NULL;
	}
	sampler->sink = (struct sink){ .put = put, .names = sampler->names };
	sampler->asked_ns = sampler->step_ns = 1000000000u / hz;
	sampler->random = clock_ns() | 1;
	pthread_mutex_init(&sampler->lock, NULL);
	sampler->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sampler->shared.wake_fd = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(sampler->shared.wake_fd, EPOLL_CTL_ADD, sampler->end_fd, &event);
	sigfillset(&all); /* signals are for the first thread */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	sampler->has_thread = !pthread_create(&sampler->thread, NULL, work, sampler);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (sampler->has_thread)
		return sampler;
	stack_sampler_stop(sampler);
	err_set(err, EAGAIN, "cannot sample stacks: no thread can be started");
	return NULL;
}

static void end_process(struct stack_sampler *sampler, size_t i)
{
	struct followed *followed = process_at(sampler, i);
	struct err ignored;
	struct stack_round round = round_of(sampler, followed, &ignored);

	stack_process_end(&followed->process, &round);
	stack_process_done(&followed->process, &sampler->shared);
	*followed = *process_at(sampler, --sampler->process.n);
}

static void find_or_add(struct stack_sampler *sampler, const struct stack_followed *is, size_t hint)
{
	struct followed *followed;

	for (size_t i = 0; i < sampler->process.n; i++) {
		followed = process_at(sampler, (hint + i) % sampler->process.n);
		if (followed->is.pid == is->pid && followed->is.start_ticks == is->start_ticks) {
			followed->is = *is;
			followed->is_there = true;
			return;
		}
	}
	followed = array_add(&sampler->process, sizeof *followed);
	if (followed)
		*followed = (struct followed){ .is = *is, .is_there = true };
}

bool stack_sampler_follow(struct stack_sampler *sampler, const struct stack_followed *processes, size_t n,
			  uint64_t *n_sampled)
{
	if (pthread_mutex_trylock(&sampler->lock))
		return false;
	for (size_t i = 0; i < sampler->process.n; i++)
		process_at(sampler, i)->is_there = false;
	for (size_t i = 0; i < n; i++)
		find_or_add(sampler, &processes[i], i);
	for (size_t i = sampler->process.n; i-- > 0;)
		if (!process_at(sampler, i)->is_there)
			end_process(sampler, i);
	*n_sampled = sampler->n_queued;
	pthread_mutex_unlock(&sampler->lock);
	return true;
}

static uint32_t *meaning(struct array *of, uint32_t number)
{
	static uint32_t none;

	while (of->n <= number)
		if (!array_add(of, sizeof(uint32_t))) {
			none = 0;
			return &none;
		}
	return (uint32_t *)of->data + number;
}

static uint32_t name_of(struct stack_sampler *sampler, struct names *names, uint32_t id)
{
	uint32_t *means = meaning(&sampler->means.names, id);

	if (id && !*means)
		*means = names_intern(names, names_text(sampler->names, id), names_len(sampler->names, id));
	return *means;
}

static uint32_t frame_of(struct stack_sampler *sampler, struct names *names, uint32_t number)
{
	const struct frame *own = callstacks_frame_of(names_callstacks(sampler->names), number);
	uint32_t *means = meaning(&sampler->means.frames, number);
	struct frame frame;

	if (!own || *means)
		return *means;
	frame = *own;
	frame.function = name_of(sampler, names, own->function);
	frame.file = name_of(sampler, names, own->file);
	frame.module = name_of(sampler, names, own->module);
	frame.build = name_of(sampler, names, own->build);
	return *means = callstacks_frame(names_callstacks(names), &frame);
}

/* The start of a program and of its threads, outside of its own functions. */
static bool is_start(const struct names *names, const struct frame *frame, bool is_libc)
{
	static const char *const starts[] = {
		"_start",  "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3",
		"__clone", "thread_start"
	};
	const char *function = names_text(names, frame->function);

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(function, starts[i], strlen(starts[i])))
			return true;
	return is_libc && !*function;
}

/* Nothing that matters is missing outside of main. */
static bool is_cut_at_main(const struct names *own, uint32_t number, const struct names *names, uint32_t stack)
{
	const struct callstack *caller = callstacks_get(names_callstacks(names), stack);
	const struct frame *frame = callstacks_frame_of(names_callstacks(own), number);

	return caller && !caller->caller &&
	       callstacks_frame_of(names_callstacks(names), caller->frame)->kind == FRAME_CUT &&
	       !strcmp(names_text(own, frame->function), "main");
}

/* The stack with the frames of an address. */
static uint32_t push_code(struct stack_sampler *sampler, struct names *names, uint32_t stack,
			  const struct stack_code *code)
{
	const struct stack_images *images = &sampler->shared.images;
	const struct stack_image *image = stack_image_at(images, code->image);

	for (uint32_t i = code->n; i-- > 0;) {
		uint32_t number = ((const uint32_t *)images->frame.data)[code->begin + i];

		if (is_cut_at_main(sampler->names, number, names, stack))
			stack = 0;
		if (stack || !is_start(sampler->names, callstacks_frame_of(names_callstacks(sampler->names), number),
				       image && image->is_libc))
			stack = callstacks_push(names_callstacks(names), stack, frame_of(sampler, names, number));
	}
	return stack;
}

/* A caller has a lower number than what it calls. Ends at a stack of which a place is not known yet. */
static void translate_stacks(struct stack_sampler *sampler, struct names *names)
{
	const struct callstacks *own = names_callstacks(sampler->names);
	struct array *means = &sampler->means.stacks;

	*meaning(means, 0) = 0;
	for (uint32_t i = (uint32_t)means->n; i <= callstacks_n(own); i++) {
		const struct callstack *stack = callstacks_get(own, i);
		const struct frame *frame = callstacks_frame_of(own, stack->frame);
		const struct stack_code *code =
		    frame->kind == FRAME_CODE ? stack_image_code(&sampler->shared.images, frame->offset) : NULL;
		uint32_t caller = *meaning(means, stack->caller);

		if (code && !code->is_answered)
			return;
		*meaning(means, i) =
		    code ? push_code(sampler, names, caller, code)
			 : callstacks_push(names_callstacks(names), caller, frame_of(sampler, names, stack->frame));
	}
}

static bool is_translated(const struct stack_sampler *sampler, const struct queued *queued)
{
	return queued->sample.stack < sampler->means.stacks.n && queued->sample.holder_stack < sampler->means.stacks.n;
}

static int pass_on(struct stack_sampler *sampler, const struct queued *queued, struct sink *out, struct err *err)
{
	struct event_sample sample = queued->sample;
	struct event event = {
		.type = EVENT_SAMPLE, .track = queued->track, .time_ns = queued->time_ns, .sample = &sample
	};

	sample.thread_name = name_of(sampler, out->names, sample.thread_name);
	sample.call = name_of(sampler, out->names, sample.call);
	sample.object = name_of(sampler, out->names, sample.object);
	sample.stack = *meaning(&sampler->means.stacks, sample.stack);
	sample.holder_stack = *meaning(&sampler->means.stacks, sample.holder_stack);
	return sink_put(out, &event, err);
}

/* On a line of its own: other events of the process may be earlier. */
static int tell_refusal(const struct refused *refused, struct sink *out, struct err *err)
{
	struct track_def def = { .type = TRACK_LANE, .parent = refused->track };
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(out), .time_ns = clock_ns(), .def = &def };
	struct arg args[2];
	int result;

	def.name = names_of(out->names, "unreadable");
	result = sink_put(out, &event, err);
	args[0] = arg_text(KEY_PATH, out, refused->what);
	args[1] = arg_text(KEY_TEXT, out, refused->why);
	event = (struct event){ .type = EVENT_INSTANT,
				.kind = KIND_NOTE,
				.track = event.track,
				.name = names_of(out->names, EVENT_NOTE_UNREADABLE),
				.time_ns = event.time_ns,
				.args = args,
				.n_args = 2 };
	return result ? result : sink_put(out, &event, err);
}

int stack_sampler_take(struct stack_sampler *sampler, struct sink *out, bool is_last, struct err *err)
{
	const struct queued *queued;
	size_t n = 0;
	int result = 0;

	if (is_last && sampler->has_thread)
		end_work(sampler);
	if (is_last)
		pthread_mutex_lock(&sampler->lock);
	else if (pthread_mutex_trylock(&sampler->lock))
		return 0;
	translate_stacks(sampler, out->names);
	queued = sampler->queue.data;
	for (; n < sampler->queue.n && !result && is_translated(sampler, &queued[n]); n++)
		if (!sampler->last_ns || queued[n].time_ns <= sampler->last_ns)
			result = pass_on(sampler, &queued[n], out, err);
	memmove(sampler->queue.data, queued + n, (sampler->queue.n - n) * sizeof *queued);
	sampler->queue.n -= n;
	sampler->n_taken += n;
	note_lost(sampler);
	for (size_t i = 0; i < sampler->refused.n && !result; i++)
		result = tell_refusal((const struct refused *)sampler->refused.data + i, out, err);
	sampler->refused.n = 0;
	pthread_mutex_unlock(&sampler->lock);
	return result;
}

uint64_t stack_sampler_taken(const struct stack_sampler *sampler)
{
	return sampler->n_taken;
}

void stack_sampler_end_at(struct stack_sampler *sampler, uint64_t time_ns)
{
	pthread_mutex_lock(&sampler->lock);
	sampler->last_ns = time_ns;
	pthread_mutex_unlock(&sampler->lock);
}

void stack_sampler_stop(struct stack_sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->has_thread)
		end_work(sampler);
	for (size_t i = 0; i < sampler->process.n; i++)
		stack_process_done(&process_at(sampler, i)->process, &sampler->shared);
	array_done(&sampler->process, sizeof(struct followed));
	array_done(&sampler->queue, sizeof(struct queued));
	array_done(&sampler->refused, sizeof(struct refused));
	array_done(&sampler->means.names, sizeof(uint32_t));
	array_done(&sampler->means.frames, sizeof(uint32_t));
	array_done(&sampler->means.stacks, sizeof(uint32_t));
	stack_shared_done(&sampler->shared);
	names_free(sampler->names);
	close(sampler->shared.wake_fd);
	close(sampler->end_fd);
	pthread_mutex_destroy(&sampler->lock);
	free(sampler);
}
