// SPDX-License-Identifier: Apache-2.0
/* Recordings as the recorder writes them, through its writer. Their inferences have no meaning. */
#include "made_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/perfetto/perfetto_write.h"

enum { N_THREADS = 4, N_TYPES = 12, N_TRANSFORMERS = 8, N_COUNTERS = 6, SAMPLE_NS = 10000000 };

struct maker {
	const struct made_recording *made;
	struct sink *sink;
	struct err *err;
	int code; /* of the first failure */
	uint32_t process, node[MADE_MAX_NODES], op_type[N_TYPES], transformer[N_TRANSFORMERS];
	uint32_t provider, model, ok, load, creating;
	int n_threads;
	uint32_t thread[MADE_MAX_THREADS], lane[MADE_MAX_THREADS], counter[N_COUNTERS];
	uint64_t time_ns[MADE_MAX_THREADS], begun_ns, random; /* begun: the last inference */
	uint64_t sampled_ns;
	struct arg args[8];
};

const char *made_recording_name(enum made_kind kind)
{
	static const char *const names[] = { "operators", "inferences alone", "a session for each inference",
					     "a tag and shapes for each inference", "a thread for each inference" };

	return names[kind];
}

static void put(struct maker *maker, struct event event, size_t n_args)
{
	event.args = maker->args;
	event.n_args = n_args;
	if (!maker->code)
		maker->code = sink_put(maker->sink, &event, maker->err);
}

static uint32_t define(struct maker *maker, struct track_def def)
{
	uint32_t track = sink_new_track(maker->sink);

	put(maker, (struct event){ EVENT_TRACK, .track = track, .def = &def }, 0);
	return track;
}

static uint32_t name_of(struct maker *maker, const char *format, int number)
{
	char text[64];

	snprintf(text, sizeof text, format, number);
	return names_of(maker->sink->names, text);
}

static uint32_t pass(struct maker *maker, const char *format, unsigned long long number)
{
	char text[64];
	int len = snprintf(text, sizeof text, format, number);

	return names_pass(maker->sink->names, text, (size_t)len);
}

static void define_resources(struct maker *maker)
{
	static const struct {
		const char *name, *unit;
	} counters[N_COUNTERS] = {
		{ "cpu", "%" },		 { "rss", "bytes" }, { "major faults", "count" }, { "page faults", "count" },
		{ "peak rss", "bytes" }, { "pss", "bytes" }
	};
	struct names *names = maker->sink->names;

	for (int i = 0; i < N_COUNTERS; i++)
		maker->counter[i] = define(maker, (struct track_def){ TRACK_COUNTER, maker->process,
								      .name = names_of(names, counters[i].name),
								      .unit = names_of(names, counters[i].unit) });
}

static void put_samples(struct maker *maker)
{
	if (!maker->made->has_resources || maker->begun_ns < maker->sampled_ns + SAMPLE_NS)
		return;
	maker->sampled_ns = maker->begun_ns;
	for (int i = 0; i < N_COUNTERS; i++)
		put(maker,
		    (struct event){ EVENT_COUNTER, .track = maker->counter[i], .time_ns = maker->sampled_ns,
				    .value = (double)(maker->random >> (40 + i)) * (i % 2 ? 1000 : 1e-5) },
		    0);
}

static void begin_recording(struct maker *maker)
{
	struct names *names = maker->sink->names;

	maker->random = 1;
	maker->provider = names_of(names, "CPUExecutionProvider");
	maker->model = names_of(names, "bench");
	maker->ok = names_of(names, "ok");
	maker->load = names_of(names, "load");
	for (int i = 0; i < N_TYPES; i++)
		maker->op_type[i] = name_of(maker, "Type%d", i);
	for (int i = 0; i < MADE_MAX_NODES; i++)
		maker->node[i] = name_of(maker, "/layer/conv%d/Conv", i);
	for (int i = 0; i < N_TRANSFORMERS; i++)
		maker->transformer[i] = name_of(maker, "Fusion%d", i);
	maker->process = define(maker, (struct track_def){ TRACK_PROCESS, .pid = 1000, .name = maker->model });
	for (int i = 0; i < maker->n_threads; i++) {
		maker->thread[i] =
		    define(maker, (struct track_def){ TRACK_THREAD, maker->process, .pid = 1000, .tid = 1001 + i });
		maker->lane[i] = define(maker, (struct track_def){ TRACK_LANE, maker->process, .name = maker->model });
		maker->time_ns[i] = 1000000000;
	}
	maker->creating =
	    define(maker, (struct track_def){ TRACK_LANE, maker->process, .name = names_of(names, "creation") });
	if (maker->made->has_resources)
		define_resources(maker);
	maker->args[0] = arg_name(KEY_LEVEL, names_of(names, "operator"));
	put(maker,
	    (struct event){ EVENT_INSTANT, KIND_NOTE, maker->process, names_of(names, EVENT_NOTE_RECORDING),
			    1000000000 },
	    1);
}

/* Durations that vary as on a real machine. */
static uint64_t step(struct maker *maker, int thread, uint64_t ns)
{
	maker->random = maker->random * 6364136223846793005u + 1442695040888963407u;
	return maker->time_ns[thread] += ns + ns * (maker->random >> 40) / (8u << 24);
}

static void put_operators(struct maker *maker, int thread, uint32_t track, uint64_t number, int n)
{
	for (int node = 0; node < n; node++) {
		maker->args[0] = arg_name(KEY_OP_TYPE, maker->op_type[node % N_TYPES]);
		maker->args[1] = arg_name(KEY_PROVIDER, maker->provider);
		maker->args[2] = arg_int(KEY_INFERENCE, (int64_t)number);
		put(maker,
		    (struct event){ EVENT_BEGIN, KIND_OPERATOR, track, maker->node[node], step(maker, thread, 100) },
		    3);
		put(maker,
		    (struct event){ EVENT_END, .track = track,
				    .time_ns = step(maker, thread, 500 + (uint64_t)node * 20) },
		    0);
	}
}

static void put_note(struct maker *maker, const char *topic, uint64_t session, uint64_t time_ns)
{
	maker->args[0] = arg_name(KEY_MODEL, maker->model);
	maker->args[1] = arg_int(KEY_SESSION, (int64_t)session);
	maker->args[2] = arg_name(KEY_PROVIDERS, maker->provider);
	put(maker,
	    (struct event){ EVENT_INSTANT, KIND_NOTE, maker->process, names_of(maker->sink->names, topic), time_ns },
	    3);
}

static void put_creation(struct maker *maker, uint64_t session)
{
	struct event end = { EVENT_END, .track = maker->creating };

	maker->args[0] = arg_name(KEY_MODEL, maker->model);
	maker->args[1] = arg_int(KEY_SESSION, (int64_t)session);
	put(maker, (struct event){ EVENT_BEGIN, KIND_SESSION, maker->creating, maker->model, step(maker, 0, 1000) }, 2);
	put(maker, (struct event){ EVENT_BEGIN, KIND_LOAD, maker->creating, maker->load, step(maker, 0, 1000) }, 0);
	end.time_ns = step(maker, 0, 100000);
	put(maker, end, 0);
	for (int i = 0; i < N_TRANSFORMERS; i++) {
		put(maker,
		    (struct event){ EVENT_BEGIN, KIND_SPECIALIZE, maker->creating, maker->transformer[i],
				    step(maker, 0, 100) },
		    0);
		maker->args[0] = arg_int(KEY_MODIFIED, i % 2);
		end.time_ns = step(maker, 0, 10000);
		put(maker, end, 1);
	}
	maker->args[0] = arg_name(KEY_STATUS, maker->ok);
	end.time_ns = step(maker, 0, 1000);
	put(maker, end, 1);
	put_note(maker, EVENT_NOTE_CREATED, session, end.time_ns);
}

static void put_inference(struct maker *maker, uint64_t number)
{
	enum made_kind kind = maker->made->kind;
	int thread = kind == MADE_SESSIONS ? 0 : (int)(number / 5 % (uint64_t)maker->n_threads);
	uint64_t session = kind == MADE_SESSIONS ? number : 1;
	uint32_t track = maker->thread[thread];
	size_t n = 4;

	if (maker->time_ns[thread] < maker->begun_ns)
		maker->time_ns[thread] = maker->begun_ns;
	if (kind == MADE_SESSIONS)
		put_creation(maker, session);
	maker->args[0] = arg_name(KEY_MODEL, maker->model);
	maker->args[1] = arg_int(KEY_SESSION, (int64_t)session);
	maker->args[2] = arg_int(KEY_ID, kind == MADE_SESSIONS ? 1 : (int64_t)number);
	maker->args[3] = arg_int(KEY_INFERENCE, (int64_t)number);
	if (kind == MADE_TEXTS) {
		maker->args[n++] = arg_name(KEY_TAG, pass(maker, "request %llu of a user", number));
		maker->args[n++] = arg_name(KEY_SHAPES, pass(maker, "float32[1x%llu]", number));
	}
	put(maker,
	    (struct event){ EVENT_BEGIN, KIND_INFERENCE, maker->lane[thread], maker->model, step(maker, thread, 1000) },
	    n);
	maker->begun_ns = maker->time_ns[thread];
	put_samples(maker);
	if (kind == MADE_THREADS)
		track = define(maker, (struct track_def){ TRACK_THREAD, maker->process, .pid = 1000,
							  .tid = (int32_t)(number % 4000000) + 2000,
							  .name = pass(maker, "worker %llu", number % 1000) });
	if (kind == MADE_OPERATORS)
		put_operators(maker, thread, track, number, maker->made->n_nodes);
	else if (kind == MADE_THREADS)
		put_operators(maker, thread, track, number, MADE_THREAD_NODES);
	maker->args[0] = arg_name(KEY_STATUS, maker->ok);
	put(maker, (struct event){ EVENT_END, .track = maker->lane[thread], .time_ns = step(maker, thread, 500) }, 1);
	if (kind == MADE_SESSIONS)
		put_note(maker, EVENT_NOTE_RELEASED, session, maker->time_ns[0]);
}

static int write_it(struct maker *maker, struct perfetto_writer *writer)
{
	struct err ignored;
	int code;

	maker->sink = perfetto_write_sink(writer);
	begin_recording(maker);
	for (uint64_t number = 1; !maker->code && number <= maker->made->n_inferences; number++)
		put_inference(maker, number);
	code = perfetto_write_free(writer, maker->code ? &ignored : maker->err);
	return maker->code ? maker->code : code;
}

int made_recording_write(const struct made_recording *made, const char *path, struct err *err)
{
	const struct perfetto_write_opts opts = { .compress = made->is_compressed };
	struct maker maker = { .made = made, .err = err, .n_threads = made->n_threads ? made->n_threads : N_THREADS };
	struct names *names = names_new();
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), code = -ENOMEM;
	struct perfetto_writer *writer = NULL;
	uint32_t last_track = 0;

	if (fd < 0)
		code = err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
	else if (names)
		writer = perfetto_write_new(fd, names, &last_track, &opts, err);
	if (writer)
		code = write_it(&maker, writer);
	if (fd >= 0)
		close(fd);
	names_free(names);
	return code;
}
