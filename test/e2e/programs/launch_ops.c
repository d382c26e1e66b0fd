/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of the domain "test" that launch kernels of a fake driver (test/fake/cuda), as a provider of a GPU does.
 * FAKE_DRIVER names another one: libamdhip64.so.6, libze_loader.so.1.
 *
 *   Launch  y = x + 1. Attributes kernels (how many), stream, us (of each), copies (bytes to the device before, 0:
 * none), waits (1: for its stream), graph (1: its kernels are one graph), tries (kernels of 20 times the time that it
 * launches before, the first time), capture (1: its first call and those behind it are captured, until the operator
 * with 2, which replays the graph; later calls launch nothing but that)
 *
 * A kernel is named after the first output of its node, which tests call like the node: _ZN4test<kernel of NODE>.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	CREATE_DOMAIN = 26,
	DOMAIN_ADD = 27,
	ADD_DOMAIN = 28,
	TENSOR_DATA = 51,
	ATTRIBUTE_INT64 = 86,
	CONTEXT_INPUT = 90,
	CONTEXT_OUTPUT = 91,
	OUTPUT_NAME = 233,
	FLOAT = 1,
	LEN = 4,
	VERSION = 16,
};

struct base {
	void **(*get_api)(uint32_t version);
};

struct custom_op {
	uint32_t version;
	void *(*create)(const void *op, void **api, const void *info);
	const char *(*name)(const void *op);
	const char *(*provider)(const void *op);
	int (*input_type)(const void *op, size_t index);
	size_t (*n_inputs)(const void *op);
	int (*output_type)(const void *op, size_t index);
	size_t (*n_outputs)(const void *op);
	void (*compute)(void *kernel, void *context);
	void (*destroy)(void *kernel);
	int (*input_kind)(const void *op, size_t index);
	int (*output_kind)(const void *op, size_t index);
	int (*input_memory)(const void *op, size_t index);
	int (*min_inputs)(const void *op);
	int (*same_inputs)(const void *op);
	int (*min_outputs)(const void *op);
	int (*same_outputs)(const void *op);
	void *create_v2, *compute_v2;
};

struct kernel {
	void **api;
	int64_t n, stream, us, copies, waits, graph, tries, capture;
	int is_captured;
	char name[8][128];
};

static void (*launch)(uint32_t, uint64_t, const char *);
static void (*copy)(uint32_t, uint64_t, int);
static void (*graph)(uint32_t, unsigned, uint64_t, const char *);
static void (*sync_stream)(uint32_t), (*replay)(uint32_t);
static void (*capture)(void), (*captured)(void);
static int is_capturing;

void *RegisterCustomOps(void *options, const struct base *base);

static int64_t attribute(void **api, const void *info, const char *name)
{
	int64_t value = 0;

	((void *(*)(const void *, const char *, int64_t *))api[ATTRIBUTE_INT64])(info, name, &value);
	return value;
}

static void *create(const void *op, void **api, const void *info)
{
	struct kernel *kernel = calloc(1, sizeof *kernel);
	char node[64] = "", part[96];
	size_t size = sizeof node;

	(void)op;
	kernel->api = api;
	((void *(*)(const void *, size_t, char *, size_t *))api[OUTPUT_NAME])(info, 0, node, &size);
	kernel->n = attribute(api, info, "kernels");
	kernel->stream = attribute(api, info, "stream");
	kernel->us = attribute(api, info, "us");
	kernel->copies = attribute(api, info, "copies");
	kernel->waits = attribute(api, info, "waits");
	kernel->graph = attribute(api, info, "graph");
	kernel->tries = attribute(api, info, "tries");
	kernel->capture = attribute(api, info, "capture");
	for (int i = 0; i < kernel->n && i < 8; i++) {
		int len = snprintf(part, sizeof part, "kernel_of_%s", node);

		snprintf(kernel->name[i], sizeof kernel->name[i], "_ZN4test%d%sIfLi%dEEEvPKT_Pf", len, part, i);
	}
	return kernel;
}

/* Before and after an operator's own kernels. */
static void begin_capture(struct kernel *kernel)
{
	if (kernel->capture != 1 || kernel->is_captured)
		return;
	is_capturing = 1;
	capture();
}

static void end_capture(struct kernel *kernel)
{
	kernel->is_captured |= is_capturing;
	if (kernel->capture != 2)
		return;
	if (is_capturing)
		captured();
	is_capturing = 0;
	replay((uint32_t)kernel->stream);
}

static void compute(void *opaque, void *context)
{
	struct kernel *kernel = opaque;
	const int64_t shape[] = { LEN };
	const void *in = NULL;
	void *out = NULL;
	float *x, *y;

	((void *(*)(void *, size_t, const void **))kernel->api[CONTEXT_INPUT])(context, 0, &in);
	((void *(*)(void *, size_t, const int64_t *, size_t, void **))kernel->api[CONTEXT_OUTPUT])(context, 0, shape, 1,
												   &out);
	((void *(*)(const void *, float **))kernel->api[TENSOR_DATA])(in, &x);
	((void *(*)(void *, float **))kernel->api[TENSOR_DATA])(out, &y);
	for (int i = 0; i < LEN; i++)
		y[i] = x[i] + 1;
	if (kernel->copies)
		copy((uint32_t)kernel->stream, (uint64_t)kernel->copies, 1);
	for (; kernel->tries > 0; kernel->tries--)
		launch((uint32_t)kernel->stream, (uint64_t)kernel->us * 20000, kernel->name[0]);
	begin_capture(kernel);
	for (int64_t i = 0; i < kernel->n && !kernel->graph && !kernel->is_captured; i++)
		launch((uint32_t)kernel->stream, (uint64_t)kernel->us * 1000, kernel->name[i % 8]);
	if (kernel->graph)
		graph((uint32_t)kernel->stream, (unsigned)kernel->n, (uint64_t)kernel->us * 1000, kernel->name[0]);
	end_capture(kernel);
	if (kernel->waits)
		sync_stream((uint32_t)kernel->stream);
}

static const char *name(const void *op)
{
	(void)op;
	return "Launch";
}

static const char *provider(const void *op)
{
	(void)op;
	return NULL;
}

static int type(const void *op, size_t index)
{
	(void)op;
	(void)index;
	return FLOAT;
}

static size_t one(const void *op)
{
	(void)op;
	return 1;
}

static int required(const void *op, size_t index)
{
	(void)op;
	(void)index;
	return 0;
}

static int least(const void *op)
{
	(void)op;
	return 1;
}

void *RegisterCustomOps(void *options, const struct base *base)
{
	static const struct custom_op op = {
		.version = VERSION - 3,
		.create = create,
		.name = name,
		.provider = provider,
		.input_type = type,
		.n_inputs = one,
		.output_type = type,
		.n_outputs = one,
		.compute = compute,
		.destroy = free,
		.input_kind = required,
		.output_kind = required,
		.input_memory = required,
		.min_inputs = least,
		.same_inputs = least,
		.min_outputs = least,
		.same_outputs = least,
	};
	static const char *const inits[] = { "hipInit", "zeInit", "cuInit" }; /* all have the one of cuda.c */
	const char *driver = getenv("FAKE_DRIVER");
	void **api = base->get_api(VERSION), *domain, *status,
	     *cuda = dlopen(driver ? driver : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	int (*init)(unsigned) = NULL;

	if (!cuda) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	for (size_t i = 0; i < sizeof inits / sizeof *inits && !init; i++)
		*(void **)&init = dlsym(cuda, inits[i]);
	*(void **)&launch = dlsym(cuda, "fake_launch");
	*(void **)&copy = dlsym(cuda, "fake_copy");
	*(void **)&graph = dlsym(cuda, "fake_graph");
	*(void **)&capture = dlsym(cuda, "fake_capture");
	*(void **)&captured = dlsym(cuda, "fake_captured");
	*(void **)&replay = dlsym(cuda, "fake_replay");
	*(void **)&sync_stream = dlsym(cuda, "fake_sync");
	init(0);
	status = ((void *(*)(const char *, void **))api[CREATE_DOMAIN])("test", &domain);
	if (!status)
		status = ((void *(*)(void *, const void *))api[DOMAIN_ADD])(domain, &op);
	return status ? status : ((void *(*)(void *, void *))api[ADD_DOMAIN])(options, domain);
}
