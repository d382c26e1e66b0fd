// SPDX-License-Identifier: Apache-2.0
/* From the files of a provider's profiler to the kernels of a report. Where they lie, the runner's result says. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/model_in.h"
#include "trace/import/device_profile.h"

struct inside {
	struct model_result *result;
	const struct model_pass *pass;
	struct arena *arena;
	struct names *names;
	struct err *err;
};

static const char *keep(struct inside *inside, const char *text)
{
	return *text ? arena_keep(inside->arena, text) : NULL;
}

__attribute__((format(printf, 2, 3))) static int missing(struct inside *inside, const char *fmt, ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	inside->result->kernels_missing = keep(inside, text);
	return 0;
}

/* Rows of one name together; those of the execution as a whole apart from those of its kernels. */
static int by_name(const void *left, const void *right)
{
	const struct device_row *a = left, *b = right;

	if (a->is_whole != b->is_whole)
		return a->is_whole - b->is_whole;
	if (a->unit != b->unit)
		return (a->unit > b->unit) - (a->unit < b->unit);
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (a->op_type > b->op_type) - (a->op_type < b->op_type);
}

static int by_share(const void *left, const void *right)
{
	const struct model_kernel *a = left, *b = right;
	double x = isnan(a->time_ns) ? (double)a->cycles : a->time_ns,
	       y = isnan(b->time_ns) ? (double)b->cycles : b->time_ns;

	if (a->is_whole != b->is_whole)
		return b->is_whole - a->is_whole;
	return x > y ? -1 : x < y;
}

static void set_shares(struct model_kernel *kernels, uint32_t n)
{
	double total_ns = 0, total_cycles = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!kernels[i].is_whole)
			*(kernels[i].cycles < 0 ? &total_ns : &total_cycles) +=
			    kernels[i].cycles < 0 ? kernels[i].time_ns : (double)kernels[i].cycles;
	for (uint32_t i = 0; i < n; i++) {
		double total = kernels[i].cycles < 0 ? total_ns : total_cycles;
		double own = kernels[i].cycles < 0 ? kernels[i].time_ns : (double)kernels[i].cycles;

		kernels[i].share = !kernels[i].is_whole && total > 0 ? own / total : NAN;
	}
}

/* Sums up; sorts the profile's rows, which no execution can find afterwards. */
static int sum_up(struct inside *inside, struct device_profile *profile)
{
	struct model_kernel *kernels, *kernel = NULL;
	uint32_t n = 0;

	qsort(profile->rows, profile->n_rows, sizeof *profile->rows, by_name);
	for (size_t i = 0; i < profile->n_rows; i++)
		n += !i || by_name(&profile->rows[i - 1], &profile->rows[i]);
	kernels = arena_alloc(inside->arena, n * sizeof *kernels);
	if (!kernels)
		return err_no_memory(inside->err, "cannot report on the provider's profile");
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct device_row *row = &profile->rows[i];

		if (!i || by_name(row - 1, row)) {
			kernel = kernel ? kernel + 1 : kernels;
			*kernel = (struct model_kernel){
				.name = keep(inside, names_text(inside->names, row->name)),
				.op_type = keep(inside, names_text(inside->names, row->op_type)),
				.implementation = keep(inside, names_text(inside->names, row->implementation)),
				.source_ops = keep(inside, names_text(inside->names, row->source_ops)),
				.is_whole = row->is_whole,
				.time_ns = row->unit == DEVICE_US ? 0 : NAN,
				.cycles = row->unit == DEVICE_US ? -1 : 0,
			};
		}
		kernel->n++;
		if (row->unit == DEVICE_US)
			kernel->time_ns += 1000.0 * (double)row->value;
		else
			kernel->cycles += row->value < INT64_MAX - kernel->cycles ? row->value : 0;
	}
	set_shares(kernels, n);
	qsort(kernels, n, sizeof *kernels, by_share);
	inside->result->kernels = kernels;
	inside->result->n_kernels = n;
	return 0;
}

static void note(struct inside *inside, const struct device_profile *profile, const struct model_placed *placed)
{
	char text[800] = "";
	size_t used = 0;

	if (*placed->why_not)
		used +=
		    (size_t)snprintf(text, sizeof text, "not all of them are in the recording: %s", placed->why_not);
	if (profile->n_unread && used < sizeof text)
		used +=
		    (size_t)snprintf(text + used, sizeof text - used, "%s%zu lines of the profile could not be read",
				     used ? "; " : "", profile->n_unread);
	if (profile->is_cut && used < sizeof text)
		snprintf(text + used, sizeof text - used, "%sthe profile is cut off", used ? "; " : "");
	inside->result->kernels_note = keep(inside, text);
}

static int report(struct inside *inside, struct device_profile *profile)
{
	const struct run_result *run = inside->pass->run.head;
	struct model_placed placed = { 0 };
	int code = 0;

	if (!profile->n_rows)
		return missing(inside, "%s has no kernel%s", names_text(inside->names, profile->source),
			       *run->provider_profile_path
				   ? ""
				   : ": the provider puts none into it, or ONNX Runtime is older than 1.25");
	if (inside->pass->recording.summary)
		code = model_place(&inside->pass->recording, inside->pass->path, profile,
				   run->n_asked ? run->asked[0].name : "provider", &placed, inside->err);
	if (code)
		return code;
	inside->result->kernels_source = keep(inside, names_text(inside->names, profile->source));
	if (profile->n_executions)
		inside->result->n_kernel_runs = (int64_t)profile->n_executions;
	inside->result->n_kernel_slices = (int64_t)placed.n_slices;
	note(inside, profile, &placed);
	return sum_up(inside, profile);
}

static int read_file(struct inside *inside, const char *path, bool is_qnn)
{
	struct device_profile profile = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), code;
	void *data = MAP_FAILED;
	struct stat stat;
	struct err trouble;

	if (fd < 0)
		return missing(inside, "the provider wrote no profile (%s: %s)", path, strerror(errno));
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_size)
		data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return missing(inside, "the provider's profile is empty");
	code = (is_qnn ? device_profile_qnn : device_profile_ort)(&profile, inside->names, data, (size_t)stat.st_size,
								  &trouble);
	munmap(data, (size_t)stat.st_size);
	if (code == -ENOMEM)
		code = err_set(inside->err, ENOMEM, "%s", trouble.msg);
	else if (code)
		code = missing(inside, "the provider's profile cannot be used: %s", trouble.msg);
	else
		code = report(inside, &profile);
	device_profile_done(&profile);
	return code;
}

int model_inside(struct model_result *result, const struct model_pass *pass, struct arena *arena, struct err *err)
{
	const struct run_result *run = pass->run.head;
	struct inside inside = { result, pass, arena, pass->recording.names, err };
	struct names *own = inside.names ? NULL : names_new();
	bool is_qnn = run && *run->provider_profile_path;
	int code;

	if (own)
		inside.names = own;
	if (!inside.names)
		return err_no_memory(err, "cannot read the provider's profile");
	if (!run || run->outcome != RUN_DONE)
		code = missing(&inside, "the run with the provider's profiler failed%s%s",
			       run && *run->error ? ": " : "", run ? run->error : "");
	else if (!is_qnn && !*run->profile_path)
		code = missing(&inside, "the runtime wrote no profile");
	else
		code = read_file(&inside, is_qnn ? run->provider_profile_path : run->profile_path, is_qnn);
	names_free(own);
	return code;
}
