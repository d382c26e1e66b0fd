// SPDX-License-Identifier: Apache-2.0
/* Lets the providers compile the model into a file; the session is then made from that file. */
#include <errno.h>
#include <stdio.h>

#include "model/run/run.h"

/* Slots of the compile API, which only grows, too. */
enum { RELEASE = 0, FROM_SESSION_OPTIONS = 1, SET_INPUT = 2, SET_OUTPUT = 4, SET_EMBED = 7, COMPILE = 8 };

static int set_up(struct run *run, void *const *table, struct ort_compile_options *options, struct err *err)
{
	struct ort_status *(*set_path)(struct ort_compile_options *, const char *);
	struct ort_status *(*set_embed)(struct ort_compile_options *, bool);

	*(void **)&set_path = table[SET_INPUT];
	if (ort_api_check(&run->api, set_path(options, run->opts->model), err, "compile %s", run->opts->model))
		return -EIO;
	*(void **)&set_path = table[SET_OUTPUT];
	if (ort_api_check(&run->api, set_path(options, run->opts->compile), err, "compile into %s", run->opts->compile))
		return -EIO;
	*(void **)&set_embed = table[SET_EMBED];
	return ort_api_check(&run->api, set_embed(options, run->opts->compile_embed), err, "embed what was compiled");
}

int run_compile(struct run *run, struct err *err)
{
	struct ort_status *(*make)(const struct ort_env *, const struct ort_session_options *,
				   struct ort_compile_options **);
	struct ort_status *(*compile)(const struct ort_env *, const struct ort_compile_options *);
	void (*release)(struct ort_compile_options *);
	struct ort_compile_options *options = NULL;
	void *const *table;
	int rc;

	if (ORT_API_NEEDS(&run->api, compile_api, "compile a model", err))
		return -ENOTSUP;
	table = run->api.compile_api();
	if (!table)
		return err_set(err, ENOTSUP, "cannot compile a model: this build of the runtime has no compiler");
	*(void **)&make = table[FROM_SESSION_OPTIONS];
	*(void **)&compile = table[COMPILE];
	*(void **)&release = table[RELEASE];
	if (ort_api_check(&run->api, make(run->env, run->options, &options), err, "compile the model"))
		return -EIO;
	rc = set_up(run, table, options, err);
	if (!rc)
		rc = ort_api_check(&run->api, compile(run->env, options), err, "compile %s", run->opts->model);
	release(options);
	if (!rc) {
		snprintf(run->model, sizeof run->model, "%s", run->opts->compile);
		snprintf(run->result->context_path, sizeof run->result->context_path, "%s", run->opts->compile);
	}
	return rc;
}
