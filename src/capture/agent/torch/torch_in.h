/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the agent that hook PyTorch. */
#ifndef CAPTURE_AGENT_TORCH_TORCH_IN_H
#define CAPTURE_AGENT_TORCH_TORCH_IN_H

#include "capture/agent/arm/code.h"
#include "capture/agent/replace/python.h"
#include "capture/agent/run/inference.h"
#include "capture/agent/run/prompt.h"
#include "event/run_trait.h"

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
/* torch_call.c: what modules and compiled functions share. With the GIL. function: Module.__call__ */
void torch_call_arm(struct python_object *function);
/* Begins the outermost call of a module, or of a function. NULL: too many are open. */
struct torch_thread;
struct torch_module;
struct open_run *torch_begin(struct thread *thread, struct torch_thread *state, struct torch_module *module,
			     struct python_object *const *args, size_t n);
/* Whether a call of a module that began before its word was replaced is under way, from this frame on. */
bool torch_is_inside_unseen(struct thread *thread, struct python_object *frame);
/* What a module is called: its class, or a better name for it. */
const char *torch_name_of(const struct torch_module *module);
/* The frame that called this one, a new reference; NULL: none. `frame`: a reference that ends. May leave an error. */
struct python_object *torch_frame_before(struct python_object *frame);

/* torch_function.c: compiled functions. Arming: with the GIL; leaves no error. */
void torch_function_arm(void);
void torch_function_disarm(void);

/* torch_package.c: models compiled ahead of time. What a program gets that looks a function of one up; NULL: that. */
void *torch_package_instead_of(const char *name, void *real);

/* torch_script.c: TorchScript. */
void *torch_script_hook(unsigned family);
void torch_script_arm(const struct image *image);
void torch_script_forget_all(void);

/* A device: its kind from 1 in the high byte, its number from 1 in the low one, 0: none. 0: not known, or several. */
typedef uint16_t torch_device;
enum { TORCH_DEVICES = 21, TORCH_FORWARDS = 4, TORCH_OF_MODULE = 3 };

/* torch_class.c, with the GIL: the name of a class, as long as the class has it. */
const char *torch_type_name(const struct python_type *type);
/* A better name for a module's class, valid as long as the agent is; NULL: there is none. */
const char *torch_class_of(struct python_object *self);

/* torch_tree.c: which module is what. */
struct torch_module {
	struct python_object *self, *reference; /* reference: weak; NULL: none could be made */
	struct python_type *type;
	const char *class;	   /* a better name for that; NULL: its own */
	uint32_t generation, node; /* node: valid in this generation */
	uint32_t session;	   /* number of its session, 0: it has none */
	uint32_t walk;		   /* the last walk that came by */
	uintptr_t object;	   /* that the session is bound to: its own, or one of its class */
	torch_device device;	   /* of its own parameters; 0: it has none, or not known */
	torch_device node_device;  /* of the node */
	const char *name;	   /* in its model: "layers.0.conv"; NULL: that of its class */
	/* of one that was called outermost: */
	struct python_object *first;	       /* weak: a parameter of it or of a module inside; NULL: none */
	torch_device first_device;	       /* at that time */
	struct torch_module *is_moody;	       /* a module inside that computes differently in training; NULL: none */
	torch_device devices[TORCH_OF_MODULE]; /* of all parameters */
	uint8_t n_devices;
};
/* With the GIL. NULL: out of memory. */
struct torch_module *torch_module_of(struct python_object *self);
/* Names all modules inside this one, where they have no name yet, and finds the devices of their parameters. */
void torch_tree_walk(struct torch_module *root);
/* Whether its parameters are where they were at that time. */
bool torch_tree_is_current(const struct torch_module *root);
/* Whether a gradient is wanted for its first parameter, and no backward pass has computed one. */
bool torch_tree_lacks_gradient(const struct torch_module *root);
/* Whether a module inside behaves as in training. */
bool torch_tree_trains(const struct torch_module *root);
/* The module torch is there. */
void torch_tree_arm(void);
void torch_tree_forget_all(void);

/* torch_tensor.c: with the GIL. */
struct torch_tensor {
	uint16_t type; /* c10::ScalarType */
	torch_device device;
	uint32_t n_dims;
	int64_t dim[SHAPE_DIMS];
};
void torch_tensor_type(struct python_object *type);
void torch_tensor_arm(const struct image *image);
/* False: no tensor, or it cannot be read. */
bool torch_tensor_read(const struct python_object *object, struct torch_tensor *to);
/* Its C++ part; 0: it is no tensor. */
uintptr_t torch_tensor_part(const struct python_object *object);
/* Where the elements of one with rows of elements side by side are, each of so many bytes: of any device. 0: not known.
 */
uintptr_t torch_tensor_elements(const struct python_object *object, size_t size);
/* The same by its C++ part, without the GIL, once a tensor of Python was read. part: that of a tensor beyond doubt. */
bool torch_tensor_at(uint64_t part, struct torch_tensor *to);
/* Makes torch_tensor_at able to by one, beyond doubt, of any program. False: it does not tell. */
bool torch_tensor_learn(uint64_t part);
/* Whether torch_tensor_at can read any. */
bool torch_tensors_are_known(void);
/* The same of an address that may be none; is_there: there is memory for a tensor. */
bool torch_tensor_peek(uint64_t part, struct torch_tensor *to, bool *is_there);
void torch_shape_of(const struct torch_tensor *tensor, struct shape *to);
bool torch_tensor_requires_gradient(const struct python_object *object);
/* Whether it requires one, and has none yet. */
bool torch_tensor_lacks_gradient(const struct python_object *object);
/* The id of its name, "cuda:0"; 0: not known. */
uint32_t torch_device_text(torch_device device);

/* torch_shapes.c: the text of the shapes of what goes into an operator; function: an at::RecordFunction. 0: none. */
uint32_t torch_shapes_of(const void *function);

/* torch_inputs.c: with the GIL. What goes into a call. */
struct torch_inputs {
	torch_device device; /* that it runs on; 0: not known, or several */
	struct prompt_row row[PROMPT_ROWS];
	size_t n_rows; /* of these, that may be tokens */
};
/* Fills in the run's shapes, too, and which one it follows. */
void torch_inputs_of(struct open_run *run, const struct torch_module *module, struct python_object *const *args,
		     size_t n, struct torch_inputs *to);
/* Notes the results of a call that others may follow. */
void torch_results_made(struct python_object *result, uint32_t run);
bool torch_result_requires_gradient(struct python_object *result);

/* torch_backward.c */
struct torch_forward {
	const struct torch_module *module;
	uint32_t session, n; /* n: its inferences since the last backward pass */
};
/* What a thread does now. */
struct torch_thread {
	uint32_t generation;
	torch_device device;		 /* of what runs now */
	bool is_backward, is_for_others; /* for gradients of certain tensors alone */
	bool is_compiling;
	/* of a compiled function: the frame around it, NULL: none; its inference, and how many were open with it */
	struct python_object *switcher;
	const struct python_object *handled; /* the exception that was handled when it began */
	uint32_t switched, switched_at;
	uint32_t reason; /* text: why it compiles again; 0: it does not, or that is not known */
	uint32_t n_forwards;
	struct torch_forward forward[TORCH_FORWARDS];
};
/* NULL: out of memory. */
extern uint32_t torch_place __attribute__((visibility("hidden"))); /* agent_keep */
struct torch_thread *torch_thread_new(struct thread *thread);
static inline struct torch_thread *torch_thread(struct thread *thread)
{
	struct torch_thread *state = thread->kept[torch_place];

	return __builtin_expect(state && state->generation == hot->generation, 1) ? state : torch_thread_new(thread);
}
/* An inference whose result can be differentiated has ended. */
void torch_forward_ended(struct torch_thread *state, const struct torch_module *module, const struct session *session);
/* Whether backward passes are seen: whether none followed is not known otherwise. */
bool torch_backward_is_seen(void);
void torch_backward_arm(struct python_object *torch_c, const struct image *image);

/*
 * torch_compile.c: what torch.compile does while inferences run. Looks for its functions until they are there: with the
 * GIL; leaves no error.
 */
void torch_compile_look(void);
/* One begins or ends in the innermost inference: its name; why it was necessary, or the message of a failure. */
void torch_compile_put(struct thread *thread, enum record_type type, uint32_t text, bool failed);
void torch_compile_disarm(void);

#endif
