// SPDX-License-Identifier: Apache-2.0
/* Loads the runtime, makes its environment and the session, and releases them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/onnx/onnx_external.h"
#include "model/ort/ort_find.h"
#include "model/run/run.h"

static int note_providers(struct run *run, struct err *err)
{
	struct run_result *result = run->result;
	char **name = NULL;
	int n = 0;

	if (ort_api_check(&run->api, run->api.available_providers(&name, &n), err, "list the runtime's providers"))
		return -EIO;
	for (int i = 0; i < n && result->n_available < RUN_MAX_PROVIDERS; i++)
		snprintf(result->available[result->n_available++], RUN_NAME, "%s", name[i]);
	if (n)
		run->api.release_available_providers(name, n);
	return 0;
}

int run_ort_load(struct run *run, struct err *err)
{
	static struct ort_found found;
	struct run_result *result = run->result;
	int rc;

	rc = ort_find_one(run->opts->runtime, &found, err);
	if (rc)
		return rc;
	snprintf(result->runtime_path, sizeof result->runtime_path, "%s", found.path);
	snprintf(result->runtime_found, sizeof result->runtime_found, "%.*s", RUN_TEXT - 1, found.how);
	/* No telemetry in measured programs: it costs threads, files and time. */
	setenv("ORT_DISABLE_TELEMETRY", "1", 1);
	rc = ort_api_open(&run->api, found.path, err);
	if (rc)
		return rc;
	snprintf(result->runtime_version, sizeof result->runtime_version, "%s", run->api.version);
	return note_providers(run, err);
}

int run_ort_environment(struct run *run, struct err *err)
{
	const struct ort_api *api = &run->api;

	if (ort_api_check(api, api->create_env_with_logger(run_log_take, NULL, ORT_WARNING, "inftrace-run", &run->env),
			  err, "make the runtime's environment"))
		return -EIO;
	if (ort_api_check(api, api->default_allocator(&run->allocator), err, "get the runtime's allocator"))
		return -EIO;
	return ort_api_check(api, api->create_cpu_memory(ORT_DEVICE_ALLOCATOR, ORT_DEFAULT_MEMORY, &run->memory), err,
			     "describe memory to the runtime");
}

/* The file's bytes; kept to the end, because the session may point into them. */
static void *read_model(const char *path, size_t *size, struct err *err)
{
	struct stat status;
	char *bytes = NULL;
	ssize_t n = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*size = 0;
	if (fd < 0 || fstat(fd, &status) || !(bytes = malloc((size_t)status.st_size + 1))) {
		err_set(err, errno, "cannot read %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	while (*size < (size_t)status.st_size && n > 0) {
		n = read(fd, bytes + *size, (size_t)status.st_size - *size);
		*size += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (n > 0 || !status.st_size)
		return bytes;
	err_set(err, n < 0 ? errno : EIO, "cannot read %s: %s", path,
		n < 0 ? strerror(errno) : "it shrank while being read");
	free(bytes);
	return NULL;
}

static uint64_t available_bytes(void)
{
	char line[128];
	uint64_t kb = 0;
	FILE *in = fopen("/proc/meminfo", "re");

	while (in && !kb && fgets(line, sizeof line, in))
		if (sscanf(line, "MemAvailable: %llu", (unsigned long long *)&kb) != 1)
			kb = 0;
	if (in)
		fclose(in);
	return kb * 1024;
}

/* Size of the model and the files beside it that hold its weights; 0: unknown. */
static uint64_t model_bytes(const char *path)
{
	struct onnx_externals externals = { 0 };
	struct onnx_model model;
	struct stat status;
	uint64_t bytes;

	if (stat(path, &status))
		return 0;
	bytes = (uint64_t)status.st_size;
	if (!onnx_read_file(&model, path, NULL) && !onnx_external_find(&model, &externals, NULL))
		for (uint32_t i = 0; i < externals.n; i++)
			bytes += (uint64_t)externals.files[i].bytes;
	onnx_done(&model);
	return bytes;
}

/* The runtime's message for "out of memory" has no figures. */
static void explain_memory(const char *path, struct err *err)
{
	uint64_t bytes;

	if (!strstr(err->msg, "bad_alloc") && !strstr(err->msg, "llocate memory") &&
	    !strstr(err->msg, "Cannot allocate"))
		return;
	bytes = model_bytes(path);
	if (bytes)
		err_set(err, ENOMEM,
			"cannot create the session: out of memory: the model has %.2f GiB with its weights and the "
			"machine had %.2f GiB left; a limit of this process may be lower",
			(double)bytes / (1 << 30), (double)available_bytes() / (1 << 30));
}

static int create_session(struct run *run, struct err *err)
{
	const struct ort_api *api = &run->api;
	size_t size;
	void *bytes;
	int rc;

	if (access(run->model, R_OK))
		return err_set(err, errno, "cannot read the model %s: %s", run->model, strerror(errno));
	if (run->opts->from_memory) {
		bytes = read_model(run->model, &size, err);
		if (!bytes)
			return -err->code;
		rc = ort_api_check(api,
				   api->create_session_from_array(run->env, bytes, size, run->options, &run->session),
				   err, "create the session");
	} else {
		rc = ort_api_check(api, api->create_session(run->env, run->model, run->options, &run->session), err,
				   "create the session");
	}
	if (rc)
		explain_memory(run->model, err);
	return rc;
}

static void note_placed(struct run *run, const struct ort_subgraph *subgraph)
{
	const struct ort_graph_nodes *const *nodes;
	struct run_result *result = run->result;
	const char *provider = NULL;
	size_t n = 0;
	uint32_t i = 0;

	if (ort_api_check(&run->api, run->api.subgraph_provider(subgraph, &provider), NULL, "ask") ||
	    ort_api_check(&run->api, run->api.subgraph_nodes(subgraph, &nodes, &n), NULL, "ask") || !provider)
		return;
	while (i < result->n_placed && strcmp(result->placed[i].name, provider))
		i++;
	if (i == RUN_MAX_PROVIDERS)
		return;
	if (i == result->n_placed) {
		snprintf(result->placed[i].name, RUN_NAME, "%s", provider);
		result->n_placed++;
	}
	result->placed[i].n_subgraphs++;
	result->placed[i].n_nodes += (uint32_t)n;
}

static void warn_of_idle(const struct run_result *result, const char *provider)
{
	char text[RUN_NAME + 64];

	for (uint32_t i = 0; i < result->n_placed; i++)
		if (!strcmp(result->placed[i].name, provider))
			return;
	snprintf(text, sizeof text, "%s was requested, but took no node", provider);
	run_log_line(text);
}

/* Providers leave nodes to the CPU silently: notes each requested provider that took no node. */
static void note_placement(struct run *run)
{
	const struct ort_subgraph *const *subgraph = NULL;
	size_t n = 0;

	if (!run->api.placement ||
	    ort_api_check(&run->api, run->api.placement(run->session, &subgraph, &n), NULL, "ask"))
		return;
	for (size_t i = 0; i < n; i++)
		note_placed(run, subgraph[i]);
	for (uint32_t i = 0; i < run->result->n_asked; i++)
		warn_of_idle(run->result, run->result->asked[i].name);
}

/* Rejects an output path that would overwrite the model. */
static int check_written(const struct run_opts *opts, const char *path, struct err *err)
{
	struct stat model, written;

	if (!path || stat(opts->model, &model) || stat(path, &written) || model.st_dev != written.st_dev ||
	    model.st_ino != written.st_ino)
		return 0;
	return err_set(err, EINVAL, "cannot write to %s: that file is the model", path);
}

int run_ort_session(struct run *run, struct err *err)
{
	int rc = check_written(run->opts, run->opts->optimized_model, err);

	if (!rc)
		rc = check_written(run->opts, run->opts->compile, err);
	if (!rc)
		rc = run_options_make(run, err);
	snprintf(run->model, sizeof run->model, "%s", run->opts->model);
	if (!rc)
		rc = run_provider_append(run, err);
	if (!rc && run->opts->compile)
		rc = run_compile(run, err);
	if (rc || run->opts->compile_only)
		return rc;
	rc = create_session(run, err);
	if (rc)
		return rc;
	note_placement(run);
	return run_values_read(run, err);
}

static void end_profile(struct run *run)
{
	char *path = NULL;

	if (!*run->result->profile_path && !run->opts->profile)
		return;
	if (ort_api_check(&run->api, run->api.end_profiling(run->session, run->allocator, &path), NULL,
			  "end profiling") ||
	    !path)
		return;
	snprintf(run->result->profile_path, sizeof run->result->profile_path, "%s", path);
	run->api.release_status(run->api.allocator_free(run->allocator, path));
}

void run_ort_unload(struct run *run)
{
	const struct ort_api *api = &run->api;

	if (run->session) {
		end_profile(run);
		for (size_t i = 0; i < run->n_shapes; i++)
			for (size_t k = 0; k < run->shapes[i].n_sets; k++)
				for (size_t v = 0; v < run->n_inputs; v++)
					api->release_value(run->shapes[i].set[k].value[v]);
		api->release_session(run->session);
	}
	if (run->run_options)
		api->release_run_options(run->run_options);
	if (run->options)
		api->release_session_options(run->options);
	if (run->memory)
		api->release_memory(run->memory);
	for (size_t i = run->n_libraries; i-- > 0;)
		api->release_status(api->unregister_library(run->env, run->library[i].provider));
	if (run->env)
		api->release_env(run->env);
}
