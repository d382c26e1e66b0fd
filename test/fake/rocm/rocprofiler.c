// SPDX-License-Identifier: Apache-2.0
/*
 * A library with the part of rocprofiler-sdk's interface that inftrace uses. It makes records as the documentation
 * says, in their awkward forms:
 *
 * - work is told of when the device is done, calls when they return; each delivery is in the reverse order;
 * - what fills a buffer is delivered on a thread of the library's, what is flushed on the one that flushes;
 * - the text of a kernel's name is overwritten when the callback has returned;
 * - calls that are not asked for are not recorded; the clock is CLOCK_BOOTTIME.
 *
 * FAKE_ROCM=word,word=number,...:
 *   version=N   what rocprofiler_configure is told (10300), with the layouts that go with it: 1.0 begins at 10000
 *   future      records are 64 bytes longer, kinds have other numbers, and there are some of a kind that nobody knows
 *   zero=N      each Nth piece of work has no times
 *   drop=N      each Nth delivery drops one more
 *   hostile     every tenth kernel has a name of 5,000 characters, with bytes that are no text; records of size 0 and
 *               of huge sizes are among the others
 *   refuse=N    rocprofiler_create_buffer answers N
 */
#include <dlfcn.h>
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

enum { LAUNCH = 200, COPY = 201, GRAPH = 202, SYNC = 203, GET_DEVICE = 1, OPERATIONS = 300 };
enum { KINDS = 40, BYTES = 256, PENDING = 1 << 13, STREAMS = 64, NAMES = 4096, FULL = 200, NOT_FOUND = 4 };
enum { OF_CALLS = 5, OF_COPIES = 10, OF_KERNELS = 11, OF_SCRATCH = 13, OF_CODE = 10, STRANGE = 30 };

struct header {
	uint32_t category, kind;
	void *record;
};
typedef void deliver_fn(uint64_t, uint64_t, struct header **, size_t, void *, uint64_t);
struct old_told {
	uint64_t word[7];
};
struct new_told {
	uint64_t word[8];
};
typedef void old_loaded(struct old_told, void *, void *);
typedef void new_loaded(struct new_told, void *, void *);
struct tool {
	size_t size;
	int (*initialize)(void *, void *);
	void (*finalize)(void *);
	void *data;
};
typedef struct tool *configure_fn(uint32_t, const char *, uint32_t, void *);
typedef int agents_fn(int, const void **, size_t, void *);

int rocprofiler_set_api_table(const char *, uint64_t, uint64_t, void **, uint64_t);
int rocprofiler_get_timestamp(uint64_t *);
int rocprofiler_create_context(uint64_t *);
int rocprofiler_start_context(uint64_t);
int rocprofiler_stop_context(uint64_t);
int rocprofiler_create_buffer(uint64_t, size_t, size_t, int, deliver_fn *, void *, uint64_t *);
int rocprofiler_flush_buffer(uint64_t);
int rocprofiler_configure_buffer_tracing_service(uint64_t, uint32_t, const int32_t *, size_t, uint64_t);
int rocprofiler_configure_callback_tracing_service(uint64_t, uint32_t, const int32_t *, size_t, void *, void *);
int rocprofiler_query_buffer_tracing_kind_name(uint32_t, const char **, uint64_t *);
int rocprofiler_query_callback_tracing_kind_name(uint32_t, const char **, uint64_t *);
int rocprofiler_query_buffer_tracing_kind_operation_name(uint32_t, int32_t, const char **, uint64_t *);
int rocprofiler_query_available_agents(int, agents_fn *, size_t, void *);

struct record {
	struct header header;
	uint64_t done; /* when it is complete */
	uint64_t bytes[BYTES / 8];
};

static struct {
	pthread_mutex_t lock;
	unsigned version, zero, drop, n_work, n_deliveries, n_launched, n_records, more;
	int refuse;
	bool is_future, is_hostile, is_on;
	bool kinds[KINDS], operations[OPERATIONS];
	deliver_fn *deliver;
	void *loaded;
	struct tool *tool;
	uint64_t correlation, stream_end[STREAMS], next_kernel;
	struct record *record[PENDING];
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER, .version = 10300 };

static void read_words(void)
{
	const char *words = getenv("FAKE_ROCM");
	char text[256], *word, *rest = text;

	snprintf(text, sizeof text, "%s", words ? words : "");
	while ((word = strsep(&rest, ","))) {
		char *number = strchr(word, '=');
		unsigned n = number ? (unsigned)atoi(number + 1) : 0;

		if (number)
			*number = 0;
		fake.is_future |= !strcmp(word, "future");
		fake.is_hostile |= !strcmp(word, "hostile");
		if (!strcmp(word, "version"))
			fake.version = n;
		if (!strcmp(word, "zero"))
			fake.zero = n;
		if (!strcmp(word, "drop"))
			fake.drop = n;
		if (!strcmp(word, "refuse"))
			fake.refuse = (int)n;
	}
	fake.more = fake.is_future ? 64 : 0;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t number_of(uint32_t kind)
{
	return fake.is_future ? kind + 7 : kind;
}

/* A record of a kind that is asked for, with its size; NULL: it is not, or there is no room. */
static uint8_t *make(uint32_t kind, uint32_t operation, size_t size, uint64_t done)
{
	uint32_t number = number_of(kind);
	uint64_t bytes = size + fake.more;
	struct record *record;

	if (!fake.is_on || !fake.kinds[number])
		return NULL;
	for (unsigned i = 0; i < PENDING; i++)
		if (!fake.record[i]) {
			record = fake.record[i] = calloc(1, sizeof *record);
			record->header = (struct header){ 1, number, record->bytes };
			record->done = done;
			memcpy(record->bytes, &bytes, 8);
			memcpy((uint8_t *)record->bytes + 8, &number, 4);
			memcpy((uint8_t *)record->bytes + 12, &operation, 4);
			return (uint8_t *)record->bytes;
		}
	abort();
}

static void put(uint8_t *record, size_t at, uint64_t value)
{
	memcpy(record + at, &value, 8);
}

static void put_half(uint8_t *record, size_t at, uint32_t value)
{
	memcpy(record + at, &value, 4);
}

/* Delivers what is complete, the newest first. Call under the lock. */
static void deliver(void)
{
	static struct header strange = { 1, STRANGE + 5, NULL }, other = { 2, OF_KERNELS, &strange };
	static uint64_t none[16] = { 0 }, huge[16] = { UINT64_MAX };
	static struct header empty, endless;
	struct header *headers[PENDING + 4];
	struct record *gone[PENDING];
	uint64_t t = now(), n_dropped = 0;
	size_t n = 0, n_gone = 0;

	for (unsigned i = PENDING; i-- > 0;)
		if (fake.record[i] && fake.record[i]->done <= t) {
			gone[n_gone++] = fake.record[i];
			headers[n++] = &fake.record[i]->header;
			fake.record[i] = NULL;
		}
	if (fake.is_future) {
		headers[n++] = &strange;
		headers[n++] = &other;
	}
	if (fake.is_hostile) {
		empty = (struct header){ 1, number_of(OF_KERNELS), none };
		endless = (struct header){ 1, number_of(OF_KERNELS), huge };
		headers[n++] = &empty;
		headers[n++] = &endless;
	}
	if (n_gone && fake.drop && ++fake.n_deliveries % fake.drop == 0)
		n_dropped = 1;
	pthread_mutex_unlock(&fake.lock);
	if (n_gone)
		fake.deliver(1, 2, headers, n, NULL, n_dropped);
	for (size_t i = 0; i < n_gone; i++) {
		memset(gone[i], 0xee, sizeof *gone[i]);
		free(gone[i]);
	}
	pthread_mutex_lock(&fake.lock);
}

static void *thread_of_library(void *arg)
{
	const struct timespec rest = { .tv_nsec = 2000000 };

	for (;;) {
		unsigned n = 0;

		nanosleep(&rest, NULL);
		pthread_mutex_lock(&fake.lock);
		for (unsigned i = 0; i < PENDING; i++)
			n += fake.record[i] != NULL;
		if (n > FULL)
			deliver();
		pthread_mutex_unlock(&fake.lock);
	}
	return arg;
}

static void call(uint32_t operation, uint64_t from, uint64_t correlation)
{
	bool is_old = fake.version < 10000;
	uint8_t *record = fake.operations[operation] ? make(OF_CALLS, operation, is_old ? 56 : 64, 0) : NULL;

	if (!record)
		return;
	put(record, 16, correlation);
	put(record, is_old ? 32 : 40, from);
	put(record, is_old ? 40 : 48, now());
	put(record, is_old ? 48 : 56, (uint64_t)syscall(SYS_gettid));
}

static uint8_t *work(uint32_t kind, uint32_t operation, size_t size, uint32_t stream, uint64_t ns)
{
	uint64_t *end = &fake.stream_end[stream % STREAMS], from = now() + 3000;
	uint8_t *record;

	from = from > *end ? from : *end;
	*end = from + ns;
	record = make(kind, operation, size, *end);
	if (!record)
		return NULL;
	put(record, 16, fake.correlation);
	put(record, 32, (uint64_t)syscall(SYS_gettid));
	if (fake.zero && ++fake.n_work % fake.zero == 0)
		return record;
	put(record, 40, from);
	put(record, 48, *end);
	return record;
}

static void tell_loaded(uint64_t id, const char *name)
{
	char text[6000];
	uint64_t symbol[16] = { 104, id, 1, (uint64_t)(uintptr_t)text };
	uint64_t kind = (uint64_t)2 << 32 | number_of(OF_CODE);

	snprintf(text, sizeof text, "%s.kd", name);
	put_half((uint8_t *)symbol, 60, 40);
	if (fake.version < 10000)
		((old_loaded *)fake.loaded)((struct old_told){ { 1, 0, 0, 0, kind, 1, (uintptr_t)symbol } }, NULL,
					    NULL);
	else
		((new_loaded *)fake.loaded)((struct new_told){ { 1, 0, 0, 0, 0, kind, 1, (uintptr_t)symbol } }, NULL,
					    NULL);
	memset(text, '?', sizeof text);
}

static const char *hostile(void)
{
	static char name[5001];

	memset(name, 'x', sizeof name - 1);
	memcpy(name, "_ZN4evilI\x1b[31m\xff\xfe<script>", 25);
	return name;
}

static uint64_t kernel_of(const char *name)
{
	static char names[NAMES][256];
	uint64_t i = 0;

	while (i < fake.next_kernel && strncmp(names[i], name, 255))
		i++;
	if (i == fake.next_kernel && i < NAMES) {
		snprintf(names[i], sizeof names[i], "%s", name);
		fake.next_kernel++;
		if (fake.loaded)
			tell_loaded(i + 1, name);
	}
	return i + 1;
}

static void kernel(uint32_t stream, uint64_t ns, const char *name)
{
	uint64_t id = kernel_of(fake.is_hostile && fake.n_launched++ % 10 == 9 ? hostile() : name);
	uint8_t *record = work(OF_KERNELS, 2, 184, stream, ns);

	if (!record)
		return;
	put(record, 56, 128);
	put(record, 64, 77); /* the GPU's handle */
	put(record, 72, stream);
	put(record, 80, id);
	put_half(record, 100, 512);
	for (size_t i = 0; i < 3; i++) {
		put_half(record, 104 + 4 * i, i ? 1 : 256);
		put_half(record, 116 + 4 * i, i ? 1 : 108 * 256);
	}
}

static void spend(uint64_t ns)
{
	uint64_t until = now() + ns;

	while (now() < until)
		;
}

static uint64_t begin(uint64_t *from)
{
	pthread_mutex_lock(&fake.lock);
	*from = now();
	call(GET_DEVICE, *from, fake.correlation + 1);
	return ++fake.correlation;
}

static void end(uint32_t operation, uint64_t from, uint64_t correlation)
{
	pthread_mutex_unlock(&fake.lock);
	spend(2000);
	pthread_mutex_lock(&fake.lock);
	call(operation, from, correlation);
	pthread_mutex_unlock(&fake.lock);
}

static void on_launch(uint32_t stream, uint64_t ns, const char *name)
{
	uint64_t from, correlation = begin(&from);

	kernel(stream, ns, name);
	end(LAUNCH, from, correlation);
}

static void on_graph(uint32_t stream, unsigned n, uint64_t ns, const char *name)
{
	uint64_t from, correlation = begin(&from);

	for (unsigned i = 0; i < n; i++)
		kernel(stream, ns, name);
	end(GRAPH, from, correlation);
}

static void on_copy(uint32_t stream, uint64_t bytes, int direction)
{
	uint64_t from, correlation = begin(&from);
	uint8_t *record = work(OF_COPIES, direction == FAKE_TO_DEVICE ? 2 : 3, 96, stream, bytes / 10 + 1000);

	if (record) {
		put(record, 56, direction == FAKE_TO_DEVICE ? 77 : 66);
		put(record, 64, direction == FAKE_TO_DEVICE ? 66 : 77);
		put(record, 72, bytes);
	}
	end(COPY, from, correlation);
}

static void on_sync(uint32_t stream)
{
	uint64_t from, correlation = begin(&from), until = fake.stream_end[stream % STREAMS], t = now();

	pthread_mutex_unlock(&fake.lock);
	spend(until > t ? until - t : 0);
	pthread_mutex_lock(&fake.lock);
	end(SYNC, from, correlation);
}

static void at_exit(void)
{
	fake.tool->finalize(fake.tool->data);
	fake.is_on = false;
}

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t n)
{
	static const struct fake_observer observer = { on_launch, on_copy, on_graph, on_sync };
	struct {
		size_t size;
		const char *name;
		uint32_t handle;
	} client = { sizeof client, NULL, 1 };
	configure_fn *configure;
	pthread_t thread;

	(void)name, (void)version, (void)instance, (void)tables, (void)n;
	*(void **)&configure = dlsym(RTLD_DEFAULT, "rocprofiler_configure");
	read_words();
	fake.tool = configure ? configure(fake.version, "fake", 0, &client) : NULL;
	if (!fake.tool || fake.tool->initialize(NULL, fake.tool->data))
		return 0;
	atexit(at_exit);
	if (pthread_create(&thread, NULL, thread_of_library, NULL))
		abort();
	pthread_detach(thread);
	fake_observe(&observer);
	return 0;
}

int rocprofiler_get_timestamp(uint64_t *ns)
{
	*ns = now();
	return 0;
}

int rocprofiler_create_context(uint64_t *context)
{
	*context = 1;
	return 0;
}

int rocprofiler_start_context(uint64_t context)
{
	fake.is_on = context == 1;
	return !fake.is_on;
}

int rocprofiler_stop_context(uint64_t context)
{
	fake.is_on = false;
	return context != 1;
}

int rocprofiler_create_buffer(uint64_t context, size_t size, size_t watermark, int policy, deliver_fn *to, void *data,
			      uint64_t *buffer)
{
	(void)policy, (void)data;
	fake.deliver = to;
	*buffer = 2;
	return fake.refuse ? fake.refuse : context != 1 || watermark > size;
}

int rocprofiler_flush_buffer(uint64_t buffer)
{
	pthread_mutex_lock(&fake.lock);
	deliver();
	pthread_mutex_unlock(&fake.lock);
	return buffer != 2;
}

int rocprofiler_configure_buffer_tracing_service(uint64_t context, uint32_t kind, const int32_t *operations, size_t n,
						 uint64_t buffer)
{
	(void)buffer;
	for (size_t i = 0; i < n; i++)
		fake.operations[operations[i]] = true;
	fake.kinds[kind] = true;
	return context != 1;
}

int rocprofiler_configure_callback_tracing_service(uint64_t context, uint32_t kind, const int32_t *operations, size_t n,
						   void *to, void *data)
{
	(void)data;
	fake.loaded = to;
	return context != 1 || kind != number_of(OF_CODE) || n != 1 || *operations != 2;
}

static int name_of(uint32_t is, uint32_t number, const char *text, const char **name, uint64_t *len)
{
	if (number_of(is) != number)
		return NOT_FOUND;
	*name = text;
	*len = strlen(text);
	return 0;
}

int rocprofiler_query_buffer_tracing_kind_name(uint32_t kind, const char **name, uint64_t *len)
{
	return name_of(OF_CALLS, kind, "HIP_RUNTIME_API", name, len) &&
	       name_of(OF_COPIES, kind, "MEMORY_COPY", name, len) &&
	       name_of(OF_KERNELS, kind, "KERNEL_DISPATCH", name, len) &&
	       name_of(OF_SCRATCH, kind, "SCRATCH_MEMORY", name, len);
}

int rocprofiler_query_callback_tracing_kind_name(uint32_t kind, const char **name, uint64_t *len)
{
	return name_of(OF_CODE, kind, "CODE_OBJECT", name, len);
}

int rocprofiler_query_buffer_tracing_kind_operation_name(uint32_t kind, int32_t operation, const char **name,
							 uint64_t *len)
{
	static const char *const names[] = { [LAUNCH] = "hipLaunchKernel",
					     [COPY] = "hipMemcpyAsync",
					     [GRAPH] = "hipGraphLaunch",
					     [SYNC] = "hipStreamSynchronize",
					     [GET_DEVICE] = "hipGetDevice" };

	if (kind != number_of(OF_CALLS) || (size_t)operation >= sizeof names / sizeof *names || !names[operation])
		return NOT_FOUND;
	*name = names[operation];
	*len = strlen(*name);
	return 0;
}

int rocprofiler_query_available_agents(int version, agents_fn *each, size_t size, void *data)
{
	static uint64_t cpu[40] = { sizeof cpu, 66, 1 }, gpu[40] = { sizeof gpu, 77, 2 };
	const void *agents[] = { cpu, gpu };

	return version != 1 || size > sizeof cpu || each(version, agents, 2, data);
}
