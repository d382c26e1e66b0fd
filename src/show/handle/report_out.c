// SPDX-License-Identifier: Apache-2.0
/*
 * Writes whole reports. Names of models are foreign texts: a file has those of their characters that no shell and no
 * system of files minds; two models that would get the same name are numbered.
 */
#include "show/handle/report_out.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/output.h"
#include "base/text/json.h"

enum { STEM = 120, TIME = 40 };

struct report_out_model {
	char *name;
	char stem[STEM + 16]; /* of its files */
	uint32_t n_reports;
};

static struct report_out_model *model_at(const struct report_out *out, size_t i)
{
	return (struct report_out_model *)out->models.data + i;
}

static bool is_taken(const struct report_out *out, const char *stem)
{
	for (size_t i = 0; i < out->models.n; i++)
		if (!strcasecmp(model_at(out, i)->stem, stem))
			return true;
	return false;
}

static void find_stem(const struct report_out *out, const char *name, char *stem, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	int len = snprintf(stem, STEM, "%s", *name ? name : "unknown");

	if (len >= STEM)
		len = STEM - 1;
	for (int i = 0; i < len; i++)
		if (!strchr(plain, stem[i]) || (!i && (*stem == '.' || *stem == '-')))
			stem[i] = '_';
	for (unsigned n = 2; is_taken(out, stem); n++)
		snprintf(stem + len, size - (size_t)len, "-%u", n);
}

/* NULL: out of memory. */
static struct report_out_model *model_named(struct report_out *out, const char *name)
{
	struct report_out_model made = { .name = NULL }, *model;

	for (size_t i = 0; i < out->models.n; i++)
		if (!strcmp(model_at(out, i)->name, name))
			return model_at(out, i);
	find_stem(out, name, made.stem, sizeof made.stem);
	made.name = strdup(name);
	model = made.name ? array_add(&out->models, sizeof *model) : NULL;
	if (model)
		*model = made;
	else
		free(made.name);
	return model;
}

int report_out_open(struct report_out *out, struct err *err)
{
	if (out->dir && mkdir(out->dir, 0777) && errno != EEXIST)
		return err_set(err, errno, "cannot make the folder %s: %s", out->dir, strerror(errno));
	return 0;
}

static int write_file(const struct report_out *out, const char *path, const struct inftrace_report *report,
		      struct err *err)
{
	struct output_stream file;
	int code = output_stream_open(&file, path, out->may_overwrite, err);

	if (code)
		return code;
	fwrite(report->text, 1, report->text_len, file.out);
	return output_stream_close(&file, 0, err);
}

static int put_file(struct report_out *out, const struct inftrace_report *report, struct err *err)
{
	const char *suffix = report->type == INFTRACE_TRACE ? "trace.json" : "latency.txt";
	struct report_out_model *model = model_named(out, report->model);
	char path[PATH_MAX];
	int len;

	if (!model)
		return err_no_memory(err, "cannot write a report");
	model->n_reports++;
	if (out->is_numbered)
		len = snprintf(path, sizeof path, "%s/%s-%06u-%s", out->dir, model->stem, model->n_reports, suffix);
	else
		len = snprintf(path, sizeof path, "%s/%s-%s", out->dir, model->stem, suffix);
	if (len >= (int)sizeof path)
		return err_set(err, ENAMETOOLONG, "cannot write a report: the path of its file is too long");
	return write_file(out, path, report, err);
}

/* UTC, to the nearest millisecond: the two clocks drift apart by less between a boundary and its report. */
static const char *time_text(char *text, uint64_t ns, int64_t offset_ns)
{
	uint64_t real_ns = ns + (uint64_t)offset_ns + 500000;
	time_t seconds = (time_t)(real_ns / 1000000000);
	struct tm parts;
	size_t len;

	gmtime_r(&seconds, &parts);
	len = strftime(text, TIME, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text + len, TIME - len, ".%03uZ", (unsigned)(real_ns / 1000000 % 1000));
	return text;
}

static const char *type_text(const struct inftrace_report *report)
{
	return report->type == INFTRACE_TRACE ? "trace" : "latency";
}

static void put_json(FILE *to, const struct inftrace_report *report, int64_t offset_ns)
{
	char from[TIME], until[TIME];

	fprintf(to, "{\"model\": ");
	json_put_text(to, report->model);
	fprintf(to, ", \"type\": \"%s\", \"samples\": %u, \"from\": \"%s\", \"to\": \"%s\", ", type_text(report),
		report->n_samples, time_text(from, report->from_ns, offset_ns),
		time_text(until, report->to_ns, offset_ns));
	fprintf(to,
		"\"from_ns\": %llu, \"to_ns\": %llu, \"lost\": %llu, \"note\": ", (unsigned long long)report->from_ns,
		(unsigned long long)report->to_ns, (unsigned long long)report->n_lost);
	if (report->note)
		json_put_text(to, report->note);
	else
		fputs("null", to);
	fputs(", \"text\": ", to);
	json_put_text(to, report->text);
	fputs("}\n", to);
}

static void put_plain(FILE *to, const struct inftrace_report *report, int64_t offset_ns)
{
	char until[TIME];

	fprintf(to, "inftrace-report bytes=%zu type=%s samples=%u lost=%llu to=%s model=", report->text_len,
		type_text(report), report->n_samples, (unsigned long long)report->n_lost,
		time_text(until, report->to_ns, offset_ns));
	json_put_text(to, report->model);
	fputc('\n', to);
	fwrite(report->text, 1, report->text_len, to);
	fputc('\n', to);
}

int report_out_put(struct report_out *out, const struct inftrace_report *report, int64_t offset_ns, struct err *err)
{
	out->n_reports++;
	if (out->dir)
		return put_file(out, report, err);
	errno = 0;
	if (out->is_json)
		put_json(out->stream, report, offset_ns);
	else
		put_plain(out->stream, report, offset_ns);
	if (!fflush(out->stream) && !ferror(out->stream))
		return 0;
	return err_set(err, errno ? errno : EIO, "cannot write to standard output: %s", strerror(errno ? errno : EIO));
}

void report_out_done(struct report_out *out)
{
	for (size_t i = 0; i < out->models.n; i++)
		free(model_at(out, i)->name);
	array_done(&out->models, sizeof(struct report_out_model));
}
