// SPDX-License-Identifier: Apache-2.0
/*
 * Life of the agent in a process: the segment, threads and their rings, forks. Knows neither runtimes nor how the agent
 * was loaded (start.c, injected.c), nor how the segment is mapped (room.c).
 */
#include "capture/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/syscalls.h"
#include "capture/agent/glibc.h"
#include "capture/agent/guard.h"
#include "capture/agent/room.h"

static struct hot no_memory; /* a hot page that says "off" */
struct hot *hot = &no_memory;
struct agent agent;
__thread struct thread *self_thread __attribute__((tls_model("initial-exec")));
/* The settings; a child of fork finds its hot page wiped and reads them here. */
static struct hot settings;
static pthread_key_t thread_key;
static bool has_thread_key;
static const struct agent_edges *edges;
static int32_t forked_from; /* of this process's segment */

void agent_off(const char *reason)
{
	hot->level = LEVEL_OFF;
	if (!agent.segment || agent.segment->state == SEGMENT_OFF)
		return;
	strncpy(agent.segment->reason, reason, sizeof agent.segment->reason - 1);
	__atomic_store_n(&agent.segment->state, SEGMENT_OFF, __ATOMIC_RELEASE);
}

void agent_halt(const char *reason)
{
	agent_off(reason);
	settings.level = LEVEL_OFF;
	hot->is_plain = 0;
	/* that of no thread; next_generation stays, because a thread may be writing a name to the segment */
	__atomic_store_n(&hot->generation, UINT32_MAX, __ATOMIC_RELEASE);
}

/* The decimal digits of a number; the agent does not use stdio. */
static char *put_number(char *to, uint64_t number)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	*to = 0;
	return to;
}

static void name_segment(const char *suffix, uint64_t now)
{
	char *to = stpcpy(agent.path, agent.dir);

	*to++ = '/';
	to = put_number(to, (uint64_t)call_pid());
	*to++ = '-';
	to = put_number(to, now);
	stpcpy(to, suffix);
}

/* The C library has stat as a function since 2.33. */
static long look_at(const char *path, struct stat *found)
{
	return CALL(SYS_newfstatat, AT_FDCWD, (long)path, (long)found);
}

/* The numbers by which the recorder recognises this process under another pid. */
static void identify(struct segment *segment)
{
	struct stat stat_;

	segment->pid = call_pid();
	CALL(SYS_prctl, PR_GET_NAME, (long)segment->command);
	if (!look_at("/proc/self/ns/pid", &stat_))
		segment->pid_namespace = stat_.st_ino;
	if (!look_at("/proc/thread-self/exe", &stat_)) {
		segment->exe_device = stat_.st_dev;
		segment->exe_inode = stat_.st_ino;
	}
}

/* The largest size that the file may get, which is the most that may be mapped; 0: none. */
static uint64_t resize(int fd)
{
	static const uint64_t sizes[] = { SEGMENT_SIZE, SEGMENT_SIZE / 4, SEGMENT_RINGS + (8 << 20) };
	struct rlimit limit, memory;

	if (call_limit(RLIMIT_FSIZE, &limit) || call_limit(RLIMIT_AS, &memory))
		return 0;
	for (unsigned i = 0; i < 3; i++) {
		/* takes little of a limited resource: the program needs it */
		if (i < 2 && sizes[i] > memory.rlim_cur / 16)
			continue;
		/* beyond the limit ftruncate would raise SIGXFSZ */
		if (sizes[i] <= limit.rlim_cur && !call_truncate(fd, sizes[i]))
			return sizes[i];
	}
	return 0;
}

static bool make_segment(void)
{
	char tmp[sizeof agent.path];
	struct segment *made = NULL;
	uint64_t size, now = agent_now();
	int fd;

	name_segment(".new", now);
	strcpy(tmp, agent.path);
	fd = call_open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	size = resize(fd);
	if (size)
		made = room_open(fd, size, agent.path);
	call_close(fd);
	if (!made) {
		call_unlink(tmp);
		return false;
	}
	agent.segment = made;
	agent.segment->magic = SEGMENT_MAGIC;
	agent.segment->header_size = sizeof *agent.segment;
	identify(agent.segment);
	agent.segment->started = now;
	agent.segment->n_filters = agent.n_filters;
	agent.segment->forked_from = forked_from;
	name_segment(SEGMENT_SUFFIX, now);
	return !call_rename(tmp, agent.path);
}

static bool map_segment(void)
{
	bool ok;

	call_begin();
	ok = make_segment();
	call_end();
	return ok;
}

/* Sets up a process without a segment of its own: the first one, or a child of fork. */
static bool start_process(void)
{
	/* the parent's: this process must not write its rings */
	struct segment *parents = agent.segment;
	bool ok;

	guard_is_told(); /* by the parent's */
	forked_from = parents ? parents->pid : 0;
	agent.segment = NULL;
	agent.n_free_rings = 0;
	ok = map_segment();
	if (!ok && parents)
		__atomic_add_fetch(&parents->n_unseen, 1, __ATOMIC_RELAXED);
	if (parents)
		room_leave_parents();
	return ok;
}

/* Sets what hooks read about the process, once its segment exists. */
static void begin_generation(bool has_segment)
{
	hot->use_ticks = settings.use_ticks;
	hot->level = has_segment ? settings.level : LEVEL_OFF;
	hot->is_plain = hot->use_ticks && hot->level == LEVEL_OPERATOR;
	__atomic_store_n(&hot->generation, ++agent.next_generation, __ATOMIC_RELEASE);
}

void agent_leave_parent(void)
{
	agent_lock();
	if (!hot->generation)
		begin_generation(false);
	hot->level = LEVEL_OFF;
	agent_unlock();
}

bool agent_restart(void)
{
	bool ok;

	agent_lock();
	agent.n_free_rings = 0;
	hot->lanes = 0;
	hot->is_changing = CHANGE_NONE;
	hot->next_run = agent.last_session = 0;
	forked_from = 0;
	ok = map_segment();
	begin_generation(ok);
	agent_unlock();
	return ok;
}

static bool take_ring(struct thread *thread, uint64_t bytes)
{
	struct segment *segment = agent.segment;
	uint32_t number = segment->n_rings;
	uint64_t offset;
	char *start;

	if (number == SEGMENT_MAX_RINGS || !(start = room_take(RING_HEADER + bytes, &offset)))
		return false;
	segment->ring[number] = (struct ring_slot){ offset, bytes };
	agent.ring[number] = (struct ring *)start;
	agent.ring[number]->is_shared = segment->is_shared;
	__atomic_store_n(&segment->n_rings, number + 1, __ATOMIC_RELEASE);
	thread->ring_number = number;
	ring_use(&thread->ring, (struct ring *)start, bytes);
	return true;
}

static void use_ring(struct thread *thread, uint32_t number)
{
	thread->ring_number = number;
	ring_use(&thread->ring, agent.ring[number], agent.segment->ring[number].size);
}

static bool find_ring(struct thread *thread)
{
	uint64_t bytes = agent.ring_bytes;

	if (agent.n_free_rings) {
		use_ring(thread, agent.free_ring[--agent.n_free_rings]);
		return true;
	}
	for (; bytes >= RING_MIN; bytes /= 4)
		if (take_ring(thread, bytes))
			return true;
	__atomic_fetch_add(&agent.segment->ring_lost, 1, __ATOMIC_RELAXED);
	return false;
}

void agent_lay_in(void)
{
	enum { SPARES = 8, MOST = 32 << 20, LARGEST = 1 << 20, DICT = 2 << 20, OWN = 16 << 20 };
	uint32_t n = agent.segment->n_rings - agent.n_free_rings + SPARES;
	uint64_t bytes = agent.ring_bytes_max < LARGEST ? agent.ring_bytes_max : LARGEST;
	static struct thread nobody;

	for (uint64_t own = OWN; own >= OWN / 64 && !arena_reserve(&agent.arena, own);)
		own /= 4;
	room_dict(agent.segment->dict_end + DICT);
	while (bytes > agent.ring_bytes && bytes * n > MOST)
		bytes /= 4;
	for (; n && agent.n_free_rings < SEGMENT_MAX_RINGS && take_ring(&nobody, bytes); n--)
		agent.free_ring[agent.n_free_rings++] = nobody.ring_number;
}

static struct thread *new_thread(void)
{
	struct thread *thread = agent.free_threads;

	if (thread)
		agent.free_threads = thread->next_free;
	else
		thread = arena_alloc(&agent.arena, sizeof *thread);
	return thread;
}

int32_t agent_tid(void)
{
	pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	int32_t tid = call_tid();

	if (tid > 0)
		return tid;
	/* a filter forbids the call: the C library knows the number */
	pthread_mutex_lock(&mutex);
	tid = mutex.__data.__owner;
	pthread_mutex_unlock(&mutex);
	return tid ? tid : agent.segment->pid;
}

void *agent_keep(struct thread *thread, uint32_t *place, size_t size)
{
	static uint32_t n_places = 1;
	void *kept = NULL;

	agent_lock();
	if (!*place && n_places < AGENT_KEPT)
		__atomic_store_n(place, n_places++, __ATOMIC_RELAXED);
	if (*place && !(kept = thread->kept[*place]) && (kept = arena_alloc(&agent.arena, size)))
		memset(kept, 0, size);
	thread->kept[*place] = kept;
	agent_unlock();
	return kept;
}

static struct thread *enter_locked(void)
{
	struct thread *thread = self_thread;
	void *kept[AGENT_KEPT];
	uint32_t next_run, numbers_end;
	bool has_numbers;

	if (!thread && !(thread = new_thread()))
		return NULL;
	memcpy(kept, thread->kept, sizeof kept);
	next_run = thread->next_run;
	numbers_end = thread->numbers_end;
	has_numbers = thread->generation == hot->generation;
	memset(thread, 0, sizeof *thread);
	memcpy(thread->kept, kept, sizeof kept);
	if (has_numbers) {
		thread->next_run = next_run;
		thread->numbers_end = numbers_end;
	}
	thread->tid = agent_tid();
	if (!find_ring(thread)) {
		thread->next_free = agent.free_threads;
		agent.free_threads = thread;
		self_thread = NULL;
		return NULL;
	}
	thread->generation = hot->generation;
	thread->ring.ring->tid = thread->tid;
	return thread;
}

bool agent_is_child(void)
{
	return agent.late_since && !hot->is_injected;
}

bool agent_is_wanted(void)
{
	return hot->level || (!hot->generation && settings.level);
}

bool agent_enter_process(void)
{
	bool has_started = false, is_child = false;
	int saved = errno;

	if (hot->generation || !settings.level)
		return hot->level != LEVEL_OFF;
	agent_lock();
	if (!hot->generation) { /* the page was wiped, or this is the first time */
		is_child = agent.next_generation != 0;
		has_started = start_process();
		begin_generation(has_started);
	}
	agent_unlock();
	if (is_child)
		edges->forked(has_started);
	errno = saved;
	return hot->level != LEVEL_OFF;
}

/* A thread that got no ring tries again after a while only: a try costs microseconds under the lock. */
static __thread struct {
	uint64_t until_ns;
	uint32_t generation; /* the recording in which it got none */
} no_ring __attribute__((tls_model("initial-exec")));

static void enter_in_vain(bool has_lock)
{
	enum { AGAIN_MS = 100 };

	no_ring.until_ns = clock_ns() + AGAIN_MS * 1000000ull;
	no_ring.generation = hot->generation;
	if (!has_lock)
		__atomic_fetch_add(&agent.segment->ring_lost, 1, __ATOMIC_RELAXED);
}

struct thread *agent_enter(void)
{
	int saved = errno;
	struct thread *thread = NULL;
	struct record *record;
	bool has_lock;

	if (!agent_enter_process() || (no_ring.generation == hot->generation && clock_ns() < no_ring.until_ns))
		return NULL;
	has_lock = agent_try_lock();
	if (has_lock) {
		thread = enter_locked();
		agent_unlock();
	}
	if (!thread)
		enter_in_vain(has_lock);
	if (thread) {
		self_thread = thread;
		/* the C library allocates memory for keys from 32 on */
		if (has_thread_key && (thread_key < 32 || !guard_is_on))
			glibc.pthread_setspecific(thread_key, thread);
		record = ring_claim_kept(&thread->ring);
		if (record) {
			*record =
			    (struct record){ .time = agent_now(), .id = (uint32_t)thread->tid, .type = RECORD_THREAD };
			ring_publish(&thread->ring);
		}
	}
	errno = saved;
	return thread;
}

/* A thread ends: its ring and its place become free for the next one. */
static void leave(void *arg)
{
	struct thread *thread = arg;
	int saved = errno;

	if (self_thread != thread)
		return;
	self_thread = NULL;
	agent_lock();
	/* its ring may belong to the parent, or to an earlier recording */
	if (hot->generation && thread->generation == hot->generation && agent.n_free_rings < SEGMENT_MAX_RINGS) {
		agent.ring[thread->ring_number]->tid = 0;
		agent.free_ring[agent.n_free_rings++] = thread->ring_number;
	}
	thread->next_free = agent.free_threads;
	agent.free_threads = thread;
	agent_unlock();
	errno = saved;
}

/* Whether this thread has nothing to record any more: the recorder has ended the recording, and no handle goes on. */
static bool has_ended(void)
{
	if (__atomic_load_n(&agent.segment->state, __ATOMIC_RELAXED) != SEGMENT_OFF ||
	    __atomic_load_n(&agent.segment->is_shared, __ATOMIC_RELAXED))
		return hot->is_child && edges->is_over();
	hot->level = LEVEL_OFF;
	if (agent.late_since)
		edges->ended();
	else
		self_thread = NULL;
	return true;
}

/*
 * A ring of more than this size that an earlier thread has left and everybody has read. It lies behind the thread's
 * own: the recorder reads rings in their order, and the new one must not be read before the rest of the old one.
 */
static bool take_free_ring(struct thread *thread, uint64_t bytes)
{
	for (uint32_t i = 0; i < agent.n_free_rings; i++) {
		uint32_t number = agent.free_ring[i];
		const struct ring *ring = agent.ring[number];
		if (number < thread->ring_number || agent.segment->ring[number].size <= bytes ||
		    ring->head != ring_tail(ring))
			continue;
		agent.free_ring[i] = agent.free_ring[--agent.n_free_rings];
		use_ring(thread, number);
		return true;
	}
	return false;
}

static void free_ring(uint32_t number)
{
	agent_lock();
	if (agent.n_free_rings < SEGMENT_MAX_RINGS)
		agent.free_ring[agent.n_free_rings++] = number;
	agent_unlock();
}

static void grow_ring(struct thread *thread)
{
	uint64_t bytes = (thread->ring.mask + 1) * sizeof(struct record);
	struct ring_writer old = thread->ring;
	uint32_t old_number = thread->ring_number;
	struct record *record;
	bool grown;

	if (has_ended() || bytes >= agent.ring_bytes_max || !agent_try_lock())
		return;
	grown = take_free_ring(thread, bytes) ||
		take_ring(thread, bytes * 4 < agent.ring_bytes_max ? bytes * 4 : agent.ring_bytes_max);
	if (!grown)
		agent.ring_bytes_max = bytes; /* no more room: do not ask again */
	agent_unlock();
	if (!grown)
		return;
	record = ring_claim_kept(&old);
	if (!record) { /* the old ring is completely full: keep it; a later thread gets the new one */
		free_ring(thread->ring_number);
		thread->ring = old;
		thread->ring_number = old_number;
		return;
	}
	*record = (struct record){ .id = thread->ring_number, .type = RECORD_MOVED };
	ring_publish(&old);
	old.ring->tid = 0;
	thread->ring.ring->tid = thread->tid;
	free_ring(old_number);
	record = ring_claim_kept(&thread->ring);
	*record = (struct record){ .time = agent_now(), .id = (uint32_t)thread->tid, .type = RECORD_THREAD };
	ring_publish(&thread->ring);
}

void agent_grow_ring(struct thread *thread)
{
	int saved = errno;

	grow_ring(thread);
	errno = saved;
}

/* Beyond half of the ring it asks for a bigger one each time; up to there the tail is read once. */
struct record *agent_claim_slow(struct thread *thread)
{
	struct ring_writer *writer = &thread->ring;

	if (thread->generation != hot->generation)
		return NULL;
	if (!writer->busy && writer->head >= writer->limit) {
		if (ring_fill(writer) > (writer->mask + 1) / 2)
			agent_grow_ring(thread);
		ring_refill(writer, (writer->mask + 1) / 2);
	}
	return ring_claim_kept(writer);
}

static uint64_t power_of_two(uint64_t bytes)
{
	uint64_t power = RING_MIN;

	while (power < bytes && power < SEGMENT_SIZE / 4)
		power *= 2;
	return power;
}

void agent_set(const struct agent_settings *to)
{
	size_t len = strlen(to->dir);

	if (len >= sizeof agent.dir)
		return;
	memmove(agent.dir, to->dir, len + 1);
	agent.ring_bytes_max = power_of_two(to->ring_bytes);
	agent.ring_bytes = agent.ring_bytes_max < (64 << 10) ? agent.ring_bytes_max : 64 << 10;
	settings.use_ticks = to->use_ticks;
	settings.level = to->level;
}

void agent_at_edges(const struct agent_edges *to)
{
	edges = to;
}

static void make_thread_key(void)
{
	if (!has_thread_key && glibc.pthread_key_create && glibc.pthread_setspecific)
		has_thread_key = !glibc.pthread_key_create(&thread_key, leave);
}

bool agent_set_up(void)
{
	void *page = call_map(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return false;
	if (call_advise(page, 4096, MADV_WIPEONFORK)) {
		call_unmap(page, 4096);
		return false;
	}
	hot = page;
	make_thread_key();
	return true;
}

void agent_learn(void *handle)
{
	glibc_learn(handle);
	make_thread_key();
}
