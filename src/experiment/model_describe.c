// SPDX-License-Identifier: Apache-2.0
/* The machine, as the system describes it, and those options that were not left alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc/machine.h"
#include "capture/proc/usable_cpus.h"
#include "experiment/model_in.h"

enum { MAX_SETTINGS = 64 };

static void count_cpus(struct model_machine *machine)
{
	struct usable_cpus cpus;

	usable_cpus_find(&cpus, "", getpid());
	machine->usable_cpus = cpus.n > 0 ? cpus.n : NAN;
	machine->n_cpus = cpus.n > 0 ? (int64_t)ceil(cpus.n) : -1;
	machine->is_by_quota = cpus.is_by_quota;
	machine->n_all_cpus = cpus.n_all ? (int64_t)cpus.n_all : -1;
}

static void describe_machine(struct model_runs *runs, bool measures_peak)
{
	struct model_machine *machine = &runs->report.machine;
	char *text = arena_alloc(&runs->arena, 512);
	struct utsname *kernel = arena_alloc(&runs->arena, sizeof *kernel);
	struct err ignored;

	if (text)
		machine_processor("", text, 512);
	machine->cpu = text && *text ? text : NULL;
	if (kernel && !uname(kernel))
		machine->kernel = kernel->release;
	count_cpus(machine);
	machine->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	if (measures_peak)
		machine_peak_measure(&machine->peak, machine->n_cpus, &ignored);
}

static void add_setting(struct model_runs *runs, struct model_setting *settings, const char *name, const char *value)
{
	if (runs->report.n_settings < MAX_SETTINGS)
		settings[runs->report.n_settings++] = (struct model_setting){ name, value };
}

static void describe_settings(struct model_runs *runs, const struct model_opts *opts, const struct model_ways *ways)
{
	struct model_way shared = ways->shared;
	const struct model_pass_words words = { .program = "",
						.result = "",
						.duration_ns = opts->run.duration_ns,
						.iterations = opts->run.iterations,
						.profiles = "" };
	struct model_setting *settings = arena_alloc(&runs->arena, MAX_SETTINGS * sizeof *settings);
	char **argv;

	shared.provider = shared.policy = NULL;
	shared.model = "";
	argv = model_options_argv(opts, &shared, &words, &runs->arena);
	for (int i = 1; argv && settings && argv[i] && strcmp(argv[i], "--"); i++) {
		char *equals = strchr(argv[i], '=');

		if (!strncmp(argv[i], "--result=", 9) || !strncmp(argv[i], "--ep-profile-dir=", 17) ||
		    (!strncmp(argv[i], "--optimized-data-min=", 21) && !opts->run.optimized_data) ||
		    (!strncmp(argv[i], "--duration=", 11) &&
		     (opts->run.iterations || opts->run.session_only || opts->run.compile_only)))
			continue;
		if (equals)
			*equals = 0;
		add_setting(runs, settings, argv[i] + 2, equals ? equals + 1 : "yes");
	}
	for (int axis = 0; settings && axis < N_MODEL_AXES; axis++)
		if (ways->all[axis] && model_axis_option((enum model_axis)axis) && axis != MODEL_AXIS_PROVIDER)
			add_setting(runs, settings, model_axis_option((enum model_axis)axis), ways->all[axis]);
	runs->report.settings = settings;
}

void model_describe(struct model_runs *runs, const struct model_opts *opts, const struct model_ways *ways,
		    bool measures_peak)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	runs->report.start_realtime_ns = now.tv_sec * 1000000000ll + now.tv_nsec;
	runs->report.version = INFTRACE_VERSION;
	describe_settings(runs, opts, ways);
	describe_machine(runs, measures_peak);
}
