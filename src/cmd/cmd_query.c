// SPDX-License-Identifier: Apache-2.0
/* `inftrace query FILE [SQL]`: reads a recording and runs SQL over it. Computes nothing itself. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/summary/recording.h"
#include "base/output.h"
#include "base/text/units.h"
#include "cmd/cmd.h"
#include "cmd/query/query_run_text.h"
#include "cmd/query/query_shell.h"
#include "cmd/record/page_file.h"
#include "show/term/term.h"

enum { MAX_SQL = 1 << 20 };

struct query_command_opts {
	const char *format, *file, *output;
	bool json, human, ascii, force;
	uint64_t memory_bytes;
};

#define AT(field) offsetof(struct query_command_opts, field)

static const struct opt query_opt_table[] = {
	{ 'f', "format", QUERY_FORMAT_NAMES, "output format; by default that of the suffix of -o, else a table",
	  OPT_CHOICE, AT(format) },
	{ 0, "json", NULL, "the same as --format json", OPT_FLAG, AT(json) },
	{ 'o', "output", "FILE",
	  "write the answer to this file, without --format in the format of its suffix: .csv, .json, .jsonl, .arrows "
	  "or .txt; - is standard output",
	  OPT_STR, AT(output) },
	{ 0, "force", NULL, "overwrite a file that exists", OPT_FLAG, AT(force) },
	{ 0, "file", "FILE", "read the SQL from this file", OPT_STR, AT(file) },
	{ 0, "human-readable", NULL, "in tables, print 12.3 ms for 12345678, after the unit in the column's name",
	  OPT_FLAG, AT(human) },
	{ 0, "memory", "SIZE", "memory for a query, in addition to the recording", OPT_SIZE, AT(memory_bytes), "1G" },
	{ 0, "ascii", NULL, "print nothing but ASCII in tables; by default where the locale says so", OPT_FLAG,
	  AT(ascii) },
	{ 0 },
};

/* The whole of a stream, for the caller to free. */
static char *read_all(FILE *in, const char *name, struct err *err)
{
	char *text = malloc(MAX_SQL + 1);
	size_t n = text ? fread(text, 1, MAX_SQL + 1, in) : 0;

	if (!text) {
		err_set(err, ENOMEM, "cannot read %s: out of memory", name);
		return NULL;
	}
	if (ferror(in))
		err_set(err, errno ? errno : EIO, "cannot read %s: %s", name, strerror(errno ? errno : EIO));
	else if (n > MAX_SQL)
		err_set(err, EFBIG, "cannot run %s: it has more than 1 MiB of SQL", name);
	else if (memchr(text, 0, n))
		err_set(err, EINVAL, "cannot run %s: it is not text: there is a zero byte in it", name);
	if (err->code) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	return text;
}

static char *read_sql(const struct query_command_opts *opts, const char *sql, struct err *err)
{
	const char *path = opts->file && strcmp(opts->file, "-") != 0 ? opts->file : NULL;
	FILE *in;
	char *text;

	if (sql && strcmp(sql, "-") != 0)
		return strdup(sql);
	if (!path)
		return read_all(stdin, "the SQL on standard input", err);
	in = fopen(path, "re");
	if (!in) {
		err_set(err, errno, "cannot read %s: %s", path, strerror(errno));
		return NULL;
	}
	text = read_all(in, path, err);
	fclose(in);
	return text;
}

/* What a reader of the answers should know of the recording; once. */
static void say_state(const struct summary *summary)
{
	if (summary->file.is_cut)
		term_say("%s is cut off at byte %s; answers cover only the part before that", summary->file.path,
			 units_count(summary->file.cut_at).s);
	if (summary->n_lost)
		term_say("%s events of the recording were lost: see the table losses", units_count(summary->n_lost).s);
}

static const struct query_format *format_of(const struct query_command_opts *opts)
{
	if (opts->json || opts->format)
		return query_format_named(opts->json ? "json" : opts->format);
	return page_file_is_named(opts->output) ? query_format_of(opts->output) : query_formats[0];
}

static int run_into_file(const struct query_command_opts *opts, struct query *query, const char *text,
			 struct query_writer *writer, struct err *err)
{
	struct output_stream file;
	int code = output_stream_open(&file, opts->output, opts->force, err);

	if (code)
		return code;
	writer->out = file.out;
	return output_stream_close(&file, query_run_text(query, text, opts->file, writer, err), err);
}

static int answer(const struct query_command_opts *opts, struct query *query, const char *sql, struct err *err)
{
	struct query_writer writer = { .out = stdout,
				       .format = format_of(opts),
				       .is_human = opts->human,
				       .is_ascii = opts->ascii || term_wants_ascii() };
	char *text;
	int code;

	if (!sql && !opts->file)
		return query_shell(query, &writer, err);
	text = read_sql(opts, sql, err);
	if (!text)
		return err->code ? -err->code : err_no_memory(err, "cannot run the query");
	code = page_file_is_named(opts->output) ? run_into_file(opts, query, text, &writer, err)
						: query_run_text(query, text, opts->file, &writer, err);
	free(text);
	return code;
}

static int query_command_run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct query_command_opts *opts = opaque;
	const struct query_opts limits = { .memory_bytes = opts->memory_bytes };
	const char *sql = argc > 1 ? argv[1] : NULL;
	struct recording recording = { 0 };
	struct query *query = NULL;
	bool is_shown;
	int code;

	if (page_file_check_json(opts->json, opts->format, err))
		return -OPT_MISUSED;
	if (!sql && !opts->file && page_file_is_named(opts->output))
		return opt_misused(err, "-o needs SQL: the shell prints its answers");
	if (sql && opts->file)
		return opt_misused(err, "give the SQL, or --file, not both");
	if (!strcmp(argv[0], "-") && (!sql || !strcmp(sql, "-")) && (!opts->file || !strcmp(opts->file, "-")))
		return opt_misused(err, "standard input is the recording: give the SQL as an argument, or by --file");
	is_shown = term_reading(argv[0]);
	code = recording_open_with(&recording, argv[0], &query_looks, err);
	term_has_read(is_shown);
	if (!code) {
		say_state(recording.summary);
		query = query_new(recording.summary, &limits, err);
		code = query ? answer(opts, query, sql, err) : -err->code;
	}
	query_free(query);
	recording_close(&recording);
	return code;
}

const struct cmd cmd_query = {
	.name = "query",
	.usage = "[options] FILE [SQL]",
	.summary = "ask a recording by SQL",
	.help =
	    "Models, sessions, phases, inferences, operators, kernels, counters, threads, losses and notes are tables "
	    "of SQLite. The unit of a column is in its name: duration_ns, allocated_bytes. Unknown values are NULL. "
	    "doc/query.md describes every table and column; .schema in the shell lists them.\n\n"
	    "percentile(x, p) and "
	    "median(x) are aggregates. Views and tables answer common questions: inference_stats, operator_stats, "
	    "operator_types, slowest (with why), overlap, gaps, unattributed.\n\n"
	    "Without SQL, a shell starts: with "
	    "history and completion in a terminal, else with plain lines. SQL may also come from a file (--file), or "
	    "from standard input (-). Ctrl-C ends a running query, and the shell continues. A query reads the "
	    "recording and nothing else: it cannot write, open or load anything.\n\n"
	    "FILE is a recording of inftrace, "
	    "or a file that inftrace import reads. - is standard input.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace query run.pftrace \"SELECT model, p50_ns, p99_ns FROM inference_stats\"",
		  "latencies of each model" },
		{ "inftrace query --human-readable run.pftrace \"SELECT op_type, count(*), sum(duration_ns) AS "
		  "total_ns "
		  "FROM operators GROUP BY op_type ORDER BY total_ns DESC\"",
		  "where the time of operators goes" },
		{ "inftrace query run.pftrace \"SELECT duration_ns, why FROM slowest ORDER BY duration_ns DESC LIMIT "
		  "5\"",
		  "the slowest inferences, and why" },
		{ "inftrace query -o inferences.csv run.pftrace \"SELECT * FROM inferences\"",
		  "a table for other programs" },
		{ "inftrace query -o operators.arrows run.pftrace \"SELECT * FROM operators\"",
		  "an Arrow IPC stream, which pandas, polars, DuckDB and R read without parsing" },
		{ "inftrace query run.pftrace", "a shell" },
		{ 0 },
	    },
	.opts = query_opt_table,
	.opts_size = sizeof(struct query_command_opts),
	.min_args = 1,
	.max_args = 2,
	.words = CMD_RECORDINGS,
	.run = query_command_run,
};
