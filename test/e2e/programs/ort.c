/* SPDX-License-Identifier: Apache-2.0 */
/* The C API of ONNX Runtime as the test programs use it, see ort.h. */
#include "ort.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Call a slot with the types of its arguments: CALL(api, ORT_X, (void *, int), (pointer, 3)). */
#define CALL(api, slot, types, args) (((void *(*)types)(api)[slot])args)

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * Whether pages of a mapping count, by its line in /proc/self/smaps: the C library's heap has steps of more than a MiB
 * without any recorder, and rings become larger when a recorder is late.
 */
static const char *counted(const char *line, unsigned long offset)
{
	enum { RINGS = (128 << 10) + (40 << 20) }; /* SEGMENT_RINGS */

	if (strstr(line, ".segment")) /* its pages are the recorder's, too */
		return offset < RINGS ? "Rss:" : NULL;
	return strstr(line, "[heap]") ? NULL : "Private_Dirty:";
}

void print_memory(FILE *out)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	const char *what = NULL;
	unsigned long offset;
	char line[4096];
	long total = 0;

	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%*x-%*x %*s %lx ", &offset) == 1)
			what = counted(line, offset);
		else if (what && !strncmp(line, what, strlen(what)))
			total += atol(line + strlen(what));
	fprintf(out, "%ld\n", total);
	fclose(maps);
}

void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static const char *message(struct ort *ort, void *status)
{
	char *text = NULL;

	if (status) {
		text = strdup(CALL(ort->api, ORT_ERROR_MESSAGE, (void *), (status)));
		CALL(ort->api, ORT_RELEASE_STATUS, (void *), (status));
	}
	return text;
}

static void must(struct ort *ort, const char *what, void *status)
{
	const char *why = message(ort, status);

	if (why)
		die(what, why);
}

void ort_open(struct ort *ort, struct ort_base *base)
{
	ort->api = base->get_api(8);
	if (!ort->api)
		die("cannot get the API", base->version());
	must(ort, "env", CALL(ort->api, ORT_CREATE_ENV, (int, const char *, void **), (4, "test", &ort->env)));
	must(ort, "memory", CALL(ort->api, ORT_CREATE_CPU_MEMORY, (int, int, void **), (0, 0, &ort->memory)));
}

void ort_close(struct ort *ort)
{
	CALL(ort->api, ORT_RELEASE_MEMORY, (void *), (ort->memory));
	CALL(ort->api, ORT_RELEASE_ENV, (void *), (ort->env));
}

static void read_shape(struct model *model, const char *text)
{
	model->len = 1;
	model->rank = 0;
	for (char *end; model->rank < 8; text = end + 1) {
		model->shape[model->rank] = strtol(text, &end, 10);
		model->len *= (size_t)model->shape[model->rank++];
		if (!*end)
			break;
	}
	model->input = calloc(model->len, sizeof(float));
	for (size_t i = 0; i < model->len; i++)
		model->input[i] = (float)i / (float)model->len;
}

const char *model_try_open(struct model *model, struct ort *ort, const char *path, const char *shape, size_t out_len,
			   int threads)
{
	void *options;
	const char *why;

	memset(model, 0, sizeof(*model));
	model->ort = ort;
	model->out_len = out_len;
	must(ort, "options", CALL(ort->api, ORT_CREATE_OPTIONS, (void **), (&options)));
	must(ort, "severity", CALL(ort->api, ORT_SET_SEVERITY, (void *, int), (options, 4)));
	must(ort, "threads", CALL(ort->api, ORT_SET_THREADS, (void *, int), (options, threads)));
	if (getenv("TEST_PROFILE"))
		must(ort, "profiling",
		     CALL(ort->api, ORT_ENABLE_PROFILING, (void *, const char *), (options, getenv("TEST_PROFILE"))));
	if (getenv("TEST_CONFIG"))
		must(ort, "config",
		     CALL(ort->api, ORT_ADD_CONFIG, (void *, const char *, const char *),
			  (options, getenv("TEST_CONFIG"), "0")));
	must(ort, "run options", CALL(ort->api, ORT_CREATE_RUN_OPTIONS, (void **), (&model->run_options)));
	why = message(ort, CALL(ort->api, ORT_CREATE_SESSION, (void *, const char *, void *, void **),
				(ort->env, path, options, &model->session)));
	CALL(ort->api, ORT_RELEASE_OPTIONS, (void *), (options));
	read_shape(model, shape);
	return why;
}

void model_open(struct model *model, struct ort *ort, const char *path, const char *shape, size_t out_len)
{
	const char *why = model_try_open(model, ort, path, shape, out_len, 1);

	if (why)
		die(path, why);
}

void model_close(struct model *model)
{
	CALL(model->ort->api, ORT_RELEASE_RUN_OPTIONS, (void *), (model->run_options));
	CALL(model->ort->api, ORT_RELEASE_SESSION, (void *), (model->session));
	free(model->input);
}

static void *tensor(struct model *model)
{
	void *value;

	must(
	    model->ort, "tensor",
	    CALL(model->ort->api, ORT_CREATE_TENSOR, (void *, void *, size_t, const int64_t *, size_t, int, void **),
		 (model->ort->memory, model->input, model->len * sizeof(float), model->shape, model->rank, 1, &value)));
	return value;
}

static uint64_t checksum(struct model *model, void *value)
{
	uint64_t sum = 1469598103934665603u;
	unsigned char *data;

	must(model->ort, "data", CALL(model->ort->api, ORT_TENSOR_DATA, (void *, void **), (value, (void **)&data)));
	for (size_t i = 0; i < model->out_len * sizeof(float); i++)
		sum = (sum ^ data[i]) * 1099511628211u;
	return sum;
}

static const char *const input_names[] = { "x" }, *const output_names[] = { "y" };

const char *model_try_run(struct model *model, uint64_t *sum)
{
	struct ort *ort = model->ort;
	void *in = tensor(model), *out = NULL;
	const char *why;

	why = message(ort,
		      CALL(ort->api, ORT_RUN,
			   (void *, void *, const char *const *, void **, size_t, const char *const *, size_t, void **),
			   (model->session, model->run_options, input_names, &in, 1, output_names, 1, &out)));
	if (!why)
		*sum = checksum(model, out);
	CALL(ort->api, ORT_RELEASE_VALUE, (void *), (in));
	CALL(ort->api, ORT_RELEASE_VALUE, (void *), (out));
	return why;
}

uint64_t model_run(struct model *model)
{
	uint64_t sum = 0;
	const char *why = model_try_run(model, &sum);

	if (why)
		die("run", why);
	return sum;
}

struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int done;
	void *status;
};

static void async_done(void *user_data, void **outputs, size_t n, void *status)
{
	struct waiting *waiting = user_data;

	pthread_mutex_lock(&waiting->lock);
	waiting->done = 1;
	waiting->status = status;
	pthread_cond_signal(&waiting->cond);
	pthread_mutex_unlock(&waiting->lock);
}

uint64_t model_run_async(struct model *model)
{
	struct ort *ort = model->ort;
	struct waiting waiting = { .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER };
	void *in = tensor(model), *out = NULL;
	uint64_t sum;

	must(ort, "run async",
	     CALL(ort->api, ORT_RUN_ASYNC,
		  (void *, void *, const char *const *, void **, size_t, const char *const *, size_t, void **, void *,
		   void *),
		  (model->session, model->run_options, input_names, &in, 1, output_names, 1, &out, async_done,
		   &waiting)));
	pthread_mutex_lock(&waiting.lock);
	while (!waiting.done)
		pthread_cond_wait(&waiting.cond, &waiting.lock);
	pthread_mutex_unlock(&waiting.lock);
	must(ort, "asynchronous run", waiting.status);
	sum = checksum(model, out);
	CALL(ort->api, ORT_RELEASE_VALUE, (void *), (in));
	CALL(ort->api, ORT_RELEASE_VALUE, (void *), (out));
	return sum;
}

uint64_t model_run_bound(struct model *model)
{
	struct ort *ort = model->ort;
	void *in = tensor(model), *out, *binding;
	float *numbers = calloc(model->out_len, sizeof(float));
	struct model as_output = *model;
	uint64_t sum;

	as_output.input = numbers; /* models that are run this way give "y" the shape of "x" */
	out = tensor(&as_output);
	must(ort, "binding", CALL(ort->api, ORT_CREATE_BINDING, (void *, void **), (model->session, &binding)));
	must(ort, "input", CALL(ort->api, ORT_BIND_INPUT, (void *, const char *, void *), (binding, "x", in)));
	must(ort, "output", CALL(ort->api, ORT_BIND_OUTPUT, (void *, const char *, void *), (binding, "y", out)));
	must(ort, "bound run",
	     CALL(ort->api, ORT_RUN_WITH_BINDING, (void *, void *, void *),
		  (model->session, model->run_options, binding)));
	sum = checksum(model, out);
	CALL(ort->api, ORT_RELEASE_BINDING, (void *), (binding));
	CALL(ort->api, ORT_RELEASE_VALUE, (void *), (in));
	CALL(ort->api, ORT_RELEASE_VALUE, (void *), (out));
	free(numbers);
	return sum;
}
