// SPDX-License-Identifier: Apache-2.0
/* Prints the figures that the recorder has counted. Computes nothing. */
#include "cmd/record/record_summary.h"

#include <sys/wait.h>

#include "base/text/json.h"
#include "base/text/printable.h"
#include "base/text/units.h"
#include "show/term/term.h"

void record_summary_close(struct recording_file *file, struct recorder_result *result)
{
	struct err err = { 0 };

	if (recording_file_close(file, &err))
		term_say("%s", err.msg);
	result->n_bytes = file->n_bytes;
}

/* Why there is no inference; what is missing first. */
static void print_nothing(FILE *to, const struct recorder_result *result)
{
	if (result->n_inferences || result->n_unseen)
		return;
	if (result->lacks_runs)
		fprintf(to, " (a runtime was loaded whose inferences cannot be seen)");
	else if (*result->other) /* it may contain one that is recorded, and not use it */
		fprintf(to, " (%s was loaded, whose inferences are not recorded; CPU, memory and devices are)",
			result->other);
	else if (result->n_runtimes)
		fprintf(to, " (a runtime was loaded, but no model was run)");
	else if (!result->n_processes)
		fprintf(to, " (no program started)");
	else
		fprintf(to, " (no runtime that inftrace knows was loaded in the %llu process%s seen)",
			(unsigned long long)result->n_processes, result->n_processes == 1 ? "" : "es");
}

/* Each follows what was recorded, which is the first sentence. */
static void print_remark(FILE *to, bool *has_any, enum term_style style, const char *text)
{
	fprintf(to, "%s%s%s%s", *has_any ? "; " : ". ", term_style(to, style), text, term_style(to, TERM_PLAIN));
	*has_any = true;
}

static void print_remarks(FILE *to, const struct recorder_result *result)
{
	struct printable text;
	bool has_any = false;

	if (result->n_sampled_out) {
		text = (struct printable){ "" };
		printable_add(&text, "%s of the inferences %s recorded", units_count(result->n_inferences).s,
			      result->n_inferences == 1 ? "is" : "are");
		print_remark(to, &has_any, TERM_PLAIN, text.s);
	}
	if (result->n_lost) {
		text = printable_count(result->n_lost, "event");
		printable_add(&text, " lost");
		print_remark(to, &has_any, TERM_RED, text.s);
	}
	if (result->n_unseen) {
		text = (struct printable){ "what " };
		printable_add(&text, "%s did was not seen", printable_count(result->n_unseen, "process").s);
		print_remark(to, &has_any, TERM_RED, text.s);
	}
	if (result->n_left) {
		text = printable_count(result->n_left, "process");
		printable_add(&text, " go%s on, not recorded", result->n_left == 1 ? "es" : "");
		print_remark(to, &has_any, TERM_PLAIN, text.s);
	}
}

void record_summary_print(FILE *to, const char *path, const struct recorder_result *result)
{
	const uint64_t n_all = result->n_inferences + result->n_sampled_out;

	fprintf(to, "%sinftrace:%s %llu inference%s in %s", term_style(to, TERM_BOLD), term_style(to, TERM_PLAIN),
		(unsigned long long)n_all, n_all == 1 ? "" : "s", units_duration((double)result->elapsed_ns).s);
	if (result->n_latencies > 1)
		fprintf(to, ", %s",
			units_latency(result->n_latencies, result->median_ns, result->p99_ns, result->slowest_ns).s);
	print_nothing(to, result);
	fprintf(to, "; %s (%s)", path, units_bytes((double)result->n_bytes).s);
	print_remarks(to, result);
	fprintf(to, ". Next: inftrace report %s, or inftrace view %s\n", path, path);
}

void record_summary_json(FILE *to, const char *path, const struct recorder_result *result, bool has_status)
{
	struct json json;

	json_init(&json, to);
	json_object(&json, NULL);
	json_text(&json, "path", path);
	json_int(&json, "processes", (int64_t)result->n_processes);
	json_int(&json, "runtimes", (int64_t)result->n_runtimes);
	json_int(&json, "processes_not_seen", (int64_t)result->n_unseen);
	json_int(&json, "processes_left_running", (int64_t)result->n_left);
	json_int(&json, "inferences", (int64_t)result->n_inferences);
	json_int(&json, "inferences_sampled_out", (int64_t)result->n_sampled_out);
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
