/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names out of living objects of ONNX Runtime: a kernel's node, its operator type, its provider. Used once
 * per object, never on the hot path. No field is trusted: memory is read in a way that cannot fault, texts
 * must be well formed, and where the public API tells the same thing the two must agree.
 */
#ifndef RUNTIME_ORT_NODE_H
#define RUNTIME_ORT_NODE_H

#include "runtime/ort.h"

enum { ORT_TEXT = 512 };

struct ort_node {
	char name[ORT_TEXT]; /* "" when not known */
	char type[64];
	uint64_t provider; /* the IExecutionProvider, 0: not known */
};

/* kernel: an OpKernel. Calls the public API where there is one. */
void ort_node_read(const struct runtime_found *ort, uint64_t kernel, struct ort_node *node);
/*
 * An IExecutionProvider's type name ("CPUExecutionProvider"), and where in the object it was found, to be
 * given back as a first guess (0: none yet). to: "" when not found.
 */
void ort_provider_name(uint64_t provider, unsigned *offset, char *to, size_t size);
/* The message of a Status (a pointer to its state, 0 for OK). Returns its length, 0 when not readable. */
int ort_status_message(uint64_t state, char *to, size_t size);

#endif
