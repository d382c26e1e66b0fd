/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the ONNX Runtime C API that the test programs use, by their index in its table, because the packages
 * contain no header. A program gets that table from runtime_linked.c or runtime_opened.c. Every failure ends the
 * program with a message and status 1, except in functions that return the message.
 */
#ifndef PROGRAMS_ORT_H
#define PROGRAMS_ORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ort_base {
	void **(*get_api)(uint32_t version);
	const char *(*version)(void);
};

enum ort_slot {
	ORT_ERROR_MESSAGE = 2,
	ORT_CREATE_ENV = 3,
	ORT_CREATE_SESSION = 7,
	ORT_CREATE_SESSION_FROM_ARRAY = 8,
	ORT_RUN = 9,
	ORT_CREATE_OPTIONS = 10,
	ORT_ENABLE_PROFILING = 14,
	ORT_SET_SEVERITY = 22,
	ORT_SET_THREADS = 24,
	ORT_CREATE_RUN_OPTIONS = 39,
	ORT_SET_RUN_TAG = 42,
	ORT_CREATE_TENSOR = 49,
	ORT_TENSOR_DATA = 51,
	ORT_CREATE_CPU_MEMORY = 69,
	ORT_RELEASE_ENV = 92,
	ORT_RELEASE_STATUS = 93,
	ORT_RELEASE_MEMORY = 94,
	ORT_RELEASE_SESSION = 95,
	ORT_RELEASE_VALUE = 96,
	ORT_RELEASE_RUN_OPTIONS = 97,
	ORT_RELEASE_OPTIONS = 100,
	ORT_ADD_CONFIG = 130,
	ORT_RUN_WITH_BINDING = 133,
	ORT_CREATE_BINDING = 134,
	ORT_RELEASE_BINDING = 135,
	ORT_BIND_INPUT = 136,
	ORT_BIND_OUTPUT = 137,
	ORT_RUN_ASYNC = 260,
};

/* The source of the table; a program that is linked to the runtime ignores path. */
struct ort_base *runtime_open(const char *path);
void runtime_close(void);

/* One copy of the runtime with its environment. */
struct ort {
	void **api;
	void *env, *memory;
};

/* A model with one float input "x" of `len` numbers in `shape`, and one output "y". */
struct model {
	struct ort *ort;
	void *session, *run_options;
	int64_t shape[8];
	size_t rank, len, out_len;
	float *input;
};

void ort_open(struct ort *ort, struct ort_base *base);
void ort_close(struct ort *ort);
/* shape: "1x3x32x32"; out_len: how many numbers "y" has; threads of the runtime's pool. NULL or the runtime's message,
 * never freed. */
const char *model_try_open(struct model *model, struct ort *ort, const char *path, const char *shape, size_t out_len,
			   int threads);
void model_open(struct model *model, struct ort *ort, const char *path, const char *shape, size_t out_len);
void model_close(struct model *model);
/* One run; the checksum of the output in *sum. NULL or the runtime's message, never freed. Any thread. */
const char *model_try_run(struct model *model, uint64_t *sum);
uint64_t model_run(struct model *model);
/* By RunAsync, waiting for the result; by RunWithBinding. */
uint64_t model_run_async(struct model *model);
uint64_t model_run_bound(struct model *model);

uint64_t now_ns(void);
/* The memory of this process in KiB, as a line: private pages but those of the heap, and the recorder's dictionary. */
void print_memory(FILE *out);
void die(const char *what, const char *why);

#endif
