// SPDX-License-Identifier: Apache-2.0
/*
 * A library with the part of CUPTI's interface that inftrace uses, and a pretended device: streams that take time. It
 * makes records as the documentation says, in their awkward forms:
 *
 * - a kernel's record lies in the buffer from its launch on, with times 0, and gets them when the device is done;
 * - it comes before the record of the call that launched it, which is written when the call returns;
 * - the thread's number is pthread_self's low half, until the thread's kernel number is asked for;
 * - a flush delivers only buffers in which all is complete; a forced one all; a period only full ones;
 * - the clock is CLOCK_REALTIME;
 * - a graph is one record if graphs are asked for, else its nodes are kernels, which have the numbers of the copies
 * that the executable graph has.
 *
 * FAKE_CUPTI=word,word=number,...:
 *   version=N   what cuptiGetVersion says, and the sizes of records that go with it (28)
 *   taken       another subscriber is there
 *   nodriver    everything fails, as without libcuda.so.1
 *   future      records are 64 bytes longer, and there are records of a kind that nobody knows
 *   perthread   each thread has buffers of its own, which it completes itself
 *   zero=N      each Nth kernel has no times: no device memory was left
 *   wrap        correlation numbers pass 2^32
 *   step=N      the wall clock is set N ns ahead after 1,000 calls
 *   hostile     every tenth kernel has a name of 5,000 characters, with bytes that are no text
 *   compile=N   the driver compiles for N ms in the first launch
 *   refuse=N    cuptiActivityEnable answers N for kernels
 *   tell=FILE   at the end, what was begun and ended, and how many records were made, goes there
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuda.h"

enum { OK = 0, INVALID = 1, END = 12, NOT_INITIALIZED = 15, INVALID_KIND = 21, TAKEN = 39 };
enum { COPY = 1, SET = 2, OVERHEAD = 17, DRIVER = 4, RUNTIME = 5, KERNEL = 10, GRAPH = 51, STRANGE = 61, KINDS = 64 };
enum { STREAMS = 64, PENDING = 1 << 12, BUFFERS = 256, NODES = 256, CAPTURED = 5, EXECUTABLE = 6 };
enum { RESOURCE = 3, NODE_CREATED = 13, NODE_CLONED = 20 };

typedef void (*requested)(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void (*completed)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);

struct buffer {
	uint8_t *at;
	size_t bytes, used;
	unsigned n_incomplete;
	pthread_t owner;
};

struct node {
	uint64_t device_ns;
	char *name;
};

/* What callbacks get. */
struct graph_data {
	void *graph, *original_graph, *node, *original_node;
	int type;
	void *dependency, *executable;
};

struct resource {
	void *context, *handle;
	struct graph_data *graph;
};

struct pending {
	uint8_t *record; /* NULL: none */
	struct buffer *in;
	uint64_t start, end;
	size_t start_at;
	bool has_times;
};

int cuptiGetVersion(uint32_t *version);
int cuptiGetTimestamp(uint64_t *ns);
int cuptiGetResultString(int result, const char **text);
int cuptiSubscribe(void **subscriber, void *callback, void *data);
int cuptiUnsubscribe(void *subscriber);
int cuptiSetThreadIdType(int type);
int cuptiActivityRegisterCallbacks(requested request, completed complete);
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityEnableRuntimeApi(uint32_t call, uint8_t enable);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityFlushPeriod(uint32_t ms);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
int cuptiFinalize(void);
int cuptiEnableDomain(uint32_t enable, void *subscriber, int domain);
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t what);
int cuptiGetGraphNodeId(void *node, uint64_t *number);

static struct {
	pthread_mutex_t lock;
	unsigned version, zero, n_kernels, n_calls, compile_ms;
	int64_t step;
	bool is_taken, has_no_driver, is_future, is_per_thread, asks_system, is_hostile;
	int refuse;
	uint32_t calls_back;
	bool is_capturing, tells[32];
	struct node node[NODES];
	unsigned n_nodes;
	void (*callback)(void *, int, uint32_t, const void *);
	unsigned n_launched, n_finalized, n_unsubscribed, n_flushed;
	char tell[200];
	bool enabled[KINDS], is_subscribed, is_started;
	bool runtime_calls[1024], has_call_filter;
	uint32_t correlation;
	requested request;
	completed complete;
	struct buffer *buffer[BUFFERS];
	struct pending pending[PENDING];
	uint64_t stream_end[STREAMS];
	size_t dropped;
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER, .version = 28 };

static void tell(void)
{
	FILE *to = *fake.tell ? fopen(fake.tell, "a") : NULL;

	if (!to)
		return;
	fprintf(to, "launched %u finalized %u unsubscribed %u flushed %u subscribed %d\n", fake.n_launched,
		fake.n_finalized, fake.n_unsubscribed, fake.n_flushed, fake.is_subscribed);
	fclose(to);
}

static void start(void)
{
	const char *words = getenv("FAKE_CUPTI");
	char text[512], *word, *rest = text;

	if (fake.is_started)
		return;
	fake.is_started = true;
	/* as 13.2 recurses to death without a driver */
	if (!fake_is_initialized())
		abort();
	snprintf(text, sizeof text, "%s", words ? words : "");
	while ((word = strsep(&rest, ","))) {
		char *number = strchr(word, '=');
		long n = number ? strtol(number + 1, NULL, 10) : 0;

		if (number)
			*number = 0;
		fake.is_taken |= !strcmp(word, "taken");
		fake.has_no_driver |= !strcmp(word, "nodriver");
		fake.is_future |= !strcmp(word, "future");
		fake.is_per_thread |= !strcmp(word, "perthread");
		fake.is_hostile |= !strcmp(word, "hostile");
		if (!strcmp(word, "refuse"))
			fake.refuse = (int)n;
		if (!strcmp(word, "tell"))
			snprintf(fake.tell, sizeof fake.tell, "%s", number + 1);
		if (!strcmp(word, "version"))
			fake.version = (unsigned)n;
		if (!strcmp(word, "compile"))
			fake.compile_ms = (unsigned)n;
		if (!strcmp(word, "zero"))
			fake.zero = (unsigned)n;
		if (!strcmp(word, "step"))
			fake.step = n;
		if (!strcmp(word, "wrap"))
			fake.correlation = 0xfffffff0u;
	}
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec +
	       (fake.step && fake.n_calls > 1000 ? (uint64_t)fake.step : 0);
}

static void spend(uint64_t ns)
{
	uint64_t until = now() + ns;

	while (now() < until)
		;
}

/* As the headers of the releases have it; the future has more. */
static size_t size_of(uint32_t kind)
{
	size_t more = fake.is_future ? 64 : 0;

	switch (kind) {
	case KERNEL:
		return more + (fake.version < 18       ? 176
			       : fake.version < 130000 ? 208
			       : fake.version < 130100 ? 216
			       : fake.version < 130300 ? 224
			       : fake.version < 130400 ? 232
						       : 248);
	case COPY:
		return more + (fake.version < 26 ? 88 : fake.version < 130400 ? 96 : 112);
	case SET:
		return more + (fake.version < 130400 ? 88 : 104);
	case OVERHEAD:
		return more + (fake.version < 21 ? 40 : 56);
	case DRIVER:
	case RUNTIME:
		return 40;
	case GRAPH:
		return more + (fake.version < 21 ? 48 : 56);
	case STRANGE:
		return fake.is_future ? 72 : 0;
	default:
		return 0;
	}
}

#define PUT(record, offset, type, value) (*(type *)(void *)((record) + (offset)) = (type)(value))

static uint32_t thread_number(void)
{
	return fake.asks_system ? (uint32_t)syscall(SYS_gettid) : (uint32_t)(uintptr_t)pthread_self();
}

static void deliver(unsigned i)
{
	struct buffer *buffer = fake.buffer[i];

	fake.buffer[i] = NULL;
	pthread_mutex_unlock(&fake.lock);
	fake.complete(NULL, 0, buffer->at, buffer->bytes, buffer->used);
	pthread_mutex_lock(&fake.lock);
	free(buffer);
}

/* Gives times to what the device has done by now. */
static void settle(void)
{
	uint64_t t = now();

	for (unsigned i = 0; i < PENDING; i++) {
		struct pending *work = &fake.pending[i];

		if (!work->record || work->end > t)
			continue;
		if (work->has_times) {
			PUT(work->record, work->start_at, uint64_t, work->start);
			PUT(work->record, work->start_at + 8, uint64_t, work->end);
		}
		work->in->n_incomplete--;
		work->record = NULL;
	}
}

/* A zeroed record; NULL: dropped. */
static uint8_t *record_of(uint32_t kind, struct buffer **in)
{
	size_t bytes = size_of(kind);
	unsigned i, room = BUFFERS;
	struct buffer *buffer = NULL;

	for (i = 0; i < BUFFERS; i++) {
		if (!fake.buffer[i])
			room = room == BUFFERS ? i : room;
		else if ((!fake.is_per_thread || pthread_equal(fake.buffer[i]->owner, pthread_self())) &&
			 fake.buffer[i]->bytes - fake.buffer[i]->used >= bytes)
			buffer = fake.buffer[i];
	}
	if (!buffer && room < BUFFERS) {
		uint8_t *at = NULL;
		size_t size = 0, records = 0;

		pthread_mutex_unlock(&fake.lock);
		fake.request(&at, &size, &records);
		pthread_mutex_lock(&fake.lock);
		if (at && size >= bytes && (buffer = calloc(1, sizeof *buffer))) {
			*buffer = (struct buffer){ at, size, 0, 0, pthread_self() };
			while (room < BUFFERS && fake.buffer[room])
				room++;
			fake.buffer[room] = buffer; /* the test has few threads */
		}
	}
	if (!buffer) {
		fake.dropped++;
		return NULL;
	}
	*in = buffer;
	buffer->used += bytes;
	memset(buffer->at + buffer->used - bytes, 0, bytes);
	PUT(buffer->at + buffer->used - bytes, 0, uint32_t, kind);
	return buffer->at + buffer->used - bytes;
}

static void wait_for_device(uint8_t *record, struct buffer *in, size_t start_at, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < PENDING; i++)
		if (!fake.pending[i].record) {
			bool has_times = !fake.zero || ++fake.n_kernels % fake.zero;

			fake.pending[i] = (struct pending){ record, in, from, to, start_at, has_times };
			in->n_incomplete++;
			return;
		}
}

static void api_record(uint32_t kind, uint32_t call, uint64_t from, uint64_t to, uint32_t correlation)
{
	struct buffer *in;
	uint8_t *record;

	fake.n_calls++;
	if (!fake.enabled[kind] && !(fake.has_call_filter && kind == RUNTIME && fake.runtime_calls[call]))
		return;
	record = record_of(kind, &in);
	if (!record)
		return;
	PUT(record, 4, uint32_t, call);
	PUT(record, 8, uint64_t, from);
	PUT(record, 16, uint64_t, to);
	PUT(record, 24, uint32_t, getpid());
	PUT(record, 28, uint32_t, thread_number());
	PUT(record, 32, uint32_t, correlation);
}

/* Buffers that are full and complete go out, as by CUPTI's own thread. */
static void deliver_full(void)
{
	settle();
	for (unsigned i = 0; i < BUFFERS; i++)
		if (fake.buffer[i] && !fake.buffer[i]->n_incomplete &&
		    fake.buffer[i]->bytes - fake.buffer[i]->used < 512 &&
		    (!fake.is_per_thread || pthread_equal(fake.buffer[i]->owner, pthread_self())))
			deliver(i);
}

static uint8_t *device_work(uint32_t kind, uint32_t stream, uint64_t device_ns, uint32_t correlation)
{
	uint64_t from = now() + 3000, to;
	struct buffer *in;
	uint8_t *record;
	size_t at = kind == GRAPH ? 8 : 16;

	stream %= STREAMS;
	from = from > fake.stream_end[stream] ? from : fake.stream_end[stream];
	to = fake.stream_end[stream] = from + device_ns;
	if (!fake.enabled[kind] || !(record = record_of(kind, &in)))
		return NULL;
	if (kind == KERNEL) {
		PUT(record, 48, uint32_t, stream);
		PUT(record, 44, uint32_t, 1);
		PUT(record, 92, uint32_t, correlation);
		PUT(record, 52, uint32_t, 108);
		PUT(record, 56, uint32_t, 1);
		PUT(record, 60, uint32_t, 1);
		PUT(record, 64, uint32_t, 256);
		PUT(record, 68, uint32_t, 1);
		PUT(record, 72, uint32_t, 1);
		PUT(record, 6, uint16_t, 40);
	} else if (kind == GRAPH) {
		PUT(record, 4, uint32_t, correlation);
		PUT(record, 32, uint32_t, 1);
		PUT(record, 36, uint32_t, stream);
	} else {
		PUT(record, 36, uint32_t, 1);
		PUT(record, 40, uint32_t, stream);
		PUT(record, 44, uint32_t, correlation);
	}
	wait_for_device(record, in, at, from, to);
	return record;
}

static const char *hostile(void)
{
	static char name[5001];

	if (!*name) {
		memset(name, 'x', sizeof name - 1);
		memcpy(name, "_ZN4evilI\x1b[31m\xff\xfe<script>", 25);
	}
	return name;
}

/* Strings that the library owns, as CUPTI owns the names of kernels. */
static char *name_of(const char *text)
{
	static char names[4096][256];
	static unsigned n;
	unsigned i;

	for (i = 0; i < n; i++)
		if (!strcmp(names[i], text))
			return names[i];
	if (n == 4096)
		n = 0;
	snprintf(names[n], sizeof names[n], "%s", text);
	return names[n++];
}

/* As the first launch of a kernel for which there is no code of this device. */
static void compile(void)
{
	enum { COMPILATION = 1, OF_THREAD = 2 };
	uint64_t from = now();
	struct buffer *in;
	uint8_t *record;

	spend(fake.compile_ms * 1000000ull);
	record = fake.enabled[OVERHEAD] ? record_of(OVERHEAD, &in) : NULL;
	if (!record)
		return;
	PUT(record, 4, uint32_t, COMPILATION);
	PUT(record, 8, uint32_t, OF_THREAD);
	PUT(record, 12, uint32_t, getpid());
	PUT(record, 16, uint32_t, thread_number());
	PUT(record, 24, uint64_t, from);
	PUT(record, 32, uint64_t, now());
}

/* A node's address is its number: the graph's in the upper half. */
static void *node_at(uint64_t graph, unsigned at)
{
	return (void *)(uintptr_t)(graph << 32 | (at + 1));
}

static void call_back(uint32_t what, struct graph_data data)
{
	struct resource resource = { .graph = &data };

	if (fake.tells[what])
		fake.callback(NULL, RESOURCE, what, &resource);
}

static void add_node(uint64_t device_ns, const char *name)
{
	uint64_t from = now();

	if (fake.n_nodes == NODES)
		abort();
	pthread_mutex_lock(&fake.lock);
	fake.node[fake.n_nodes] = (struct node){ device_ns, name_of(name) };
	pthread_mutex_unlock(&fake.lock);
	call_back(NODE_CREATED, (struct graph_data){ .node = node_at(CAPTURED, fake.n_nodes++) });
	spend(2000);
	pthread_mutex_lock(&fake.lock);
	api_record(RUNTIME, 211, from, now(), ++fake.correlation);
	pthread_mutex_unlock(&fake.lock);
}

static void on_capture(void)
{
	fake.is_capturing = true;
	fake.n_nodes = 0;
}

static void on_captured(void)
{
	fake.is_capturing = false;
	for (unsigned i = 0; i < fake.n_nodes; i++)
		call_back(NODE_CLONED,
			  (struct graph_data){ .node = node_at(EXECUTABLE, i), .original_node = node_at(CAPTURED, i) });
}

static void on_launch(uint32_t stream, uint64_t device_ns, const char *name)
{
	uint64_t from;
	uint32_t correlation;
	uint8_t *record;

	if (fake.is_capturing) {
		add_node(device_ns, name);
		return;
	}
	pthread_mutex_lock(&fake.lock);
	from = now();
	if (fake.compile_ms && !fake.n_launched)
		compile();
	correlation = ++fake.correlation;
	fake.n_launched++;
	record = device_work(KERNEL, stream, device_ns, correlation);
	if (record)
		PUT(record, 104, const char *, fake.is_hostile &&fake.n_launched % 10 == 0 ? hostile() : name_of(name));
	pthread_mutex_unlock(&fake.lock);
	spend(2000);
	pthread_mutex_lock(&fake.lock);
	api_record(RUNTIME, 211, from, now(), correlation);
	if (fake.is_future && (record = record_of(STRANGE, &(struct buffer *){ NULL })))
		memset(record + 8, 0xee, 64);
	deliver_full();
	pthread_mutex_unlock(&fake.lock);
	if (fake.calls_back && fake.callback)
		fake.callback(NULL, 2, 211, &(uint32_t){ 1 });
}

static void on_copy(uint32_t stream, uint64_t bytes, int direction)
{
	uint64_t from;
	uint32_t correlation;
	uint8_t *record;

	pthread_mutex_lock(&fake.lock);
	from = now();
	correlation = ++fake.correlation;
	record = device_work(COPY, stream, 2000 + bytes / 20, correlation);
	if (record) {
		PUT(record, 4, uint8_t, direction);
		PUT(record, 5, uint8_t, 1);
		PUT(record, 6, uint8_t, 3);
		PUT(record, 8, uint64_t, bytes);
	}
	api_record(RUNTIME, 41, from, now(), correlation);
	pthread_mutex_unlock(&fake.lock);
}

static void run_graph(uint32_t stream, uint64_t graph, const struct node *node, unsigned n_nodes)
{
	uint64_t from, graph_ns = 0;
	uint32_t correlation;
	uint8_t *record;

	pthread_mutex_lock(&fake.lock);
	from = now();
	correlation = ++fake.correlation;
	for (unsigned i = 0; i < n_nodes; i++) {
		graph_ns += node[i].device_ns;
		record = fake.enabled[GRAPH] ? NULL : device_work(KERNEL, stream, node[i].device_ns, correlation);
		if (!record)
			continue;
		PUT(record, 104, char *, name_of(node[i].name));
		PUT(record, 144, uint64_t, (uint64_t)(uintptr_t)node_at(graph, i));
		PUT(record, 156, uint32_t, graph);
	}
	if (fake.enabled[GRAPH] && (record = device_work(GRAPH, stream, graph_ns, correlation)))
		PUT(record, 28, uint32_t, graph);
	api_record(RUNTIME, 311, from, now(), correlation);
	pthread_mutex_unlock(&fake.lock);
}

static void on_graph(uint32_t stream, unsigned n_nodes, uint64_t each_ns, const char *name)
{
	struct node node[NODES];

	for (unsigned i = 0; i < n_nodes && i < NODES; i++)
		node[i] = (struct node){ each_ns, (char *)name };
	run_graph(stream, 7, node, n_nodes);
}

static void on_replay(uint32_t stream)
{
	run_graph(stream, EXECUTABLE, fake.node, fake.n_nodes);
}

static void on_sync(uint32_t stream)
{
	uint64_t from = now(), until;
	uint32_t correlation;

	pthread_mutex_lock(&fake.lock);
	correlation = ++fake.correlation;
	until = fake.stream_end[stream % STREAMS];
	pthread_mutex_unlock(&fake.lock);
	while (now() < until)
		usleep(20);
	pthread_mutex_lock(&fake.lock);
	api_record(RUNTIME, 131, from, now(), correlation);
	deliver_full();
	pthread_mutex_unlock(&fake.lock);
}

/* The interface. */

int cuptiGetVersion(uint32_t *version)
{
	start();
	*version = fake.version;
	return OK;
}

int cuptiGetTimestamp(uint64_t *ns)
{
	start();
	*ns = now();
	return OK;
}

int cuptiGetResultString(int result, const char **text)
{
	*text = result == TAKEN ? "FAKE_ERROR_TAKEN" : result ? "FAKE_ERROR" : "FAKE_OK";
	return OK;
}

int cuptiSubscribe(void **subscriber, void *callback, void *data)
{
	start();
	(void)data;
	*(void **)&fake.callback = callback;
	if (fake.has_no_driver)
		return NOT_INITIALIZED;
	if (fake.is_taken || fake.is_subscribed)
		return TAKEN;
	fake.is_subscribed = true;
	*subscriber = &fake;
	return OK;
}

int cuptiUnsubscribe(void *subscriber)
{
	(void)subscriber;
	fake.n_unsubscribed++;
	fake.is_subscribed = false;
	return OK;
}

int cuptiSetThreadIdType(int type)
{
	start();
	if (fake.has_no_driver)
		return NOT_INITIALIZED;
	fake.asks_system = type == 1;
	return OK;
}

int cuptiActivityRegisterCallbacks(requested request, completed complete)
{
	start();
	fake.request = request;
	fake.complete = complete;
	return OK;
}

int cuptiActivityEnable(uint32_t kind)
{
	start();
	if (fake.has_no_driver)
		return NOT_INITIALIZED;
	if (fake.refuse && kind == KERNEL)
		return fake.refuse;
	if (!size_of(kind))
		return INVALID_KIND;
	fake.enabled[kind] = true;
	return OK;
}

int cuptiActivityDisable(uint32_t kind)
{
	fake.enabled[kind % KINDS] = false;
	return OK;
}

/* From 12.5 on. */
int cuptiActivityEnableRuntimeApi(uint32_t call, uint8_t enable)
{
	start();
	if (fake.version < 23)
		return INVALID;
	fake.has_call_filter = true;
	fake.runtime_calls[call % 1024] = enable;
	return OK;
}

int cuptiActivityFlushAll(uint32_t flag)
{
	if (fake.has_no_driver)
		return NOT_INITIALIZED;
	fake.n_flushed++;
	pthread_mutex_lock(&fake.lock);
	settle();
	for (unsigned i = 0; i < BUFFERS; i++)
		if (fake.buffer[i] && fake.buffer[i]->used && (flag & 1 || !fake.buffer[i]->n_incomplete)) {
			for (unsigned p = 0; p < PENDING; p++) /* delivered incomplete: nothing follows */
				if (fake.pending[p].record && fake.pending[p].in == fake.buffer[i])
					fake.pending[p].record = NULL;
			deliver(i);
		}
	pthread_mutex_unlock(&fake.lock);
	return OK;
}

int cuptiActivityFlushPeriod(uint32_t ms)
{
	(void)ms;
	return fake.has_no_driver ? NOT_INITIALIZED : OK;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record)
{
	uint8_t *at;
	size_t size;

	start();
	if (!*record)
		at = buffer;
	else
		at = (uint8_t *)*record + size_of(*(uint32_t *)*record);
	if (at + 8 > buffer + bytes)
		return END;
	size = size_of(*(uint32_t *)(void *)at);
	if (!size)
		return INVALID_KIND;
	if (at + size > buffer + bytes)
		return END;
	*record = at;
	return OK;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
	(void)context;
	(void)stream;
	*dropped = fake.dropped;
	fake.dropped = 0;
	return OK;
}

int cuptiFinalize(void)
{
	fake.n_finalized++;
	fake.calls_back = 0;
	fake.is_subscribed = false;
	memset(fake.enabled, 0, sizeof fake.enabled);
	return OK;
}

int cuptiEnableDomain(uint32_t enable, void *subscriber, int domain)
{
	(void)subscriber;
	if (domain == 2)
		fake.calls_back = enable;
	return OK;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t what)
{
	(void)subscriber;
	if (domain != RESOURCE || what >= sizeof fake.tells / sizeof *fake.tells)
		return INVALID;
	fake.tells[what] = enable;
	return OK;
}

int cuptiGetGraphNodeId(void *node, uint64_t *number)
{
	*number = (uint64_t)(uintptr_t)node;
	return OK;
}

static const struct fake_observer observer = {
	on_launch, on_copy, on_graph, on_sync, on_capture, on_captured, on_replay
};

__attribute__((constructor)) static void begin(void)
{
	fake_observe(&observer);
}

__attribute__((destructor)) static void end(void)
{
	tell();
}
