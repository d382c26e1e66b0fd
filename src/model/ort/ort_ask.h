/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries a copy of ONNX Runtime for its version and providers in a child process, so that a library may crash, hang or
 * print.
 */
#ifndef MODEL_ORT_ORT_ASK_H
#define MODEL_ORT_ORT_ASK_H

#include <stddef.h>

#include "base/err.h"

enum { ORT_ASK_PROVIDERS = 64, ORT_ASK_NAME = 64 };

struct ort_answer {
	char version[64];
	char provider[ORT_ASK_PROVIDERS][ORT_ASK_NAME]; /* "CPUExecutionProvider", the runtime's order */
	size_t n_providers;
};

/* 0, or -errno and err: the library cannot be used, crashed, or timed out. Waits for a CPU are not part of the time. */
int ort_ask(const char *path, unsigned timeout_ms, struct ort_answer *answer, struct err *err);

#endif
