// SPDX-License-Identifier: Apache-2.0
/*
 * For each mapping: a file that is known not to be a runtime is passed over at once; one that was never seen is looked
 * at, its thread held meanwhile; a runtime's thread stays held until it is let go. Everything is bounded: threads that
 * are held, for how long, files that are remembered.
 * What touches files may never return: next_reader.c does it, and who is held goes on in time all the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/probe/next/next.h"
#include "capture/probe/next/next_in.h"
#include "capture/proc/modules.h"

enum { N_KNOWN = 4096, BUSY_ROUNDS = 60, QUIET_ROUNDS = 10 };
static const uint64_t stretch_ns = 250000000;
/* A file may become another one by being overwritten: the longer it stays as it is, the later it is asked again. */
static const uint64_t least_trust_ns = 1000000000, most_trust_ns = 60000000000;
static const int64_t largest_file = 256 << 20; /* larger ones take too long to look at with a program held */

/* A file that is to be looked at. */
struct pending {
	struct pending *next;
	int fd;
	struct next_mapping mapping;
};

/* What was found out about a file: at first, and a moment ago. */
struct known {
	uint64_t inode, generation, since_ns, time_ns;
	uint32_t major, minor;
	enum modules_verdict verdict;
};

/* What may never return: only next_reader.c's threads do it. */
struct job {
	struct next_mapping mapping;
	struct modules_seen *seen;
	struct modules_looking *looking; /* NULL: not begun */
	int fd, look_fd;
	int64_t size;
	bool is_known, has_more;
	enum modules_verdict verdict;
	uint64_t address; /* where the thread is; 0: not known */
	bool is_loading;
};

/*
 * Where files are mapped all the time, as while something is built, waking up for each of them costs more than looking
 * at it: who spares the machine looks at them together.
 */
struct pace {
	bool spares, pauses;
	uint64_t since_ns; /* the begin of the stretch in which busy rounds are counted */
	unsigned n_busy;
};

struct watch {
	struct pace pace;
	struct next_events *events;
	int socket, children;
	pid_t parent, self;
	struct job *job; /* left to a thread that does not come back, with all that it leads to */
	struct known known[N_KNOWN];
	struct next_helds helds;
	uint64_t n_lost; /* that were told of */
	struct pending *first, **last;
};

/* Before everybody else: what it does is short. Without the right it is slower. */
static void be_prompt(void)
{
	struct sched_param first = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &first);
}

static void tell_loss(struct watch *watch, uint64_t n_lost)
{
	struct next_found found = { .mapped_ns = n_lost };

	if (n_lost != watch->n_lost && send(watch->socket, &found, sizeof found, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		watch->n_lost = n_lost;
}

static struct next_held *hold(struct watch *watch, const struct next_mapping *mapping)
{
	struct next_held *held = next_held_begin(&watch->helds, mapping);

	if (!held)
		watch->events->n_lost++;
	return held;
}

static struct known *known_place(struct watch *watch, const struct next_mapping *mapping)
{
	uint64_t mixed = (mapping->inode ^ (uint64_t)mapping->minor << 40) * 0x9e3779b97f4a7c15u;

	return &watch->known[mixed >> 52];
}

static bool is_same(const struct known *known, const struct next_mapping *mapping)
{
	return known->inode == mapping->inode && known->generation == mapping->generation &&
	       known->major == mapping->major && known->minor == mapping->minor;
}

static void remember(struct watch *watch, const struct next_mapping *mapping, enum modules_verdict verdict)
{
	struct known *known = known_place(watch, mapping);
	uint64_t now_ns = clock_ns(), since_ns = now_ns;

	if (is_same(known, mapping) && known->verdict == verdict)
		since_ns = known->since_ns;
	*known = (struct known){ .inode = mapping->inode,
				 .generation = mapping->generation,
				 .since_ns = since_ns,
				 .time_ns = now_ns,
				 .major = mapping->major,
				 .minor = mapping->minor,
				 .verdict = verdict };
}

static bool is_trusted(const struct known *known, uint64_t time_ns)
{
	uint64_t trust_ns = (known->time_ns - known->since_ns) / 2;

	if (trust_ns < least_trust_ns)
		trust_ns = least_trust_ns;
	return time_ns < known->time_ns + (trust_ns < most_trust_ns ? trust_ns : most_trust_ns);
}

static void release_due(void *ctx)
{
	struct watch *watch = ctx;

	next_held_expire(&watch->helds);
}

static bool new_job(struct watch *watch)
{
	watch->job = calloc(1, sizeof *watch->job);
	if (watch->job)
		watch->job->seen = calloc(1, sizeof *watch->job->seen);
	return watch->job && watch->job->seen;
}

/* False: it takes too long, and was given up. What it was about is counted as lost. */
static bool do_job(struct watch *watch, void (*work)(void *))
{
	if ((watch->job && watch->job->seen) || new_job(watch)) {
		if (next_reader_do(work, watch->job, release_due, watch))
			return true;
		watch->job = NULL;
	}
	watch->events->n_lost++;
	return false;
}

static void open_file(void *ctx)
{
	struct job *job = ctx;
	const struct next_mapping *mapping = &job->mapping;
	struct module module = {
		(char *)(uintptr_t)mapping->path, mapping->major,  mapping->minor, mapping->inode, mapping->start,
		mapping->start + mapping->size,	  mapping->offset, false
	};
	struct stat stat_;
	struct err err;

	job->fd = modules_open(mapping->pid, &module, &err);
	if (job->fd < 0)
		return;
	job->size = fstat(job->fd, &stat_) ? INT64_MAX : stat_.st_size;
	job->is_known = modules_is_known(job->seen, job->fd, &job->verdict);
	if (job->is_known)
		close(job->fd);
}

/* A little at a time. Several mappings may wait for the same file. */
static void look_at_file(void *ctx)
{
	struct job *job = ctx;

	job->has_more = false;
	if (!job->looking && !modules_is_known(job->seen, job->look_fd, &job->verdict))
		job->looking = modules_look_begin(job->seen, job->look_fd);
	if (job->looking && modules_look_on(job->looking)) {
		job->has_more = true;
		return;
	}
	if (job->looking)
		job->verdict = modules_look_end(job->looking);
	job->looking = NULL;
	close(job->look_fd);
}

static void find_loader(void *ctx)
{
	struct job *job = ctx;

	job->is_loading = next_hold_is_in_loader(job->mapping.pid, job->address) || next_is_loading(&job->mapping);
}

/* Whether a thread that stands still at this address (0: not known) is not done with loading what it is held for. */
static bool is_loading(struct watch *watch, const struct next_held *held, uint64_t address)
{
	if (!watch->job && !new_job(watch))
		return false;
	watch->job->mapping = held->mapping;
	watch->job->address = address;
	return do_job(watch, find_loader) && watch->job->is_loading;
}

/* It was held for another file first, and stands still: that may be early enough for the runtime. */
static void judge_again(struct watch *watch, struct next_held *held)
{
	const pid_t tid = held->found.tid;
	bool is_early = held->is_stopped && held->found.hold == NEXT_LATE && is_loading(watch, held, 0);

	held = next_held_find(&watch->helds, tid); /* it may have been let go meanwhile */
	if (held && is_early)
		held->found.hold = NEXT_EARLY;
}

/* What is known of the file of a mapping: it is asked for, its thread held, or passed over. */
static void settle(struct watch *watch, const struct next_mapping *mapping, enum modules_verdict verdict)
{
	struct next_held *held =
	    verdict == MODULES_OTHER ? next_held_find(&watch->helds, mapping->tid) : hold(watch, mapping);

	remember(watch, mapping, verdict);
	if (!held)
		return;
	if (verdict == MODULES_OTHER) {
		if (!held->is_wanted && !held->n_pending)
			next_held_release(&watch->helds, held);
		return;
	}
	if (held->is_wanted)
		return; /* a second copy, which is mapped by now: they are armed together */
	held->is_wanted = true;
	held->mapping = *mapping;
	memcpy(held->found.path, mapping->path, sizeof held->found.path - 1);
	judge_again(watch, held);
}

/* Puts the file where it waits to be looked at; its thread is held so long. */
static void postpone(struct watch *watch, const struct next_mapping *mapping, int fd, int64_t size)
{
	struct pending *pending = malloc(sizeof *pending);
	struct next_held *held;

	if (!pending) {
		close(fd);
		watch->events->n_lost++;
		return;
	}
	held = size <= largest_file ? hold(watch, mapping) : next_held_find(&watch->helds, mapping->tid);
	if (held)
		held->n_pending++;
	pending->next = NULL;
	pending->fd = fd;
	pending->mapping = *mapping;
	*watch->last = pending;
	watch->last = &pending->next;
}

static void take_mapping(struct watch *watch, const struct next_mapping *mapping)
{
	const struct known *known = known_place(watch, mapping);

	if (mapping->pid == watch->parent || mapping->pid == watch->self)
		return;
	if (is_same(known, mapping) && is_trusted(known, mapping->time_ns)) {
		if (known->verdict != MODULES_OTHER)
			settle(watch, mapping, known->verdict);
		return;
	}
	if (!watch->job && !new_job(watch))
		return;
	watch->job->mapping = *mapping;
	if (!do_job(watch, open_file)) {
		remember(watch, mapping, MODULES_OTHER);
		return;
	}
	if (watch->job->fd == -EMFILE || watch->job->fd == -ENFILE)
		watch->events->n_lost++;
	if (watch->job->fd < 0)
		return;
	if (watch->job->is_known)
		settle(watch, mapping, watch->job->verdict);
	else
		postpone(watch, mapping, watch->job->fd, watch->job->size);
}

/* Looks on at the first of the files that wait, a little at a time: others may want to be held meanwhile. */
static void look_on(struct watch *watch)
{
	struct pending *pending = watch->first;
	enum modules_verdict verdict = MODULES_OTHER;
	struct next_held *held;

	if (!watch->job && !new_job(watch))
		return;
	watch->job->look_fd = pending->fd;
	if (do_job(watch, look_at_file)) {
		if (watch->job->has_more)
			return;
		verdict = watch->job->verdict;
	}
	held = next_held_find(&watch->helds, pending->mapping.tid);
	if (held && held->n_pending)
		held->n_pending--;
	watch->first = pending->next;
	if (!watch->first)
		watch->last = &watch->first;
	settle(watch, &pending->mapping, verdict);
	free(pending);
}

/* A thread has stopped, before it could come to what it has mapped? */
static bool is_early(struct watch *watch, const struct next_held *held)
{
	uint64_t address;

	return next_hold_is_early(held->found.tid, &address) || (address && is_loading(watch, held, address));
}

/* Threads that have stopped, or ended, since the last look. */
static void take_stops(struct watch *watch)
{
	struct signalfd_siginfo told;
	int status;
	bool early;
	pid_t tid;

	while (read(watch->children, &told, sizeof told) > 0)
		;
	while ((tid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		struct next_held *held = next_held_find(&watch->helds, tid);
		/* under a number that we do not know: nobody would let it go */
		if (!held && WIFSTOPPED(status))
			next_hold_end(tid, status);
		if (!held)
			continue;
		if (!WIFSTOPPED(status)) {
			next_held_drop(&watch->helds, held);
			continue;
		}
		held->status = status;
		held->is_stopped = true;
		held->found.held_ns = clock_ns();
		early = is_early(watch, held);
		held = next_held_find(&watch->helds, tid); /* it may have been let go meanwhile */
		if (!held)
			continue;
		held->found.hold = early ? NEXT_EARLY : NEXT_LATE;
		if (held->is_released)
			next_held_release(&watch->helds, held);
	}
}

/* What the parent wants let go; false: it is gone. */
static bool take_releases(struct watch *watch)
{
	pid_t pid;

	for (;;) {
		ssize_t got = recv(watch->socket, &pid, sizeof pid, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (got != sizeof pid)
			return false;
		for (size_t i = watch->helds.n; i-- > 0;)
			if (watch->helds.held[i]->found.pid == pid && watch->helds.held[i]->is_told)
				next_held_release(&watch->helds, watch->helds.held[i]);
	}
}

/* Nothing but the socket stays open: probes and files that the parent closes are to be closed. */
static void close_others(struct watch *watch)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(watch->socket, 3);
	for (int fd = 0; fd < 3; fd++)
		dup2(nothing, fd);
	syscall(SYS_close_range, 4, ~0u, 0);
	watch->socket = 3;
}

/* Signals of the terminal are meant for the parent; with it this process ends. */
static void prepare(struct watch *watch)
{
	sigset_t children;

	close_others(watch);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != watch->parent)
		_exit(0);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_SETMASK, &children, NULL);
	prctl(PR_SET_NAME, NEXT_HOLD_NAME);
	be_prompt();
	watch->children = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Tells the parent whether watching has begun. */
static bool begin(struct watch *watch, struct next_events *events)
{
	struct err err = { 0 };

	next_events_open(events, &err);
	watch->events = events;
	return send(watch->socket, &err, sizeof err, MSG_NOSIGNAL) == sizeof err && !err.code;
}

struct work {
	bool releases, stops;
};

static void set_pace(struct pace *pace, bool is_busy)
{
	uint64_t now_ns = clock_ns();

	pace->n_busy += is_busy;
	if (!pace->spares || now_ns < pace->since_ns + stretch_ns)
		return;
	pace->pauses = pace->n_busy > (pace->pauses ? QUIET_ROUNDS : BUSY_ROUNDS);
	pace->since_ns = now_ns;
	pace->n_busy = 0;
}

/* Until there is something to do, or to be asked for again. Nobody waits for us in a pause. */
static struct work wait_for_work(const struct watch *watch)
{
	struct pollfd ready[] = { { watch->socket, POLLIN, 0 },
				  { watch->children, POLLIN, 0 },
				  { watch->events->fd, POLLIN, 0 } };
	bool is_held = watch->first || watch->helds.n, pauses = watch->pace.pauses && !is_held;
	long wait_ns = watch->first ? 0 : watch->helds.n_awaited ? 100000 : pauses ? NEXT_PAUSE_MS * 1000000 : 20000000;
	const struct timespec wait = { 0, wait_ns };

	if (ppoll(ready, pauses ? 2 : 3, is_held || pauses ? &wait : NULL, NULL) < 0)
		return (struct work){ true, true };
	return (struct work){ ready[0].revents != 0, ready[1].revents != 0 };
}

void next_watch(int socket, pid_t parent, bool spares)
{
	static struct watch watch;
	static struct next_mapping mapping;
	struct next_events events;
	struct work work;
	bool is_busy;

	watch = (struct watch){ .socket = socket, .parent = parent, .self = getpid(), .last = &watch.first };
	watch.pace.spares = spares;
	prepare(&watch);
	if (!begin(&watch, &events))
		_exit(0);
	for (;;) {
		work = wait_for_work(&watch);
		is_busy = false;
		while (next_events_take(&events, &mapping)) {
			take_mapping(&watch, &mapping);
			is_busy = true;
		}
		set_pace(&watch.pace, is_busy);
		if (watch.helds.n_awaited)
			next_held_retry(&watch.helds);
		if (work.stops || watch.helds.n)
			take_stops(&watch);
		if (watch.first)
			look_on(&watch);
		next_held_tell(&watch.helds, watch.socket);
		tell_loss(&watch, events.n_lost);
		if (work.releases && !take_releases(&watch))
			_exit(0);
		next_held_expire(&watch.helds);
	}
}
