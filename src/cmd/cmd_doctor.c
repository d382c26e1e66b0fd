// SPDX-License-Identifier: Apache-2.0
/* `inftrace doctor`: prints what the looks of doctor_*.c and the checks of the sources find. Looks at nothing itself.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/text/json.h"
#include "base/text/printable.h"
#include "capture/recorder/attach/attach_list.h"
#include "capture/source/source.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "model/ort/ort_plugins.h"
#include "show/term/term.h"

struct doctor_opts {
	bool json;
	bool no_load;
	const char *sysroot;
};

static const struct opt doctor_opt_table[] = {
	{ 0, "json", NULL, "print JSON", OPT_FLAG, offsetof(struct doctor_opts, json) },
	{ 0, "no-load", NULL, "do not load each runtime, in a separate process, to read its version and providers",
	  OPT_FLAG, offsetof(struct doctor_opts, no_load) },
	{ 0, "sysroot", "FOLDER", "read /proc, /sys, /etc ... below this folder instead", OPT_STR,
	  offsetof(struct doctor_opts, sysroot), "" },
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
	struct json *json; /* NULL: text */
	bool can_record;
	size_t n; /* of the list that is being printed */
};

static void print_heading(const char *text)
{
	printf("%s%s%s\n", term_style(stdout, TERM_BOLD), text, term_style(stdout, TERM_PLAIN));
}

enum { LINE = 400 };

static void print_line(enum doctor_state state, const char *name, const char *text, const char *advice)
{
	printf("  %s%-4s%s  %-16s ", term_style(stdout, states[state].style), states[state].label,
	       term_style(stdout, TERM_PLAIN), name);
	puts(printable_text(text, strlen(text), LINE, term_wants_ascii()).s);
	if (*advice)
		printf("%25s%s\n", "-> ", printable_text(advice, strlen(advice), LINE, term_wants_ascii()).s);
}

static void put_finding(struct report *report, const char *name, const struct doctor_finding *finding)
{
	if (!report->json) {
		print_line(finding->state, name, finding->text, finding->advice);
		return;
	}
	json_object(report->json, NULL);
	json_text(report->json, "name", name);
	json_text(report->json, "state", finding->state == DOCTOR_NOTE ? "note" : states[finding->state].label);
	json_text(report->json, "text", finding->text);
	json_text(report->json, "advice", *finding->advice ? finding->advice : NULL);
	json_end(report->json, '}');
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
		put_finding(report, check->name, &finding);
	}
	if (report->json)
		json_end(report->json, ']');
}

static void report_sources(struct report *report)
{
	const struct target target = { .sysroot = report->sysroot,
				       .pid = getpid(),
				       .ring_dir = "/dev/shm",
				       .level = "inference",
				       .interval_ns = 1000000000 };

	if (report->json)
		json_array(report->json, "sources");
	else
		print_heading("\nSources of events");
	for (const struct source *const *source = sources; *source; source++) {
		struct err err = { 0 };
		int code = (*source)->check(&target, &err);
		bool is_available = !code;

		if (!report->json) {
			print_line(is_available		 ? DOCTOR_OK
				   : code == -EOPNOTSUPP ? DOCTOR_NOTE
							 : DOCTOR_LESS,
				   (*source)->name, is_available ? (*source)->help : err.msg, "");
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

/* A text of items with ", " between them as a list. */
static void put_list(struct json *json, const char *name, const char *items)
{
	char item[80];

	json_array(json, name);
	while (*items) {
		size_t len = strcspn(items, ",");

		snprintf(item, sizeof item, "%.*s", (int)len, items);
		json_text(json, NULL, item);
		items += len + strspn(items + len, ", ");
	}
	json_end(json, ']');
}

static void report_device(void *ctx, const struct source_device *device)
{
	struct report *report = ctx;
	struct json *json = report->json;

	report->n++;
	if (!json) {
		print_line(*device->problem ? DOCTOR_LESS : DOCTOR_OK, device->name, device->text, "");
		printf("%25sreports: %s\n", "", *device->tells ? device->tells : "nothing about the whole device");
		if (*device->problem)
			printf("%25s%s\n", "-> ", device->problem);
		return;
	}
	json_object(json, NULL);
	json_text(json, "name", device->name);
	json_text(json, "description", device->text);
	put_list(json, "tells", device->tells);
	json_text(json, "problem", *device->problem ? device->problem : NULL);
	json_end(json, '}');
}

static void report_devices(struct report *report)
{
	const struct target target = { .sysroot = report->sysroot };

	if (report->json)
		json_array(report->json, "devices");
	else
		print_heading("\nGPUs and NPUs (recorded when a recorded program uses them)");
	report->n = 0;
	for (const struct source *const *source = sources; *source; source++)
		if ((*source)->devices)
			(*source)->devices(&target, report_device, report);
	if (report->json)
		json_end(report->json, ']');
	else if (!report->n)
		puts("  none found");
}

static void report_vendor(void *ctx, const char *vendor, const struct doctor_finding *finding)
{
	struct report *report = ctx;

	if (!report->json && !report->n++)
		print_heading("\nKernels of GPUs (record --kernels)");
	put_finding(report, vendor, finding);
}

static void report_kernels(struct report *report)
{
	if (report->json)
		json_array(report->json, "kernels");
	report->n = 0;
	doctor_kernels_each(report->sysroot, report_vendor, report);
	if (report->json)
		json_end(report->json, ']');
}

/* The length of "OpenVINO" in "OpenVINOExecutionProvider". */
static int short_len(const char *provider)
{
	const char *end = strstr(provider, "ExecutionProvider");

	return (int)(end ? end - provider : (long)strlen(provider));
}

static void print_providers(const struct ort_answer *answer)
{
	printf("%25sproviders: ", "");
	for (size_t i = 0; i < answer->n_providers; i++)
		printf("%s%.*s", i ? ", " : "", short_len(answer->provider[i]), answer->provider[i]);
	puts(answer->n_providers ? "" : "none");
}

static void report_runtime(void *ctx, const struct doctor_runtime *runtime)
{
	struct report *report = ctx;
	struct json *json = report->json;

	report->n++;
	if (!json) {
		printf("  onnxruntime %-10s %s\n%25s%s\n", *runtime->found.version ? runtime->found.version : "?",
		       runtime->found.path, "", runtime->found.how);
		if (runtime->has_answered)
			print_providers(&runtime->answer);
		if (*runtime->problem)
			printf("%25snot for inftrace model: %s\n", "-> ", runtime->problem);
		return;
	}
	json_object(json, NULL);
	json_text(json, "name", "onnxruntime");
	json_text(json, "version", *runtime->found.version ? runtime->found.version : NULL);
	json_text(json, "how", runtime->found.how);
	json_text(json, "path", runtime->found.path);
	json_array(json, "providers");
	for (size_t i = 0; i < runtime->answer.n_providers; i++)
		json_text(json, NULL, runtime->answer.provider[i]);
	json_end(json, ']');
	json_bool(json, "has_answered", runtime->has_answered);
	json_text(json, "problem", *runtime->problem ? runtime->problem : NULL);
	json_end(json, '}');
}

static void report_plugin(void *ctx, const struct ort_plugin *plugin)
{
	struct report *report = ctx;
	struct json *json = report->json;

	if (!json) {
		if (!report->n++)
			print_heading("\nPlugin providers in Python packages");
		printf("  %-11.*s %-10s %s\n%25s%s\n", short_len(plugin->provider), plugin->provider,
		       *plugin->version ? plugin->version : "?", plugin->path, "", plugin->how);
		return;
	}
	json_object(json, NULL);
	json_text(json, "provider", plugin->provider);
	json_text(json, "version", *plugin->version ? plugin->version : NULL);
	json_text(json, "how", plugin->how);
	json_text(json, "path", plugin->path);
	json_end(json, '}');
}

/* A program may have brought its own runtime, which the places above do not show. */
static void report_running(struct report *report)
{
	struct attach_list list = { 0 };
	struct err ignored;

	if (*report->sysroot || attach_list_find(&list, &ignored)) {
		if (report->json)
			json_null(report->json, "running_programs");
	} else if (report->json) {
		json_count(report->json, "running_programs", list.n);
	} else if (list.n) {
		printf("  %s with a runtime loaded: inftrace ps lists %s\n",
		       printable_count(list.n, "running program").s, list.n == 1 ? "it" : "them");
	}
	attach_list_done(&list);
}

static void report_runtimes(struct report *report, bool is_asked)
{
	struct err err = { 0 };
	int code;

	if (report->json)
		json_array(report->json, "runtimes");
	else
		print_heading("\nRuntimes that programs started here may load");
	report->n = 0;
	code = doctor_runtimes_each(report->sysroot, is_asked, report_runtime, report, &err);
	if (report->json) {
		json_end(report->json, ']');
		json_text(report->json, "runtimes_problem", code ? err.msg : NULL);
		json_array(report->json, "plugins");
	} else if (code) {
		printf("  %s\n", err.msg);
	} else if (!report->n) {
		puts("  none found (a program may bring its own, or have it linked in)");
	}
	if (!report->json)
		report_running(report);
	report->n = 0;
	ort_plugins_each(report->sysroot, report_plugin, report);
	if (report->json)
		json_end(report->json, ']');
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
	report_devices(&report);
	report_kernels(&report);
	report_runtimes(&report, !opts->no_load);
	if (opts->json) {
		report_running(&report);
		json_bool(&json, "can_record", report.can_record);
		json_end(&json, '}');
		json_done(&json);
	} else {
		printf("\n%s\n", report.can_record ? "Programs can be recorded here: inftrace record -- CMD"
						   : "Programs cannot be recorded here: see the lines marked no.");
	}
	return report.can_record ? CMD_DONE : CMD_NO;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.usage = "[options]",
	.summary = "report what can be recorded on this machine, and why the rest cannot",
	.help = "Checks the machine, every source of events, GPUs and NPUs, and the copies of ONNX Runtime that a "
		"program started here would load. It changes nothing. Each runtime is loaded in a separate process to "
		"read its version and providers, which takes a moment; --no-load skips this. Files below --sysroot are "
		"only read.\n\n"
		"Each line starts with ok, less (recording works, but shows less or costs more) or no. The exit status "
		"is 0 when programs can be recorded here and 1 when not.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace doctor", "before the first recording on a machine" },
		{ "inftrace doctor --json", "the same for a program" },
		{ 0 },
	    },
	.opts = doctor_opt_table,
	.opts_size = sizeof(struct doctor_opts),
	.is_privileged = true,
	.run = doctor_run,
};
