// SPDX-License-Identifier: Apache-2.0
/* Prints the figures that the recorder has counted. Computes nothing. */
#include "capture/recorder/record_summary.h"

#include <sys/wait.h>

#include "base/json.h"
#include "base/term.h"

void record_summary_print(FILE *to, const char *path, const struct recorder_result *result)
{
	double seconds = (double)result->elapsed_ns / 1e9;

	fprintf(to, "%sinftrace:%s %llu inferences in %.1f s", term_style(to, TERM_BOLD), term_style(to, TERM_PLAIN),
		(unsigned long long)result->n_inferences, seconds);
	if (result->n_lost)
		fprintf(to, ", %s%llu events lost%s", term_style(to, TERM_RED), (unsigned long long)result->n_lost,
			term_style(to, TERM_PLAIN));
	if (!result->n_inferences && result->n_runtimes)
		fprintf(to, " (a runtime was loaded, but no model was run)");
	else if (!result->n_processes)
		fprintf(to, " (no program came)");
	else if (!result->n_inferences)
		fprintf(to, " (no runtime was loaded in the %llu process%s seen)",
			(unsigned long long)result->n_processes, result->n_processes == 1 ? "" : "es");
	fprintf(to, "; %s (%.1f MiB). Look at it with: inftrace report %s\n", path, (double)result->n_bytes / (1 << 20),
		path);
}

void record_summary_json(FILE *to, const char *path, const struct recorder_result *result, bool has_status)
{
	struct json json;

	json_init(&json, to);
	json_object(&json, NULL);
	json_text(&json, "path", path);
	json_int(&json, "processes", (int64_t)result->n_processes);
	json_int(&json, "runtimes", (int64_t)result->n_runtimes);
	json_int(&json, "inferences", (int64_t)result->n_inferences);
	json_int(&json, "lost", (int64_t)result->n_lost);
	json_int(&json, "bytes", (int64_t)result->n_bytes);
	json_int(&json, "elapsed_ns", (int64_t)result->elapsed_ns);
	json_int(&json, "recorder_cpu_ns", (int64_t)result->cpu_ns);
	if (has_status && WIFSIGNALED(result->wait_status))
		json_int(&json, "signal", WTERMSIG(result->wait_status));
	else if (has_status)
		json_int(&json, "exit_status", WEXITSTATUS(result->wait_status));
	json_text(&json, "stopped", result->has_stopped ? result->stop_reason : NULL);
	json_end(&json, '}');
	json_done(&json);
}
