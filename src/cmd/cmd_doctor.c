// SPDX-License-Identifier: Apache-2.0
/* `inftrace doctor`: prints what the looks of doctor_*.c and the checks of the sources find. Looks at nothing itself. */
#include "cmd/doctor.h"

#include <unistd.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/term.h"
#include "source/source.h"

struct doctor_opts {
	bool json, providers;
	const char *sysroot;
};

static const struct opt doctor_opt_table[] = {
	{ 0, "json", NULL, "print JSON", OPT_FLAG, offsetof(struct doctor_opts, json) },
	{ 0, "providers", NULL, "load each ONNX Runtime that inftrace model could use, in a process of its own, and ask for its providers",
	  OPT_FLAG, offsetof(struct doctor_opts, providers) },
	{ 0, "sysroot", "FOLDER", "look at /proc, /sys, /etc ... below this folder instead", OPT_STR, offsetof(struct doctor_opts, sysroot), "" },
	{ 0 },
};

static const struct {
	const char *label;
	enum term_style style;
} states[] = {
	[DOCTOR_OK] = { "ok", TERM_GREEN },
	[DOCTOR_LESS] = { "less", TERM_YELLOW },
	[DOCTOR_NO] = { "no", TERM_RED },
	[DOCTOR_NOTE] = { "-", TERM_DIM },
};

/* Prints the same facts as text or as JSON. */
struct report {
	const char *sysroot;
	struct json *json;	/* NULL: text */
	bool can_record;
};

static void print_heading(const char *text)
{
	printf("%s%s%s\n", term_style(stdout, TERM_BOLD), text, term_style(stdout, TERM_PLAIN));
}

static void print_line(enum doctor_state state, const char *name, const char *text, const char *advice)
{
	printf("  %s%-4s%s  %-16s ", term_style(stdout, states[state].style), states[state].label, term_style(stdout, TERM_PLAIN), name);
	puts(text);
	if (*advice)
		printf("%25s%s\n", "-> ", advice);
}

static void report_checks(struct report *report)
{
	if (report->json)
		json_array(report->json, "checks");
	else
		print_heading("Machine");
	for (const struct doctor_check *check = doctor_checks; check->name; check++) {
		struct doctor_finding finding = { 0 };

		check->look(&finding, report->sysroot);
		report->can_record &= finding.state != DOCTOR_NO;
		if (!report->json) {
			print_line(finding.state, check->name, finding.text, finding.advice);
			continue;
		}
		json_object(report->json, NULL);
		json_text(report->json, "name", check->name);
		json_text(report->json, "state", finding.state == DOCTOR_NOTE ? "note" : states[finding.state].label);
		json_text(report->json, "text", finding.text);
		json_text(report->json, "advice", *finding.advice ? finding.advice : NULL);
		json_end(report->json, '}');
	}
	if (report->json)
		json_end(report->json, ']');
}

static void report_sources(struct report *report)
{
	const struct target target = { .sysroot = report->sysroot, .pid = getpid(), .ring_dir = "/dev/shm", .level = "inference",
				       .interval_ns = 1000000000 };

	if (report->json)
		json_array(report->json, "sources");
	else
		print_heading("\nSources of events");
	for (const struct source *const *source = sources; *source; source++) {
		struct err err = { 0 };
		bool is_available = !(*source)->check(&target, &err);

		if (!report->json) {
			print_line(is_available ? DOCTOR_OK : DOCTOR_LESS, (*source)->name, is_available ? (*source)->help : err.msg, "");
			continue;
		}
		json_object(report->json, NULL);
		json_text(report->json, "name", (*source)->name);
		json_text(report->json, "help", (*source)->help);
		json_bool(report->json, "available", is_available);
		json_text(report->json, "reason", is_available ? NULL : err.msg);
		json_end(report->json, '}');
	}
	if (report->json)
		json_end(report->json, ']');
}

static void report_runtimes(struct report *report)
{
	struct doctor_runtimes found;

	doctor_runtimes_find(&found, report->sysroot);
	if (report->json)
		json_array(report->json, "runtimes");
	else
		print_heading("\nRuntimes that programs started here may load");
	for (size_t i = 0; i < found.n; i++) {
		const struct doctor_runtime *runtime = &found.runtime[i];

		if (!report->json) {
			printf("  onnxruntime %-10s %-8s %s\n", runtime->version ? runtime->version : "?", runtime->way, runtime->path);
			continue;
		}
		json_object(report->json, NULL);
		json_text(report->json, "name", "onnxruntime");
		json_text(report->json, "version", runtime->version);
		json_text(report->json, "way", runtime->way);
		json_text(report->json, "path", runtime->path);
		json_end(report->json, '}');
	}
	if (report->json)
		json_end(report->json, ']');
	else if (!found.n)
		puts("  none found (a program may bring its own, or have it linked in)");
	doctor_runtimes_done(&found);
}

static int report_providers(struct report *report, struct err *err)
{
	if (!report->json)
		print_heading("\nRuntimes that inftrace model can use");
	return doctor_providers(report->json, err);
}

static int doctor_run(const void *opts_, int argc, char **argv, struct err *err)
{
	const struct doctor_opts *opts = opts_;
	struct json json;
	struct report report = { .sysroot = opts->sysroot, .can_record = true };

	if (opts->json) {
		report.json = &json;
		json_init(&json, stdout);
		json_object(&json, NULL);
		json_text(&json, "version", INFTRACE_VERSION);
	}
	report_checks(&report);
	report_sources(&report);
	report_runtimes(&report);
	if (opts->providers && report_providers(&report, err))
		return -err->code;
	if (opts->json) {
		json_bool(&json, "can_record", report.can_record);
		json_end(&json, '}');
		json_done(&json);
	} else {
		printf("\n%s\n", report.can_record ? "Programs can be recorded here: inftrace record -- CMD" :
						     "Programs cannot be recorded here: see the lines that say no.");
	}
	return report.can_record ? CMD_DONE : CMD_NO;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.usage = "[options]",
	.summary = "say what can be recorded on this machine, and why not",
	.help = "Looks at the machine, at every source of events and at the copies of ONNX Runtime that a program started here "
		"would find. It loads nothing, runs nothing and changes nothing, but with --providers.\n\n"
		"Each line says ok, less (recording works but shows less or costs more) or no. The exit status is 0 when "
		"programs can be recorded here and 1 when not.",
	.examples = (const struct cmd_example[]){
		{ "inftrace doctor", "before the first recording on a machine" },
		{ "inftrace doctor --json", "the same for a program" },
		{ 0 },
	},
	.opts = doctor_opt_table,
	.opts_size = sizeof(struct doctor_opts),
	.run = doctor_run,
};
