// SPDX-License-Identifier: Apache-2.0
/*
 * A library with the part of PTI's interface that inftrace uses. It makes records as the documentation says, in their
 * awkward forms:
 *
 * - work is told of when the device is done, in no order; calls when they return, before their work;
 * - a host's wait is told of twice, as a call and as a synchronisation, with one number;
 * - full buffers are completed on a thread of the library's, others only when all is flushed;
 * - the clock is CLOCK_REALTIME.
 *
 * FAKE_PTI=word,word=number,...:
 *   future      records are 64 bytes longer, and there are records of a kind that nobody knows
 *   zero=N      each Nth piece of work has no times
 *   hostile     every tenth kernel has a name of 5,000 characters, with bytes that are no text
 *   refuse=N    ptiViewEnable answers N
 *   slow        buffers are completed a second after they were filled, so that there are none left
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../cuda/cuda.h"

enum {
	LAUNCH = 50,
	COPY_CALL = 51,
	GRAPH = 52,
	SYNC_CALL = 53,
	CALLS = 60,
	BAD_ARGUMENT = 3,
	NO_CALLBACKS = 4,
	BAD_ID = 7
};
enum { KERNEL = 1, API = 3, COPY = 8, FILL = 9, SYNC = 11, STRANGE = 40, KINDS = 64 };
enum { STREAMS = 64, PENDING = 1 << 13, QUEUED = 256, BYTES = 256, NAMES = 4096 };

typedef void request_fn(unsigned char **buffer, size_t *bytes);
typedef void complete_fn(unsigned char *buffer, size_t bytes, size_t used);

int ptiViewSetCallbacks(request_fn *, complete_fn *);
int ptiViewEnable(uint32_t kind);
int ptiViewDisable(uint32_t kind);
int ptiFlushAllViews(void);
int ptiViewGetNextRecord(uint8_t *buffer, size_t used, void **record);
int ptiViewEnableDriverApi(uint32_t enable, uint32_t group, uint32_t call);
int ptiViewGetApiIdName(uint32_t group, uint32_t call, const char **name);
uint64_t ptiViewGetTimestamp(void);

struct record {
	uint64_t done;
	uint32_t kind;
	uint8_t bytes[BYTES];
};

struct filled {
	unsigned char *at;
	size_t bytes, used;
	uint64_t since;
};

static struct {
	pthread_mutex_t lock;
	unsigned zero, n_work, n_launched;
	int refuse;
	bool is_future, is_hostile, is_slow, has_started;
	bool kinds[KINDS], calls[CALLS];
	request_fn *request;
	complete_fn *complete;
	uint32_t correlation;
	uint64_t stream_end[STREAMS];
	struct record *pending[PENDING];
	struct filled now, full[QUEUED];
	unsigned n_full;
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static size_t size_of(uint32_t kind)
{
	static const uint8_t sizes[KINDS] = { [KERNEL] = 168, [API] = 48, [COPY] = 136, [FILL] = 136, [SYNC] = 72 };

	if (kind == STRANGE)
		return 72;
	return kind < KINDS && sizes[kind] ? (size_t)sizes[kind] + (fake.is_future ? 64 : 0) : 0;
}

static void put(uint8_t *record, size_t at, uint64_t value)
{
	memcpy(record + at, &value, 8);
}

static void put_half(uint8_t *record, size_t at, uint32_t value)
{
	memcpy(record + at, &value, 4);
}

/* Call under the lock. */
static void write_record(uint32_t kind, const uint8_t *record)
{
	size_t bytes = size_of(kind);

	if (fake.now.at && fake.now.bytes - fake.now.used < bytes && fake.n_full < QUEUED) {
		fake.now.since = now();
		fake.full[fake.n_full++] = fake.now;
		fake.now.at = NULL;
	}
	if (!fake.now.at) {
		fake.now = (struct filled){ 0 };
		fake.request(&fake.now.at, &fake.now.bytes);
	}
	if (!fake.now.at || fake.now.bytes - fake.now.used < bytes)
		return;
	memset(fake.now.at + fake.now.used, 0, bytes);
	memcpy(fake.now.at + fake.now.used, record, bytes < BYTES ? bytes : BYTES);
	put_half(fake.now.at + fake.now.used, 0, kind);
	fake.now.used += bytes;
}

/* What the device has done by now, the newest first. */
static void settle(void)
{
	static const uint8_t nothing[BYTES];
	uint64_t t = now();

	for (unsigned i = PENDING; i-- > 0;)
		if (fake.pending[i] && fake.pending[i]->done <= t) {
			write_record(fake.pending[i]->kind, fake.pending[i]->bytes);
			free(fake.pending[i]);
			fake.pending[i] = NULL;
		}
	if (fake.is_future)
		write_record(STRANGE, nothing);
}

static void complete_full(uint64_t younger_than)
{
	while (fake.n_full && fake.full[0].since <= younger_than) {
		struct filled done = fake.full[0];

		memmove(fake.full, fake.full + 1, --fake.n_full * sizeof *fake.full);
		pthread_mutex_unlock(&fake.lock);
		fake.complete(done.at, done.bytes, done.used);
		pthread_mutex_lock(&fake.lock);
	}
}

static void *thread_of_library(void *arg)
{
	const struct timespec rest = { .tv_nsec = 2000000 };

	for (;;) {
		nanosleep(&rest, NULL);
		pthread_mutex_lock(&fake.lock);
		complete_full(now() - (fake.is_slow ? 1000000000u : 0));
		pthread_mutex_unlock(&fake.lock);
	}
	return arg;
}

static uint8_t *work(uint32_t kind, uint32_t stream, uint64_t ns, size_t times_at)
{
	uint64_t *end = &fake.stream_end[stream % STREAMS], from = now() + 3000;
	struct record *record;
	unsigned i = 0;

	from = from > *end ? from : *end;
	*end = from + ns;
	while (i < PENDING && fake.pending[i])
		i++;
	if (!fake.kinds[kind] || i == PENDING || !(record = calloc(1, sizeof *record)))
		return NULL;
	fake.pending[i] = record;
	record->kind = kind;
	record->done = *end;
	if (!fake.zero || ++fake.n_work % fake.zero) {
		put(record->bytes, times_at, from);
		put(record->bytes, times_at + 8, *end);
	}
	return record->bytes;
}

static const char *hostile(void)
{
	static char name[5001];

	memset(name, 'x', sizeof name - 1);
	memcpy(name, "_ZN4evilI\x1b[31m\xff\xfe<script>", 25);
	return name;
}

/* Strings that the library owns. */
static const char *kept(const char *text)
{
	static char names[NAMES][256];
	static unsigned n;
	unsigned i = 0;

	while (i < n && strcmp(names[i], text))
		i++;
	if (i == n && n < NAMES)
		snprintf(names[n++], sizeof *names, "%s", text);
	return names[i];
}

static void kernel(uint32_t stream, uint64_t ns, const char *name)
{
	uint8_t *record = work(KERNEL, stream, ns, 104);

	if (!record)
		return;
	put(record, 8, 0x1000 + stream);
	put(record, 24, (uint64_t)(uintptr_t)(fake.is_hostile && fake.n_launched++ % 10 == 9 ? hostile() : kept(name)));
	put_half(record, 56, fake.correlation);
	put_half(record, 60, (uint32_t)syscall(SYS_gettid));
	memcpy(record + 64, "0000:03:00.0", 13);
}

static void call(uint32_t id, uint64_t from, uint32_t correlation)
{
	uint8_t record[BYTES] = { 0 };

	put(record, 8, from);
	put(record, 16, now());
	put_half(record, 24, 1);
	put_half(record, 28, id);
	put_half(record, 32, (uint32_t)getpid());
	put_half(record, 36, (uint32_t)syscall(SYS_gettid));
	put_half(record, 40, correlation);
	if (fake.kinds[API] && fake.calls[id])
		write_record(API, record);
}

static void spend(uint64_t ns)
{
	uint64_t until = now() + ns;

	while (now() < until)
		;
}

static uint32_t begin(uint64_t *from)
{
	pthread_mutex_lock(&fake.lock);
	*from = now();
	return ++fake.correlation;
}

static void end(uint32_t id, uint64_t from, uint32_t correlation)
{
	pthread_mutex_unlock(&fake.lock);
	spend(2000);
	pthread_mutex_lock(&fake.lock);
	call(id, from, correlation);
	if (fake.request)
		settle();
	pthread_mutex_unlock(&fake.lock);
}

static void on_launch(uint32_t stream, uint64_t ns, const char *name)
{
	uint64_t from;
	uint32_t correlation = begin(&from);

	kernel(stream, ns, name);
	end(LAUNCH, from, correlation);
}

static void on_graph(uint32_t stream, unsigned n, uint64_t ns, const char *name)
{
	uint64_t from;
	uint32_t correlation = begin(&from);

	for (unsigned i = 0; i < n; i++)
		kernel(stream, ns, name);
	end(GRAPH, from, correlation);
}

static void on_copy(uint32_t stream, uint64_t bytes, int direction)
{
	uint64_t from;
	uint32_t correlation = begin(&from);
	uint8_t *record = work(COPY, stream, bytes / 10 + 1000, 96);

	if (record) {
		put_half(record, 4, direction == FAKE_TO_DEVICE ? 6 : 9);
		put(record, 16, 0x1000 + stream);
		memcpy(record + 40, "0000:03:00.0", 13);
		put_half(record, 80, correlation);
		put_half(record, 84, (uint32_t)syscall(SYS_gettid));
		put(record, 120, bytes);
	}
	end(COPY_CALL, from, correlation);
}

static void on_sync(uint32_t stream)
{
	uint64_t from;
	uint32_t correlation = begin(&from);
	uint64_t until = fake.stream_end[stream % STREAMS], t = now();
	uint8_t record[BYTES] = { 0 };

	pthread_mutex_unlock(&fake.lock);
	spend(until > t ? until - t : 0);
	pthread_mutex_lock(&fake.lock);
	put_half(record, 4, 5);
	put(record, 32, from + 100);
	put(record, 40, now());
	put_half(record, 48, (uint32_t)syscall(SYS_gettid));
	put_half(record, 52, correlation);
	put_half(record, 64, SYNC_CALL);
	put_half(record, 68, 1);
	if (fake.kinds[SYNC])
		write_record(SYNC, record);
	end(SYNC_CALL, from, correlation);
}

static const struct fake_observer observer = { on_launch, on_copy, on_graph, on_sync };

static void start(void)
{
	const char *words = getenv("FAKE_PTI"), *number;
	pthread_t thread;

	words = words ? words : "";
	fake.is_future = strstr(words, "future") != NULL;
	fake.is_hostile = strstr(words, "hostile") != NULL;
	fake.is_slow = strstr(words, "slow") != NULL;
	if ((number = strstr(words, "zero=")))
		fake.zero = (unsigned)atoi(number + 5);
	if ((number = strstr(words, "refuse=")))
		fake.refuse = atoi(number + 7);
	fake.has_started = true;
	if (pthread_create(&thread, NULL, thread_of_library, NULL))
		abort();
	pthread_detach(thread);
	fake_observe(&observer);
}

int ptiViewSetCallbacks(request_fn *request, complete_fn *complete)
{
	if (!fake.has_started)
		start();
	pthread_mutex_lock(&fake.lock);
	fake.now.at = NULL;
	fake.request = request;
	fake.complete = complete;
	pthread_mutex_unlock(&fake.lock);
	return 0;
}

int ptiViewEnable(uint32_t kind)
{
	if (!fake.request)
		return NO_CALLBACKS;
	if (!kind || kind >= KINDS)
		return BAD_ARGUMENT;
	if (fake.refuse)
		return fake.refuse;
	fake.kinds[kind] = true;
	return 0;
}

int ptiViewDisable(uint32_t kind)
{
	fake.kinds[kind] = false;
	return 0;
}

int ptiFlushAllViews(void)
{
	struct filled done;

	pthread_mutex_lock(&fake.lock);
	settle();
	if (!fake.is_slow)
		complete_full(UINT64_MAX);
	done = fake.now;
	fake.now.at = NULL;
	pthread_mutex_unlock(&fake.lock);
	if (done.at)
		fake.complete(done.at, done.bytes, done.used);
	return 0;
}

int ptiViewGetNextRecord(uint8_t *buffer, size_t used, void **record)
{
	uint8_t *at = *record ? *record : buffer;
	uint32_t kind;

	if (*record) {
		memcpy(&kind, at, sizeof kind);
		at += size_of(kind);
	}
	if (at >= buffer + used)
		return 1;
	*record = at;
	return 0;
}

int ptiViewEnableDriverApi(uint32_t enable, uint32_t group, uint32_t id)
{
	fake.calls[id] = enable != 0;
	return group != 1;
}

int ptiViewGetApiIdName(uint32_t group, uint32_t id, const char **name)
{
	static const char *const names[CALLS] = { [LAUNCH] = "zeCommandListAppendLaunchKernel",
						  [COPY_CALL] = "zeCommandListAppendMemoryCopy",
						  [GRAPH] = "zeCommandListImmediateAppendCommandListsExp",
						  [SYNC_CALL] = "zeCommandListHostSynchronize",
						  [10] = "zeDeviceGetProperties" };

	if (group != 1 || id >= CALLS || !names[id])
		return BAD_ID;
	*name = names[id];
	return 0;
}

uint64_t ptiViewGetTimestamp(void)
{
	return now();
}
