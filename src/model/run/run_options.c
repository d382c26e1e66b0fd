// SPDX-License-Identifier: Apache-2.0
/* Turns options into the runtime's session options and run options. Does not choose providers: run_provider.c does. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/onnx/onnx_other.h"
#include "model/run/run.h"

static int add_config(struct run *run, const char *key, const char *value, struct err *err)
{
	return ort_api_check(&run->api, run->api.add_config(run->options, key, value), err, "set %s to '%s'", key,
			     value);
}

/* Each pair KEY=VALUE of a list, as two texts. */
static int add_pairs(struct run *run, const struct opt_list *list,
		     int (*add)(struct run *, const char *, const char *, struct err *), struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		char key[256];
		size_t len;
		const char *value = run_opts_pair(list->item[i], &len);

		if (!value || len >= sizeof key)
			return err_set(err, EINVAL, "cannot use '%s': expected KEY=VALUE", list->item[i]);
		memcpy(key, list->item[i], len);
		key[len] = 0;
		if (add(run, key, value, err))
			return -err->code;
	}
	return 0;
}

static int optimization_level(const char *name)
{
	static const struct {
		const char *name;
		int level;
	} levels[] = { { "none", 0 }, { "basic", 1 }, { "extended", 2 }, { "layout", 3 }, { "all", 99 } };

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(levels[i].name, name))
			return levels[i].level;
	return 99;
}

static int set_threads(struct run *run, struct err *err)
{
	const struct run_opts *opts = run->opts;
	const struct ort_api *api = &run->api;

	if (opts->intra_op_threads &&
	    ort_api_check(api, api->set_intra_op_threads(run->options, opts->intra_op_threads), err,
			  "set the threads inside an operator"))
		return -EIO;
	if (opts->inter_op_threads &&
	    ort_api_check(api, api->set_inter_op_threads(run->options, opts->inter_op_threads), err,
			  "set the threads across operators"))
		return -EIO;
	if (opts->is_parallel &&
	    ort_api_check(api, api->set_execution_mode(run->options, 1), err, "run operators in parallel"))
		return -EIO;
	if (opts->intra_op_affinity &&
	    add_config(run, "session.intra_op_thread_affinities", opts->intra_op_affinity, err))
		return -EIO;
	if (opts->no_spinning && (add_config(run, "session.intra_op.allow_spinning", "0", err) ||
				  add_config(run, "session.inter_op.allow_spinning", "0", err)))
		return -EIO;
	if (opts->stop_spinning && add_config(run, "session.force_spinning_stop", "1", err))
		return -EIO;
	if (opts->spin_us && add_config(run, "session.intra_op.spin_duration_us", opts->spin_us, err))
		return -EIO;
	if (opts->spin_backoff_max && add_config(run, "session.intra_op.spin_backoff_max", opts->spin_backoff_max, err))
		return -EIO;
	return 0;
}

static int set_memory(struct run *run, struct err *err)
{
	const struct ort_api *api = &run->api;

	if (run->opts->no_arena &&
	    ort_api_check(api, api->disable_arena(run->options), err, "switch the memory arena off"))
		return -EIO;
	if (run->opts->no_memory_pattern &&
	    ort_api_check(api, api->disable_memory_pattern(run->options), err, "switch the memory pattern off"))
		return -EIO;
	return 0;
}

static int set_files(struct run *run, struct err *err)
{
	const struct run_opts *opts = run->opts;
	const struct ort_api *api = &run->api;
	char size[32];

	/* a file of this format may have any name, but the runtime goes by ".ort" */
	if (onnx_other_is_ort(opts->model) && add_config(run, "session.load_model_format", "ORT", err))
		return -EIO;
	if (opts->optimized_model) {
		snprintf(run->result->optimized_path, sizeof run->result->optimized_path, "%s", opts->optimized_model);
		if (ort_api_check(api, api->set_optimized_path(run->options, opts->optimized_model), err,
				  "write the optimized model"))
			return -EIO;
	}
	snprintf(size, sizeof size, "%llu", (unsigned long long)opts->optimized_data_min_bytes);
	if (opts->optimized_data &&
	    (add_config(run, "session.optimized_model_external_initializers_file_name", opts->optimized_data, err) ||
	     add_config(run, "session.optimized_model_external_initializers_min_size_in_bytes", size, err)))
		return -EIO;
	if (opts->optimized_prepacked &&
	    add_config(run, "session.save_external_prepacked_constant_initializers", "1", err))
		return -EIO;
	if (opts->profile)
		return ort_api_check(api, api->enable_profiling(run->options, opts->profile), err,
				     "enable the runtime's profiler");
	return 0;
}

static int set_graph(struct run *run, struct err *err)
{
	const struct run_opts *opts = run->opts;
	const struct ort_api *api = &run->api;

	if (ort_api_check(api, api->set_optimization_level(run->options, optimization_level(opts->optimization)), err,
			  "optimize the graph as far as '%s'", opts->optimization))
		return -EIO;
	if (opts->denormals_as_zero && add_config(run, "session.set_denormal_as_zero", "1", err))
		return -EIO;
	if (opts->no_cpu_fallback && add_config(run, "session.disable_cpu_ep_fallback", "1", err))
		return -EIO;
	/* Asks for the provider of each node; runtimes from 1.24 on report it. */
	if (api->placement && add_config(run, "session.record_ep_graph_assignment_info", "1", err))
		return -EIO;
	if (!opts->is_deterministic)
		return 0;
	if (ORT_API_NEEDS(api, set_deterministic, "use deterministic kernels", err))
		return -ENOTSUP;
	return ort_api_check(api, api->set_deterministic(run->options, true), err, "use deterministic kernels");
}

static int override(struct run *run, const char *text, bool is_denotation, struct err *err)
{
	const struct ort_api *api = &run->api;
	char name[256];
	int64_t size[RUN_MAX_GROUPS];
	size_t len;
	const char *value = run_opts_pair(text, &len);
	int n = value && len < sizeof name ? run_opts_numbers(value, size, RUN_MAX_GROUPS, err)
					   : err_set(err, EINVAL, "expected NAME=N");

	if (n < 0 || (n > 1 && is_denotation))
		return err_set(err, EINVAL, "cannot use '%s' as --%s: expected a name and a size from 1 up", text,
			       is_denotation ? "denotation" : "dim");
	if (n > 1)
		return 0; /* stays free; the inputs take turns */
	memcpy(name, text, len);
	name[len] = 0;
	return ort_api_check(api,
			     is_denotation ? api->override_denotation(run->options, name, size[0])
					   : api->override_dimension(run->options, name, size[0]),
			     err, "set dimension %s to %lld", name, (long long)size[0]);
}

static int set_dimensions(struct run *run, struct err *err)
{
	const struct run_opts *opts = run->opts;

	for (size_t i = 0; i < opts->dimension.n; i++)
		if (override(run, opts->dimension.item[i], false, err))
			return -EINVAL;
	for (size_t i = 0; i < opts->denotation.n; i++)
		if (override(run, opts->denotation.item[i], true, err))
			return -EINVAL;
	return 0;
}

static int set_custom_operators(struct run *run, struct err *err)
{
	const struct run_opts *opts = run->opts;
	const struct ort_api *api = &run->api;

	for (size_t i = 0; i < opts->custom_ops.n; i++)
		if (ort_api_check(api, api->register_custom_ops(run->options, opts->custom_ops.item[i]), err,
				  "use the custom operators of %s", opts->custom_ops.item[i]))
			return -EIO;
	if (!opts->has_extensions)
		return 0;
	return ort_api_check(
	    api, api->enable_extensions(run->options), err,
	    "use the extensions (most builds of the runtime have none inside: give their library to --custom-ops)");
}

static int add_run_config(struct run *run, const char *key, const char *value, struct err *err)
{
	return ort_api_check(&run->api, run->api.add_run_config(run->run_options, key, value), err, "set %s to '%s'",
			     key, value);
}

static int make_run_options(struct run *run, struct err *err)
{
	if (!run->opts->run_config.n && !run->opts->shrink_arena)
		return 0;
	if (ort_api_check(&run->api, run->api.create_run_options(&run->run_options), err, "make run options"))
		return -EIO;
	if (run->opts->shrink_arena &&
	    add_run_config(run, "memory.enable_memory_arena_shrinkage", run->opts->shrink_arena, err))
		return -EIO;
	return add_pairs(run, &run->opts->run_config, add_run_config, err);
}

int run_options_make(struct run *run, struct err *err)
{
	static int (*const steps[])(struct run *, struct err *) = {
		set_threads, set_memory, set_files, set_graph, set_dimensions, set_custom_operators, make_run_options,
	};
	const struct ort_api *api = &run->api;

	if (ort_api_check(api, api->create_session_options(&run->options), err, "make session options"))
		return -EIO;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i](run, err))
			return -err->code;
	return add_pairs(run, &run->opts->session_config, add_config, err);
}
