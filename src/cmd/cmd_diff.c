// SPDX-License-Identifier: Apache-2.0
/* `inftrace diff BASE NEW`: reads both sides and prints what differs. Computes nothing itself. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/diff/diff.h"
#include "base/array.h"
#include "base/output.h"
#include "cmd/cmd.h"
#include "cmd/record/page_file.h"
#include "show/diff/diff_page.h"
#include "show/term/pager.h"
#include "show/term/term.h"

struct diff_cmd_opts {
	struct opt_list base;
	const char *format, *color, *output, *threshold, *minimum;
	bool json, all, ascii, no_pager, force;
	int top;
};

#define AT(field) offsetof(struct diff_cmd_opts, field)

static const struct opt diff_opt_table[] = {
	{ 0, "base", "FILE",
	  "a recording or result to compare with; several times for several runs. All FILEs are new then", OPT_LIST,
	  AT(base) },
	{ 0, "threshold", "PERCENT", "exit with status 1 only if new is worse by more than this", OPT_STR,
	  AT(threshold), "0" },
	{ 0, "minimum", "PERCENT", "a difference below this is not reported as one", OPT_STR, AT(minimum), "2" },
	{ 'f', "format", DIFF_FORMAT_NAMES, "output format; by default that of the suffix of -o, else text", OPT_CHOICE,
	  AT(format) },
	{ 0, "json", NULL, "the same as --format json", OPT_FLAG, AT(json) },
	{ 'o', "output", "FILE",
	  "write it to this file, without --format in the format of its suffix: .html, .json, .md or .txt; - is "
	  "standard output",
	  OPT_STR, AT(output) },
	{ 0, "force", NULL, "overwrite a file that exists", OPT_FLAG, AT(force) },
	{ 'a', "all", NULL, "show every operator and counter", OPT_FLAG, AT(all) },
	{ 0, "top", "N", "rows of each table of operators", OPT_INT, AT(top), "0" },
	{ 0, "color", "auto|always|never", "colors; auto: on a terminal", OPT_CHOICE, AT(color), "auto" },
	{ 0, "no-pager", NULL, "do not show a long page in $PAGER", OPT_FLAG, AT(no_pager) },
	{ 0, "ascii", NULL, "print nothing but ASCII; by default where the locale says so", OPT_FLAG, AT(ascii) },
	{ 0 },
};

static struct report_look look_of(const struct diff_cmd_opts *opts, bool is_file)
{
	struct report_look look = { .is_all = opts->all, .n_top = (uint32_t)opts->top };

	if (is_file)
		return look;
	look.has_color =
	    strcmp(opts->color, "auto") ? !strcmp(opts->color, "always") : *term_style(stdout, TERM_BOLD) != 0;
	look.is_ascii = opts->ascii || term_wants_ascii();
	look.width = term_page_width();
	return look;
}

static const struct diff_format *format_of(const struct diff_cmd_opts *opts)
{
	if (opts->json || opts->format)
		return diff_format_named(opts->json ? "json" : opts->format);
	return page_file_is_named(opts->output) ? diff_format_of(opts->output) : diff_formats[0];
}

static int write_file(const struct diff_cmd_opts *opts, const struct diff *diff, struct err *err)
{
	const struct report_look look = look_of(opts, true);
	struct output_stream file;
	int code = output_stream_open(&file, opts->output, opts->force, err);

	if (code)
		return code;
	diff_write(file.out, format_of(opts), diff, &look);
	return output_stream_close(&file, 0, err);
}

static void print(const struct diff_cmd_opts *opts, const struct diff *diff)
{
	const struct diff_format *format = format_of(opts);
	const struct report_look look = look_of(opts, false);
	struct pager pager = { 0 };
	FILE *out = format->is_for_terminals ? pager_open(&pager) : stdout;

	diff_write(out, format, diff, &look);
	pager_close(&pager, !opts->no_pager);
}

static int parse_percent(const char *text, const char *name, double *share, struct err *err)
{
	char *end;
	double percent = strtod(text, &end);

	end += *end == '%';
	if (end == text || *end || !(percent >= 0) || !(percent <= 1000))
		return opt_misused(err, "cannot use '%s' as --%s: expected a percentage such as 5", text, name);
	*share = percent / 100;
	return 0;
}

/* A side in the making. Paths of a folder's files are its own. */
struct files {
	const char **path;
	uint32_t n, capacity;
};

static int add_file(struct files *files, const char *path, struct err *err)
{
	char *copy = ARRAY_ROOM(files->path, files->capacity, files->n + 1) ? strdup(path) : NULL;

	if (!copy)
		return err_set(err, ENOMEM, "cannot compare %s: out of memory", path);
	files->path[files->n++] = copy;
	return 0;
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len > n && !strcmp(name + len - n, suffix);
}

static int is_wanted(const struct dirent *entry)
{
	return *entry->d_name != '.' && (ends_with(entry->d_name, ".pftrace") ||
					 ends_with(entry->d_name, ".pftrace.d") || ends_with(entry->d_name, ".json"));
}

static bool has(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && !access(path, F_OK);
}

static int is_report(const struct dirent *entry)
{
	return !strcmp(entry->d_name, "report.json");
}

/* Of a folder of `inftrace model -o` only the report: its recordings are parts of what was measured. */
static int add_folder(struct files *files, const char *path, struct err *err)
{
	bool is_of_model = has(path, "report.json") && has(path, "report.html");
	struct dirent **entries;
	int n = scandir(path, &entries, is_of_model ? is_report : is_wanted, alphasort), code = 0;

	if (n < 0)
		return err_set(err, errno, "cannot read the folder %s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *own = NULL;

		if (!code && asprintf(&own, "%s/%s", path, entries[i]->d_name) >= 0)
			code = add_file(files, own, err);
		free(own);
		free(entries[i]);
	}
	free(entries);
	if (!code && !n)
		return err_set(err, ENOENT,
			       "cannot compare %s: the folder has no recording (*.pftrace), result or rows (*.json)",
			       path);
	return code;
}

/* A folder of segments is one recording; any other folder is a side. */
static int add(struct files *files, const char *path, struct err *err)
{
	size_t len = strlen(path);
	struct stat own;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (stat(path, &own) || !S_ISDIR(own.st_mode) || (len > 2 && !memcmp(path + len - 2, ".d", 2)))
		return add_file(files, path, err);
	return add_folder(files, path, err);
}

static int find_files(const struct diff_cmd_opts *opts, int argc, char **argv, struct files *base, struct files *fresh,
		      struct err *err)
{
	int code = 0, first = 0;

	if (!opts->base.n && argc != 2)
		return opt_misused(
		    err, argc < 2 ? "diff needs two arguments: BASE NEW"
				  : "diff compares two sides: BASE NEW; of several files of each, give base's with "
				    "--base, or two folders");
	if (opts->base.n && !argc)
		return opt_misused(err, "diff needs an argument: a new file to compare with --base");
	for (size_t i = 0; !code && i < opts->base.n; i++)
		code = add(base, opts->base.item[i], err);
	if (!opts->base.n)
		code = add(base, argv[first++], err);
	for (; !code && first < argc; first++)
		code = add(fresh, argv[first], err);
	return code;
}

static void done(struct files *files)
{
	for (uint32_t i = 0; i < files->n; i++)
		free((char *)files->path[i]);
	free(files->path);
}

static int compare(const struct diff_cmd_opts *opts, const struct diff_opts *limits, const struct files *base,
		   const struct files *fresh, struct err *err)
{
	struct diff_side sides[2] = { { 0 } };
	struct arena arena = { 0 };
	struct diff diff;
	int code = diff_read(&sides[0], base->path, base->n, &arena, err);

	if (!code)
		code = diff_read(&sides[1], fresh->path, fresh->n, &arena, err);
	if (!code)
		code = diff_make(&diff, &sides[0], &sides[1], limits, &arena, err);
	if (!code && page_file_is_named(opts->output))
		code = write_file(opts, &diff, err);
	else if (!code)
		print(opts, &diff);
	if (!code)
		code = diff.is_regression ? CMD_NO : CMD_DONE;
	arena_done(&arena);
	return code;
}

static int diff_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct diff_cmd_opts *opts = opaque;
	struct files base = { .n = 0 }, fresh = { .n = 0 };
	struct diff_opts limits;
	int code;

	if (page_file_check_json(opts->json, opts->format, err))
		return -OPT_MISUSED;
	if (opts->top < 0)
		return opt_misused(err, "--top must be 0 or more");
	code = parse_percent(opts->threshold, "threshold", &limits.threshold, err);
	if (!code)
		code = parse_percent(opts->minimum, "minimum", &limits.minimum, err);
	if (!code)
		code = find_files(opts, argc, argv, &base, &fresh, err);
	if (!code)
		code = compare(opts, &limits, &base, &fresh, err);
	done(&base);
	done(&fresh);
	return code;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.usage = "[options] BASE NEW",
	.summary = "compare recordings, results or versions: what became slower",
	.help =
	    "The first sentence is the answer: whether NEW is slower or faster than BASE, by how much, and which "
	    "operator takes the time; or that no difference was found; or that the data do not decide it. The page "
	    "below it compares models, operators (joined by the node of the model), phases of session creation, "
	    "resources and memory. Every change is that of NEW beside BASE: +5 % is slower.\n\n"
	    "BASE and NEW are each a "
	    "recording (or another file that inftrace report reads), a result that inftrace model wrote with --json, "
	    "rows of inftrace watch (lines of JSON, or of ClickHouse; each machine is a run), or a folder of several. "
	    "Several runs of each side prove far more than one: record them in turn, base, "
	    "new, base, new. With --base, given once for each run, all other words are runs of NEW.\n\n"
	    "The words "
	    "slower and faster hold with 95 % confidence for all figures and operators together. An operator is "
	    "compared with the others of its type, which the machine slows down alike. One recording of each side on a "
	    "busy machine proves little, and the page states that.\n\n"
	    "Exit status: 0 if nothing became worse, or not "
	    "by more than --threshold; 1 if something did; 2 and 3 for mistakes and failures.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace diff old.pftrace new.pftrace", "two recordings" },
		{ "inftrace diff old/ new/", "several of each, in two folders" },
		{ "inftrace diff --base a1.pftrace --base a2.pftrace b1.pftrace b2.pftrace", "the same, file by file" },
		{ "inftrace diff --threshold 5 --format markdown old/ new/ >> $GITHUB_STEP_SUMMARY", "in CI" },
		{ "inftrace diff -o diff.html old.json new.json", "two results of inftrace model --json, as a page" },
		{ "inftrace diff before.json after.json", "rows of inftrace watch of two versions of a service" },
		{ 0 },
	    },
	.opts = diff_opt_table,
	.opts_size = sizeof(struct diff_cmd_opts),
	.min_args = 0,
	.max_args = -1,
	.words = CMD_RECORDINGS,
	.run = diff_run,
};
