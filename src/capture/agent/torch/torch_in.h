/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the agent that hook PyTorch. */
#ifndef CAPTURE_AGENT_TORCH_TORCH_IN_H
#define CAPTURE_AGENT_TORCH_TORCH_IN_H

#include "capture/agent/code.h"
#include "capture/agent/inference.h"
#include "capture/agent/python.h"

/* torch_operator.c: observers of operators. */
typedef void *torch_start_function(void **result, const void *function);
void torch_operator_arm(const struct image *image, torch_start_function *start);
void torch_operator_disarm(void);
void torch_operator_forget_all(void);
/* at::RecordFunctionCallback::start, which returns a class: a pointer, empty, at the address that the caller gives. */
void *torch_start(void **result, const void *function) __attribute__((visibility("hidden")));
/* The rest of it. */
void torch_started(const void *function) __attribute__((visibility("hidden")));

/* torch_module.c: calls of modules. */
void torch_module_arm(const struct copy *copy);
void torch_module_disarm(void);

/* torch_tree.c: which module is what. */
struct torch_module {
	struct python_object *self, *reference; /* reference: weak; NULL: none could be made */
	struct python_type *type;
	uint32_t generation, node; /* node: valid in this generation */
	uint32_t session;	   /* number of its session, 0: it has none */
	bool is_shared;		   /* the session is that of its class */
	const char *name;	   /* in its model: "layers.0.conv"; NULL: that of its class */
};
/* With the GIL. NULL: out of memory. */
struct torch_module *torch_module_of(struct python_object *self);
/* Names all modules inside this one, where they have no name yet. */
void torch_tree_name(struct python_object *root);
void torch_tree_forget_all(void);

#endif
