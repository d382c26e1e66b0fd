// SPDX-License-Identifier: Apache-2.0
/*
 * inftrace-run MODEL: loads a model with ONNX Runtime, runs it and times it. `inftrace model` starts it under its
 * recorder like any other program; the result goes into memory that both share. Started by hand it prints a summary.
 */
#include "model/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "model/onnx/onnx_other.h"
#include "model/run/provider_names.h"
#include "model/run/run_llama.h"

enum { UNLOAD_SECONDS = 20 };

struct step {
	enum run_phase_id phase;
	int (*run)(struct run *run, struct err *err);
};

static void print_help(void)
{
	printf("usage: inftrace-run MODEL [OPTIONS]\n");
	for (const struct opt *row = run_opt_table; !opt_is_end(row); row++) {
		char name[128];

		if (opt_is_heading(row)) {
			printf("\n%s\n", row->help);
			continue;
		}
		snprintf(name, sizeof name, "%s%c%s--%s%s%s", row->letter ? "-" : " ", row->letter ? row->letter : ' ',
			 row->letter ? ", " : "  ", row->name, row->metavar ? " " : "",
			 row->metavar ? row->metavar : "");
		printf("  %s\n        %s\n", name, row->help);
	}
}

/* Started by hand, it makes the shared memory itself. */
static struct run_result *make_result(const struct run_opts *opts, struct err *err)
{
	struct run_result *result;
	char path[64];
	int fd;

	if (opts->result)
		return run_result_map(opts->result, err);
	fd = run_result_make(RUN_LATENCIES, err);
	if (fd < 0)
		return NULL;
	run_result_name(fd, path, sizeof path);
	result = run_result_map(path, err);
	close(fd);
	return result;
}

/* When memory runs out, the kernel shall kill this process and not its parent. */
static void offer_to_be_killed(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "800", 3) != 3)
		run_log_line("cannot raise oom_score_adj");
	close(fd);
}

static void note_asked(struct run *run)
{
	struct run_result *result = run->result;
	const struct run_opts *opts = run->opts;

	result->concurrency = (uint32_t)opts->concurrency;
	run_opts_u64(opts->seed, &result->seed, NULL);
	result->is_open_loop = opts->rate != NULL;
	if (opts->rate)
		run_opts_real(opts->rate, &result->rate_hz, NULL);
	for (size_t i = 0; i < opts->provider.n && i < RUN_MAX_PROVIDERS; i++)
		snprintf(result->asked[result->n_asked++].name, RUN_NAME, "%s",
			 provider_names_full(opts->provider.item[i]));
	result->is_llama = run->is_llama;
	result->n_tokens = (uint32_t)opts->tokens;
	if (!result->n_asked && !opts->policy && !run->is_llama)
		snprintf(result->asked[result->n_asked++].name, RUN_NAME, "CPUExecutionProvider");
}

static void hold(uint64_t ns)
{
	struct timespec time = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	if (!ns)
		return;
	printf("session is ready\n");
	fflush(stdout);
	nanosleep(&time, NULL);
}

static int do_steps(struct run *run, const struct step *step, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++, step++) {
		int rc;

		run_phase_begin(run->result, step->phase);
		rc = step->run(run, err);
		if (rc) {
			run->result->phases[step->phase].state = RUN_FAILED_HERE;
			return rc;
		}
		run_phase_end(run->result, step->phase);
	}
	return 0;
}

static int run_model(struct run *run, struct err *err)
{
	static const struct step to_devices[] = { { RUN_LOAD_RUNTIME, run_ort_load },
						  { RUN_ENVIRONMENT, run_ort_environment },
						  { RUN_LIBRARIES, run_device_libraries } };
	static const struct step to_llama[] = { { RUN_LOAD_RUNTIME, run_llama_load },
						{ RUN_SESSION, run_llama_session } };
	static const struct step to_session[] = { { RUN_SESSION, run_ort_session } },
				 to_inputs[] = { { RUN_INPUTS, run_inputs_make } },
				 to_prompts[] = { { RUN_INPUTS, run_generate_open } };
	const struct run_opts *opts = run->opts;
	int rc = run->is_llama ? do_steps(run, to_llama, 2, err) : do_steps(run, to_devices, 3, err);

	if (rc || opts->list_devices)
		return rc;
	rc = run->is_llama ? 0 : do_steps(run, to_session, 1, err);
	if (rc)
		return rc;
	hold(opts->hold_ns);
	if (opts->session_only || opts->compile_only)
		return 0;
	if (opts->tokens)
		run->generator = run->is_llama ? &run_generator_llama : &run_generator_onnx;
	rc = do_steps(run, opts->tokens ? to_prompts : to_inputs, 1, err);
	if (rc)
		return rc;
	rc = run_load(run, err);
	if (rc)
		run->result->phases[run->result->phase].state = RUN_FAILED_HERE;
	return rc;
}

/* All results are written; unloading may crash in ways that return no error. */
static void unload(struct run *run)
{
	run_phase_begin(run->result, RUN_UNLOAD);
	run_guard_unloading(UNLOAD_SECONDS);
	if (run->generator)
		run->generator->close(run);
	if (run->is_llama)
		run_llama_unload(run);
	else
		run_ort_unload(run);
	run_guard_unloading(0);
	run_phase_end(run->result, RUN_UNLOAD);
}

static int finish(struct run *run, int rc, struct err *err)
{
	struct run_result *result = run->result;

	if (rc) {
		run_log_explain(err);
		snprintf(result->error, sizeof result->error, "%s", err->msg);
		result->exit_status = 3;
		result->outcome = RUN_FAILED;
		if (!run->opts->result)
			fprintf(stderr, "inftrace-run: %s\n", err->msg);
		return 3;
	}
	result->outcome = RUN_DONE;
	unload(run);
	if (run->opts->list_devices)
		run_summary_devices(result);
	else if (!run->opts->result)
		run_summary_print(result);
	return 0;
}

/* The model of a folder is its decoder. */
static int find_model(struct run *run, struct run_opts *opts, struct err *err)
{
	if (!opts->model || !genai_folder_is(opts->model))
		return 0;
	if (!opts->tokens)
		return err_set(err, EINVAL, "cannot run the folder %s without --tokens", opts->model);
	if (genai_folder_read(&run->folder, opts->model, err))
		return -err->code;
	opts->model = run->folder.model;
	return 0;
}

int main(int argc, char **argv)
{
	static struct run_opts opts;
	static struct run run = { .opts = &opts };
	struct err err = { 0 };
	int rc = run_opts_parse(&opts, argc - 1, argv + 1, &err);

	if (rc == OPT_HELP) {
		print_help();
		return 0;
	}
	if (!rc && opts.list_runtimes) {
		rc = run_summary_runtimes(opts.runtime, &err);
		if (rc)
			fprintf(stderr, "inftrace-run: %s\n", err.msg);
		return rc ? 3 : 0;
	}
	if (!rc)
		run.result = make_result(&opts, &err);
	if (!run.result) {
		fprintf(stderr, "inftrace-run: %s\n", err.msg);
		return rc ? 2 : 3;
	}
	run.result->pid = (uint32_t)getpid();
	run_guard_start(run.result, opts.result != NULL);
	run_log_start(run.result, opts.is_verbose);
	offer_to_be_killed();
	run.is_llama = opts.model && onnx_other_is_gguf(opts.model);
	note_asked(&run);
	rc = find_model(&run, &opts, &err);
	rc = finish(&run, rc ? rc : run_model(&run, &err), &err);
	fflush(NULL);
	/* Skips destructors: a provider's library may hang or crash in them, and they serve no purpose here. */
	_exit(rc);
}
