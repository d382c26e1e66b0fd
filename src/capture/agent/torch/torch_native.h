/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inferences that are a call of a function in C++: of a script, or of a model that was compiled ahead of time. One is
 * seen where it is outermost on its thread. Needs no GIL.
 */
#ifndef CAPTURE_AGENT_TORCH_TORCH_NATIVE_H
#define CAPTURE_AGENT_TORCH_TORCH_NATIVE_H

#include "capture/agent/run/bracket.h"
#include "capture/agent/torch/torch_in.h"

/* The arguments of these functions, of which none has more than twelve. */
typedef bracket_word word;
#define TORCH_ARGS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l
#define TORCH_PASS a, b, c, d, e, f, g, h, i, j, k, l

struct torch_native {
	struct shapes shapes;
	torch_device device; /* of all of them; 0: of several, or not known */
	bool is_mixed, is_unknown;
	uint32_t (*failure_of)(word result); /* text id, 0: it succeeded. NULL: failures are exceptions */
};

bool torch_native_is_outermost(struct thread *thread);
void torch_native_start(struct torch_native *call);
/* The part of a tensor in C++ that goes in; 0: not known. */
void torch_native_take(struct torch_native *call, word part);
/* Calls the function as an inference. errno: what the function leaves. */
word torch_native_run(const struct torch_native *call, struct thread *thread, struct session *session,
		      bracket_function *next, TORCH_ARGS);
/* Calls one that compiles, as a part of the inference that is open; name: text id. */
word torch_native_compile(struct thread *thread, uint32_t name, bracket_function *next, TORCH_ARGS);

#endif
