// SPDX-License-Identifier: Apache-2.0
/*
 * inftrace-run's options and the syntax of their values. Letters are those of onnxruntime_perf_test. Does not check
 * whether a runtime supports an option.
 */
#include "model/run/run_opts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/run/run_result.h"

#define AT(field) offsetof(struct run_opts, field)

const struct opt run_opt_table[] = {
	{ 0, NULL, NULL, "Runtime and providers:" },
	{ 0, "runtime", "PATH",
	  "ONNX Runtime to use: libonnxruntime.so, or a folder with one; otherwise INFTRACE_ORT, or the first one "
	  "found",
	  OPT_STR, AT(runtime) },
	{ 0, "list-runtimes", NULL, "list the ONNX Runtimes found, with their providers, and exit", OPT_FLAG,
	  AT(list_runtimes) },
	{ 'e', "ep", "NAME",
	  "execution provider, by its short or full name: cpu, openvino, QNNExecutionProvider; the first one given "
	  "comes first",
	  OPT_LIST, AT(provider) },
	{ 'i', "ep-option", "KEY=VALUE", "option of the provider; with several providers, or --policy, NAME:KEY=VALUE",
	  OPT_LIST, AT(provider_option) },
	{ 0, "ep-library", "[NAME=]FILE", "library of a plugin provider; those in Python packages are found without it",
	  OPT_LIST, AT(provider_library) },
	{ 0, "policy", "prefer-cpu|prefer-npu|prefer-gpu|max-performance|max-efficiency|min-power",
	  "let the runtime choose the provider (1.22)", OPT_CHOICE, AT(policy) },
	{ 0, "list-devices", NULL, "list the devices of the providers and exit (1.22)", OPT_FLAG, AT(list_devices) },
	{ 0, "select-devices", "NUMBERS", "use only these devices of plugin providers: 0,2 as --list-devices counts",
	  OPT_STR, AT(select_devices) },
	{ 0, "filter-device", "KEY=VALUE",
	  "use only devices of plugin providers with this metadata; type=npu, vendor=NAME work too", OPT_LIST,
	  AT(filter_device) },
	{ 0, "no-cpu-fallback", NULL, "fail when a node would go to the CPU provider", OPT_FLAG, AT(no_cpu_fallback) },
	{ 0, "ep-profile", "basic|detailed", "enable the provider's own profiler", OPT_CHOICE, AT(ep_profile) },
	{ 0, "ep-profile-dir", "FOLDER", "folder for the provider's profile", OPT_STR, AT(ep_profile_dir), "." },
	{ 0, NULL, NULL, "Session:" },
	{ 'x', "intra-op-threads", "N", "threads inside an operator; 0: the runtime decides", OPT_INT,
	  AT(intra_op_threads), "0" },
	{ 'y', "inter-op-threads", "N", "threads across operators, with --parallel; 0: the runtime decides", OPT_INT,
	  AT(inter_op_threads), "0" },
	{ 'T', "intra-op-affinity", "CPUS", "processors of the threads inside an operator: 1,2;3,4", OPT_STR,
	  AT(intra_op_affinity) },
	{ 'P', "parallel", NULL, "run independent operators at the same time", OPT_FLAG, AT(is_parallel) },
	{ 'o', "optimization", "none|basic|extended|layout|all", "how far the graph is optimized", OPT_CHOICE,
	  AT(optimization), "all" },
	{ 'u', "optimized-model", "FILE", "write the optimized model to this file", OPT_STR, AT(optimized_model) },
	{ 0, "optimized-data", "FILE", "put the weights of the optimized model into this file beside it", OPT_STR,
	  AT(optimized_data) },
	{ 0, "optimized-data-min", "SIZE", "only weights of at least this size", OPT_SIZE, AT(optimized_data_min_bytes),
	  "1K" },
	{ 0, "optimized-prepacked", NULL,
	  "store weights there in the kernels' layout, so that they need no packing again", OPT_FLAG,
	  AT(optimized_prepacked) },
	{ 'f', "dim", "NAME=N", "size of a free dimension, by its name; NAME=N,N: several, in turn", OPT_LIST,
	  AT(dimension) },
	{ 'F', "denotation", "NAME=N", "size of a free dimension, by its denotation", OPT_LIST, AT(denotation) },
	{ 'A', "no-arena", NULL, "no memory arena on the CPU", OPT_FLAG, AT(no_arena) },
	{ 'M', "no-memory-pattern", NULL, "no memory pattern", OPT_FLAG, AT(no_memory_pattern) },
	{ 0, "shrink-arena", "DEVICES", "release unused arena memory after each inference: cpu:0", OPT_STR,
	  AT(shrink_arena) },
	{ 'C', "session-config", "KEY=VALUE", "session configuration entry", OPT_LIST, AT(session_config) },
	{ 0, "run-config", "KEY=VALUE", "run configuration entry", OPT_LIST, AT(run_config) },
	{ 'R', "custom-ops", "FILE", "library of custom operators", OPT_LIST, AT(custom_ops) },
	{ 'X', "extensions", NULL, "use the operators of onnxruntime-extensions", OPT_FLAG, AT(has_extensions) },
	{ 'z', "denormals-as-zero", NULL, "treat denormal numbers as zero", OPT_FLAG, AT(denormals_as_zero) },
	{ 'D', "no-spinning", NULL, "threads of the runtime sleep when idle instead of spinning", OPT_FLAG,
	  AT(no_spinning) },
	{ 'Z', "stop-spinning", NULL, "stop spinning between inferences", OPT_FLAG, AT(stop_spinning) },
	{ 0, "spin-duration", "US", "spin for this many microseconds", OPT_STR, AT(spin_us) },
	{ 0, "spin-backoff-max", "N", "largest step of the pause between spins, up to 64", OPT_STR,
	  AT(spin_backoff_max) },
	{ 0, "deterministic", NULL, "deterministic kernels where there are any (1.17)", OPT_FLAG,
	  AT(is_deterministic) },
	{ 'p', "runtime-profile", "PREFIX", "enable the runtime's own profiler; it writes PREFIX_<time>.json", OPT_STR,
	  AT(profile) },
	{ 'l', "from-memory", NULL, "read the model's file and pass its bytes to the runtime", OPT_FLAG,
	  AT(from_memory) },
	{ 0, "compile", "FILE", "compile the model for the provider into this file first, and run that (1.22)", OPT_STR,
	  AT(compile) },
	{ 0, "compile-embed", NULL, "embed the compiled part in that file", OPT_FLAG, AT(compile_embed) },
	{ 0, "compile-only", NULL, "compile and exit", OPT_FLAG, AT(compile_only) },
	{ 'g', "bind-outputs", "DEVICE", "leave outputs in the memory of this device: Cuda, Cpu (I/O binding)", OPT_STR,
	  AT(bind_outputs) },
	{ 0, NULL, NULL, "Inputs and outputs:" },
	{ 0, "data", "PATH",
	  "inputs from a file or folder: .npz, .npy, .pb, test_data_set_0, or a folder with such; several take turns",
	  OPT_LIST, AT(data) },
	{ 0, "input", "NAME=FILE", "one input from a .npy or .pb file", OPT_LIST, AT(input) },
	{ 0, "shape", "NAME=AxBxC", "shape of an input; NAME=AxBxC/DxExF: several, in turn", OPT_LIST, AT(shape) },
	{ 'b', "batch-size", "N,N", "size of the first dimension of the inputs where it is free; several take turns",
	  OPT_STR, AT(batch_size) },
	{ 0, "fill", "uniform|normal|zeros|ones", "values of generated inputs", OPT_CHOICE, AT(fill), "uniform" },
	{ 0, "range", "[NAME=]LOW:HIGH", "range of generated values", OPT_LIST, AT(range) },
	{ 'S', "seed", "N", "same seed, same inputs and same arrivals", OPT_STR, AT(seed), "1" },
	{ 0, "outputs", "FOLDER", "write the outputs of the first inference to this folder, as .npy", OPT_STR,
	  AT(outputs) },
	{ 0, "absolute-tolerance", "X",
	  "largest allowed difference from the expected outputs, or from those of another run; with "
	  "--relative-tolerance",
	  OPT_STR, AT(absolute_tolerance) },
	{ 0, "relative-tolerance", "X", "the same, as a part of the value", OPT_STR, AT(relative_tolerance) },
	{ 0, NULL, NULL, "Generations:" },
	{ 0, "tokens", "N", "run the model as a decoder: measure requests that make this many tokens each, 2 or more",
	  OPT_INT, AT(tokens), "0" },
	{ 0, "prompt", "N,N", "with --tokens: tokens of the prompt; several lengths take turns", OPT_STR, AT(prompt),
	  "128" },
	{ 0, NULL, NULL, "Load:" },
	{ 't', "duration", "TIME", "how long to measure", OPT_DURATION, AT(duration_ns), "10s" },
	{ 'r', "iterations", "N", "measure this many inferences instead", OPT_INT, AT(iterations), "0" },
	{ 'c', "concurrency", "N", "inferences at the same time, on one session", OPT_INT, AT(concurrency), "1" },
	{ 0, "rate", "HZ", "random (Poisson) arrivals per second, independent of when inferences finish", OPT_STR,
	  AT(rate) },
	{ 0, "warm-up-max", "TIME", "stop waiting for steady times after this", OPT_DURATION, AT(warm_up_max_ns),
	  "10s" },
	{ 'n', "session-only", NULL, "exit after creating the session", OPT_FLAG, AT(session_only) },
	{ 0, "hold", "TIME", "wait this long after creating the session", OPT_DURATION, AT(hold_ns), "0" },
	{ 0, NULL, NULL, "Result:" },
	{ 0, "result", "PATH", "shared memory of the parent program; without it, print a summary", OPT_STR,
	  AT(result) },
	{ 'v', "verbose", NULL, "show the runtime's warnings", OPT_FLAG, AT(is_verbose) },
	{ 0 },
};

const char *run_opts_pair(const char *text, size_t *len)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return NULL;
	*len = (size_t)(equals - text);
	return equals + 1;
}

/* Digits at *text up to INT64_MAX; *text moves behind them. -1: none, or too large. */
static int64_t read_number(const char **text)
{
	int64_t value = 0;
	const char *start = *text;

	for (; **text >= '0' && **text <= '9'; ++*text)
		if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, **text - '0', &value))
			return -1;
	return *text > start ? value : -1;
}

int run_opts_numbers(const char *text, int64_t *number, int max, struct err *err)
{
	int n = 0;

	for (;; text++) {
		if (n == max)
			return err_set(err, EINVAL, "at most %d numbers are allowed", max);
		number[n] = read_number(&text);
		if (number[n] < 1 || (*text && *text != ','))
			return err_set(err, EINVAL, "expected numbers from 1 up, such as 8 or 1,8,32");
		n++;
		if (!*text)
			return n;
	}
}

int run_opts_shape(const char *text, int64_t *dim, int max, const char **end, struct err *err)
{
	int n = 0;

	if (!strncmp(text, "scalar", 6)) {
		*end = text + 6;
	} else {
		for (;; text++) {
			if (n == max)
				return err_set(err, EINVAL, "at most %d dimensions are allowed", max);
			dim[n] = read_number(&text);
			if (dim[n] < 0)
				return err_set(err, EINVAL, "expected a shape such as 1x3x224x224 or scalar");
			n++;
			if (*text != 'x')
				break;
		}
		*end = text;
	}
	if (**end && **end != '/')
		return err_set(err, EINVAL, "expected a shape such as 1x3x224x224 or scalar");
	return n;
}

int run_opts_real(const char *text, double *value, struct err *err)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !isfinite(*value) || *value < 0)
		return err_set(err, EINVAL, "expected a number from 0 up");
	return 0;
}

int run_opts_u64(const char *text, uint64_t *value, struct err *err)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno)
		return err_set(err, EINVAL, "expected a whole number from 0 up");
	return 0;
}

/* Every value of the list is NAME=VALUE. */
static int check_pairs(const struct opt_list *list, const char *option, struct err *err)
{
	size_t len;

	for (size_t i = 0; i < list->n; i++)
		if (!run_opts_pair(list->item[i], &len))
			return err_set(err, EINVAL, "cannot use '%s' as --%s: expected NAME=VALUE", list->item[i],
				       option);
	return 0;
}

static int check_numbers(const struct run_opts *opts, struct err *err)
{
	const struct {
		const char *name, *text;
	} whole[] = { { "seed", opts->seed },
		      { "spin-duration", opts->spin_us },
		      { "spin-backoff-max", opts->spin_backoff_max } },
	  real[] = { { "absolute-tolerance", opts->absolute_tolerance },
		     { "relative-tolerance", opts->relative_tolerance },
		     { "rate", opts->rate } };
	uint64_t value;
	double number;

	for (size_t i = 0; i < 3; i++)
		if (whole[i].text && run_opts_u64(whole[i].text, &value, err))
			return err_wrap(err, "cannot use '%s' as --%s", whole[i].text, whole[i].name);
	if (opts->spin_backoff_max && (run_opts_u64(opts->spin_backoff_max, &value, NULL) || value < 1 || value > 64))
		return err_set(err, EINVAL, "cannot use '%s' as --spin-backoff-max: expected 1 to 64",
			       opts->spin_backoff_max);
	if (opts->select_devices && opts->select_devices[strspn(opts->select_devices, "0123456789,")])
		return err_set(err, EINVAL, "cannot use '%s' as --select-devices: expected numbers such as 0,2",
			       opts->select_devices);
	for (size_t i = 0; i < 3; i++)
		if (real[i].text && run_opts_real(real[i].text, &number, err))
			return err_wrap(err, "cannot use '%s' as --%s", real[i].text, real[i].name);
	if (opts->rate && (number < 1e-6 || number > 1e9))
		return err_set(err, EINVAL, "cannot use '%s' as --rate: expected 0.000001 to 1e9 a second", opts->rate);
	return 0;
}

/* What a decoder does not take. */
static int check_generation(const struct run_opts *opts, struct err *err)
{
	int64_t number[RUN_MAX_GROUPS];

	if (run_opts_numbers(opts->prompt, number, RUN_MAX_GROUPS, err) < 0)
		return err_wrap(err, "cannot use '%s' as --prompt", opts->prompt);
	if (!opts->tokens)
		return 0;
	if (opts->tokens < 2 || opts->tokens > 1000000)
		return err_set(err, EINVAL, "cannot use '%d' as --tokens: expected 2 to 1000000", opts->tokens);
	for (int i = run_opts_numbers(opts->prompt, number, RUN_MAX_GROUPS, NULL); i-- > 0;)
		if (number[i] > 10000000)
			return err_set(err, EINVAL, "cannot use '%s' as --prompt: expected at most 10000000 tokens",
				       opts->prompt);
	if (opts->data.n || opts->input.n || opts->shape.n || opts->dimension.n || opts->range.n || opts->outputs ||
	    opts->bind_outputs)
		return err_set(err, EINVAL,
			       "cannot use --tokens with --data, --input, --shape, --dim, --range, --outputs or "
			       "--bind-outputs: prompts are made of random ids");
	if (opts->batch_size && run_opts_numbers(opts->batch_size, number, 1, NULL) < 0)
		return err_set(err, EINVAL, "cannot use '%s' as --batch-size with --tokens: expected one number",
			       opts->batch_size);
	if (opts->batch_size && number[0] > 65536)
		return err_set(err, EINVAL, "cannot use '%s' as --batch-size with --tokens: expected at most 65536",
			       opts->batch_size);
	return 0;
}

static int check_together(const struct run_opts *opts, struct err *err)
{
	if (!opts->model && !opts->list_devices && !opts->list_runtimes)
		return err_set(err, EINVAL, "no model given; usage: inftrace-run MODEL");
	if (opts->concurrency < 1 || opts->concurrency > 1024)
		return err_set(err, EINVAL, "cannot use '%d' as --concurrency: expected 1 to 1024", opts->concurrency);
	if (!opts->iterations && !opts->duration_ns)
		return err_set(err, EINVAL, "cannot measure: pass --duration or --iterations");
	if (opts->policy && opts->provider.n)
		return err_set(err, EINVAL,
			       "cannot use --policy and --ep together: with a policy the runtime chooses the provider");
	if (opts->policy && (opts->select_devices || opts->filter_device.n))
		return err_set(
		    err, EINVAL,
		    "cannot use --policy with --select-devices or --filter-device: with a policy the runtime "
		    "chooses the device");
	if ((opts->compile_only || opts->compile_embed) && !opts->compile)
		return err_set(err, EINVAL, "cannot compile the model: pass --compile FILE");
	if (opts->optimized_prepacked && !opts->optimized_data)
		return err_set(err, EINVAL, "cannot write weights --optimized-prepacked without --optimized-data FILE");
	if (opts->optimized_data && !opts->optimized_model)
		return err_set(err, EINVAL, "cannot write --optimized-data without --optimized-model FILE");
	if (opts->data.n && (opts->shape.n || opts->batch_size))
		return err_set(err, EINVAL,
			       "cannot use --data with --shape or --batch-size: the data set defines the shapes");
	return 0;
}

int run_opts_check(const struct run_opts *opts, struct err *err)
{
	const struct {
		const struct opt_list *list;
		const char *name;
	} pairs[] = { { &opts->provider_option, "ep-option" },
		      { &opts->filter_device, "filter-device" },
		      { &opts->dimension, "dim" },
		      { &opts->denotation, "denotation" },
		      { &opts->session_config, "session-config" },
		      { &opts->run_config, "run-config" },
		      { &opts->input, "input" },
		      { &opts->shape, "shape" } };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (check_pairs(pairs[i].list, pairs[i].name, err))
			return -EINVAL;
	if (check_numbers(opts, err) || check_generation(opts, err))
		return -EINVAL;
	return check_together(opts, err);
}

int run_opts_parse(struct run_opts *opts, int argc, char **argv, struct err *err)
{
	int n;

	memset(opts, 0, sizeof *opts);
	n = opt_parse(run_opt_table, opts, argc, argv, OPT_ANYWHERE, err);
	if (n < 0 || n == OPT_HELP)
		return n;
	if (n > 1)
		return err_set(err, EINVAL, "unexpected argument '%s': only one model is measured at a time", argv[1]);
	opts->model = n ? argv[0] : NULL;
	return run_opts_check(opts, err);
}
