/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads names from live objects of ONNX Runtime: a kernel's node, its operator type, its provider. Once per object,
 * never on the hot path. No field is trusted: reads cannot fault, texts must be well formed, and a name that the public
 * API also gives must be equal.
 */
#ifndef RUNTIME_ORT_NODE_H
#define RUNTIME_ORT_NODE_H

#include "runtime/ort/ort.h"

enum { ORT_TEXT = 4000 }; /* as long as a text of the agent's dictionary */

struct ort_node {
	char name[ORT_TEXT]; /* "": unknown */
	char type[64];
	uint64_t provider; /* the IExecutionProvider; 0: unknown */
};

/* kernel: an OpKernel. Calls the public API if it has one. */
void ort_node_read(const struct runtime_found *ort, uint64_t kernel, struct ort_node *node);
/*
 * The type name of an IExecutionProvider ("CPUExecutionProvider"). *offset: where in the object it was found; pass it
 * again as the first guess (0: none yet). to: "" when not found.
 */
void ort_provider_name(uint64_t provider, unsigned *offset, char *to, size_t size);
/* Whether a text may be the name of a provider, as "cpu_ep" is: a word. */
bool ort_may_be_provider(const char *text);
/* The message of a Status (a pointer to its state, 0 for OK). Returns its length; 0: unreadable. */
int ort_status_message(uint64_t state, char *to, size_t size);

#endif
