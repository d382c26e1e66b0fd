/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of inftrace-run: one model on one runtime, once. Each file run_*.c does one phase; struct run connects
 * them. Everything lives until the process ends, because a session may use what it was made from.
 */
#ifndef MODEL_RUN_RUN_H
#define MODEL_RUN_RUN_H

#include "model/ort/ort_api.h"
#include "model/run/genai_folder.h"
#include "model/run/run_generate.h"
#include "model/run/run_opts.h"
#include "model/run/run_result.h"
#include "model/tensor/tensor.h"
#include "model/tensor/tensor_file.h"

/* An input or output as declared by the model. */
struct run_value {
	char *name;
	int kind; /* enum ort_kind */
	enum tensor_type type;
	size_t n_dims;
	int64_t dim[TENSOR_MAX_DIMS];  /* -1: free */
	char *symbol[TENSOR_MAX_DIMS]; /* name of a free dimension; "" none */
};

/* Values of all inputs for one inference, and the expected outputs (n 0: unknown). */
struct run_set {
	struct tensor *tensor;
	struct ort_value **value;
	struct tensor_list expected;
};

/* Sets with the same shapes. */
struct run_shapes {
	struct run_set *set;
	size_t n_sets;
};

/* The library of a plugin provider, registered under its name. */
struct run_library {
	char *provider, *path;
};

struct run {
	const struct run_generator *generator; /* NULL: inferences are measured */
	void *decoder;			       /* the generator's: what it knows of the model; NULL: nothing */
	struct run_vocabulary vocabulary;
	int64_t longest_prompt;
	bool is_llama;		    /* by llama.cpp, and all of ONNX Runtime below is NULL */
	struct genai_folder folder; /* folder.model "": the model is a file */
	const struct run_opts *opts;
	struct run_result *result;
	struct ort_api api;
	struct ort_env *env;
	struct ort_session_options *options;
	struct ort_run_options *run_options;
	struct ort_session *session;
	struct ort_allocator *allocator;
	struct ort_memory *memory;
	struct run_value *input, *output;
	size_t n_inputs, n_outputs;
	const char **input_name, **output_name;
	const struct ort_device *const *device; /* as in result->devices */
	size_t n_devices;
	struct run_library *library;
	size_t n_libraries;
	struct run_shapes *shapes; /* as in result->groups */
	size_t n_shapes;
	char guessed[160]; /* "images: height, width": free dimensions without a given size, taken as 1; "" none */
	const struct run_value *guessed_input; /* the last input in it */
	char model[PATH_MAX];		       /* the session is made from this: the compiled model, if there is one */
};

/* run_phase.c: times, memory and CPU of phases. */
void run_phase_begin(struct run_result *result, enum run_phase_id id);
void run_phase_end(struct run_result *result, enum run_phase_id id);
/* User and system time of the process so far. */
void run_phase_cpu(uint64_t *user_ns, uint64_t *system_ns);
/* The total time that the process's living threads have waited for a CPU; false: the kernel does not report it. */
bool run_phase_waited(uint64_t *run_queue_ns);

/*
 * run_guard.c: what happens when a library crashes the process. Fatal signals leave a message in the result; the
 * process then exits with status 3.
 */
void run_guard_start(struct run_result *result, bool is_quiet);
/* Ends the process if unloading takes longer than this; 0: unloading is done. */
void run_guard_unloading(unsigned seconds);
/* Set by SIGINT and SIGTERM. */
extern volatile int run_guard_stop;

/* run_log.c: the runtime's log. */
void run_log_start(struct run_result *result, bool is_verbose);
void run_log_take(void *ctx, int severity, const char *category, const char *log_id, const char *where,
		  const char *text);
/* Adds a line from inftrace-run. */
void run_log_line(const char *text);
/*
 * Appends the runtime's last logged error to a message when it adds something: some functions log the reason and return
 * a vague error.
 */
void run_log_explain(struct err *err);

/* run_ort.c: from the library to the session. */
int run_ort_load(struct run *run, struct err *err);
int run_ort_environment(struct run *run, struct err *err);
int run_ort_session(struct run *run, struct err *err);
void run_ort_unload(struct run *run);

/* run_options.c: options of the session. */
int run_options_make(struct run *run, struct err *err);

/* run_compile.c: lets the provider compile the model into a file before the session is made. */
int run_compile(struct run *run, struct err *err);

/* run_device.c: plugin libraries, and the devices that they and the runtime offer. */
int run_device_libraries(struct run *run, struct err *err);
/* Marks the provider's devices that the options allow. Returns their number. */
int run_device_choose(struct run *run, const char *provider, struct err *err);
/* Whether the provider is built into the runtime and needs no plugin. */
bool run_device_is_inside(const struct run *run, const char *full_name);

/* run_provider.c: adds providers to the session. */
int run_provider_append(struct run *run, struct err *err);

/* run_values.c: the session's inputs and outputs. */
int run_values_read(struct run *run, struct err *err);

/* run_sets.c: sets of inputs, grouped by shapes. */
/* Whether a shape matches an input: 0, or -EINVAL and err. */
int run_sets_check(const struct run_value *input, const int64_t *dim, size_t n_dims, struct err *err);
/* Adds a set to the group with its shapes, or to a new group. Takes over the tensors of the set. */
int run_sets_add(struct run *run, struct run_set *set, const char *text, int64_t batch, struct err *err);
/* run_data.c: sets read from files. */
int run_data_read(struct run *run, struct err *err);
/* run_inputs.c: generated sets, and the turns of all sets. */
int run_inputs_make(struct run *run, struct err *err);

/*
 * run_outputs.c: writes, compares and notes the outputs of an inference. output: n_outputs values, owned by the caller.
 */
int run_outputs_take(struct run *run, size_t group, size_t set, struct ort_value *const *output, struct err *err);

/* run_bind.c: I/O binding, by group and set; NULL when not requested. For one thread. */
int run_bind(struct run *run, struct ort_binding ****bindings, struct err *err);
void run_bind_done(struct run *run, struct ort_binding ***binding);

/* run_load.c: inferences: the first ones, warm-up, and the measured part. */
int run_load(struct run *run, struct err *err);

/* run_summary.c: prints the result in a few lines, when started by hand. */
void run_summary_print(const struct run_result *result);
/* Prints only the devices. */
void run_summary_devices(const struct run_result *result);
/* Prints every runtime on this machine; queries each in a child process. */
int run_summary_runtimes(const char *named, struct err *err);

#endif
