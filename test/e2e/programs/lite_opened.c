// SPDX-License-Identifier: Apache-2.0
/*
 * lite_opened HOW LIBRARY MODEL RUNS [TIMES]: a program in C that opens a library of TensorFlow Lite, and runs a model
 * with one input and one output of floats. HOW: interpreter (TfLiteInterpreter*), xnnpack (the same with that
 * delegate), compiled (LiteRtCompiledModel). RUNS 0: until standard input ends, after "ready". Prints a digest of each
 * output, or at the end how many differ. Writes times like liteprogram.py.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static void *library;

static void *symbol(const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		fprintf(stderr, "no %s\n", name);
		exit(1);
	}
	return found;
}

/* Functions with up to six words as arguments. */
#define CALL(name, ...) (((uintptr_t (*)())symbol(#name))(__VA_ARGS__))
/* The same of functions that return a status. */
#define MUST(name, ...) must((int)CALL(name, __VA_ARGS__), #name)

static void must(int status, const char *name)
{
	if (!status)
		return;
	fprintf(stderr, "%s failed: %d\n", name, status);
	exit(1);
}

struct model {
	void *interpreter; /* of TfLite; NULL: */
	void *compiled;
	void *buffers[2]; /* its input and its output */
	size_t n_bytes[2];
	float *data;
};

static float value(size_t i, unsigned seed)
{
	return (float)((i * 2654435761u + seed * 40503u) % 1000) / 500 - 1;
}

static void open_interpreter(struct model *model, const char *path, int has_delegate)
{
	void *file = (void *)CALL(TfLiteModelCreateFromFile, path);
	void *options = (void *)CALL(TfLiteInterpreterOptionsCreate, 0);
	/* its options by their defaults: zeros */
	static const uint64_t defaults[32];

	if (has_delegate)
		CALL(TfLiteInterpreterOptionsAddDelegate, options, CALL(TfLiteXNNPackDelegateCreate, defaults));
	model->interpreter = (void *)CALL(TfLiteInterpreterCreate, file, options);
	MUST(TfLiteInterpreterAllocateTensors, model->interpreter);
	model->buffers[0] = (void *)CALL(TfLiteInterpreterGetInputTensor, model->interpreter, 0);
	model->buffers[1] = (void *)CALL(TfLiteInterpreterGetOutputTensor, model->interpreter, 0);
	for (int i = 0; i < 2; i++)
		model->n_bytes[i] = CALL(TfLiteTensorByteSize, model->buffers[i]);
}

static void open_compiled(struct model *model, const char *path)
{
	void *environment, *file, *options, *signature, *tensor, *requirements;
	uint64_t type[64];

	MUST(LiteRtCreateEnvironment, 0, NULL, &environment);
	MUST(LiteRtCreateModelFromFile, environment, path, &file);
	MUST(LiteRtCreateOptions, &options);
	MUST(LiteRtSetOptionsHardwareAccelerators, options, 1);
	MUST(LiteRtCreateCompiledModel, environment, file, options, &model->compiled);
	MUST(LiteRtGetModelSignature, file, (size_t)0, &signature);
	for (int i = 0; i < 2; i++) {
		if (i) {
			MUST(LiteRtGetSignatureOutputTensorByIndex, signature, (size_t)0, &tensor);
			MUST(LiteRtGetCompiledModelOutputBufferRequirements, model->compiled, (size_t)0, (size_t)0,
			     &requirements);
		} else {
			MUST(LiteRtGetSignatureInputTensorByIndex, signature, (size_t)0, &tensor);
			MUST(LiteRtGetCompiledModelInputBufferRequirements, model->compiled, (size_t)0, (size_t)0,
			     &requirements);
		}
		MUST(LiteRtGetRankedTensorType, tensor, type);
		MUST(LiteRtCreateManagedTensorBufferFromRequirements, environment, type, requirements,
		     &model->buffers[i]);
		MUST(LiteRtGetTensorBufferPackedSize, model->buffers[i], &model->n_bytes[i]);
	}
}

static void copy(struct model *model, int number, float *data)
{
	enum { READ, WRITE };
	void *at;

	if (!model->compiled) {
		if (number)
			MUST(TfLiteTensorCopyToBuffer, model->buffers[1], data, model->n_bytes[1]);
		else
			MUST(TfLiteTensorCopyFromBuffer, model->buffers[0], data, model->n_bytes[0]);
		return;
	}
	MUST(LiteRtLockTensorBuffer, model->buffers[number], &at, number ? READ : WRITE);
	memcpy(number ? (void *)data : at, number ? at : (void *)data, model->n_bytes[number]);
	MUST(LiteRtUnlockTensorBuffer, model->buffers[number]);
}

static void run(struct model *model)
{
	if (model->compiled)
		MUST(LiteRtRunCompiledModel, model->compiled, (size_t)0, (size_t)1, &model->buffers[0], (size_t)1,
		     &model->buffers[1]);
	else
		MUST(TfLiteInterpreterInvoke, model->interpreter);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The digest of what comes out. */
static uint64_t infer(struct model *model, unsigned seed, FILE *times)
{
	uint64_t start, digest = 1469598103934665603u;

	for (size_t i = 0; i < model->n_bytes[0] / sizeof(float); i++)
		model->data[i] = value(i, seed);
	copy(model, 0, model->data);
	start = now_ns();
	run(model);
	if (times)
		fprintf(times, "%lu %lu %d\n", start, now_ns(), gettid());
	copy(model, 1, model->data);
	for (size_t i = 0; i < model->n_bytes[1]; i++)
		digest = (digest ^ ((unsigned char *)model->data)[i]) * 1099511628211u;
	return digest;
}

static int serve(struct model *model, FILE *times)
{
	uint64_t first = infer(model, 0, NULL);
	int runs = 0, differ = 0;
	char end;

	puts("ready");
	fflush(stdout);
	for (;; runs++) {
		fd_set input;
		FD_ZERO(&input);
		FD_SET(0, &input);
		if (select(1, &input, NULL, NULL, &(struct timeval){ .tv_usec = 1000 }) > 0 && read(0, &end, 1) <= 0)
			break;
		differ += infer(model, 0, times) != first;
	}
	printf("differ %d\n", differ);
	return runs;
}

int main(int argc, char **argv)
{
	struct model model = { 0 };
	FILE *times;
	int runs;

	if (argc < 5)
		return 2;
	library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	times = argc > 5 ? fopen(argv[5], "w") : NULL;
	if (!strcmp(argv[1], "compiled"))
		open_compiled(&model, argv[3]);
	else
		open_interpreter(&model, argv[3], !strcmp(argv[1], "xnnpack"));
	model.data = malloc(model.n_bytes[0] > model.n_bytes[1] ? model.n_bytes[0] : model.n_bytes[1]);
	runs = atoi(argv[4]);
	if (!runs)
		runs = serve(&model, times);
	else
		for (int i = 0; i < runs; i++)
			printf("%016lx\n", infer(&model, (unsigned)i, times));
	if (times)
		fclose(times);
	printf("runs %d failed 0\n", runs);
	return 0;
}
