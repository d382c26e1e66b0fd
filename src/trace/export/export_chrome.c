// SPDX-License-Identifier: Apache-2.0
/*
 * Chrome's JSON trace: one event per line, written at once. Perfetto's UI, chrome://tracing and Speedscope open it. It
 * is the array form, which readers accept without its closing bracket, so that a truncated file can be read.
 *
 * slice      B and E on a thread; arguments in args, the kind in cat
 * instant    i
 * counter    C, its unit is the name of its value
 * track      metadata: process_name, thread_name; sorted as they were defined
 *
 * The format only has threads of processes. A lane becomes a thread with the number 2^30 + track, which no real thread
 * has, and the name "group: lane"; likewise a process of unknown number, and the machine. Times are microseconds with
 * three decimals, so nanoseconds stay exact.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text/json.h"
#include "base/text/json_read.h"
#include "base/text/utf8.h"
#include "trace/export/exporter.h"

enum { MADE_UP = 1 << 30, OUT_BYTES = 64 << 10 };

struct track {
	enum track_type type;
	int32_t pid, tid;
	uint32_t name, unit;
	uint32_t parent; /* its name precedes this one's; 0: none */
	bool is_defined, is_named;
};

struct chrome {
	struct sink sink;
	FILE *out;
	struct array tracks; /* struct track, indexed by number */
	bool has_event, has_machine;
};

static struct track *track_at(struct chrome *chrome, uint32_t number)
{
	return number < chrome->tracks.n ? (struct track *)chrome->tracks.data + number : NULL;
}

/* The group whose name precedes the track's; NULL: none. */
static const struct track *group_of(struct chrome *chrome, const struct track *track)
{
	return track->parent ? track_at(chrome, track->parent) : NULL;
}

static int failure(struct err *err)
{
	return err_set(err, errno ? errno : EIO, "cannot write the file: %s", strerror(errno ? errno : EIO));
}

/* Writes the fields that all lines begin with. */
static void begin_line(struct chrome *chrome, const char *phase, int32_t pid, int32_t tid)
{
	fprintf(chrome->out, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", chrome->has_event ? "," : "[", phase, pid,
		tid);
	chrome->has_event = true;
}

static void put_text(struct chrome *chrome, const char *key, uint32_t name)
{
	fprintf(chrome->out, ",\"%s\":", key);
	json_put_text(chrome->out, names_text(chrome->sink.names, name));
}

static void put_metadata(struct chrome *chrome, const struct track *track, const char *what, const char *before,
			 const char *text)
{
	char whole[400];

	snprintf(whole, sizeof whole, "%.180s%s%.200s", before, *before ? ": " : "", text);
	begin_line(chrome, "M", track->pid, track->tid);
	fprintf(chrome->out, ",\"name\":\"%s\",\"args\":{\"%s\":", what,
		strcmp(what, "process_labels") ? "name" : "labels");
	json_put_text(chrome->out, whole);
	fputs("}}", chrome->out);
}

static void put_order(struct chrome *chrome, const struct track *track, uint32_t number)
{
	begin_line(chrome, "M", track->pid, track->tid);
	fprintf(chrome->out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}", number);
}

/* Tracks. */

static void name_process(struct chrome *chrome, struct track *track, const struct track_def *def)
{
	const struct names *names = chrome->sink.names;

	put_metadata(chrome, track, "process_name", "", def->name ? names_text(names, def->name) : "process");
	if (def->command)
		put_metadata(chrome, track, "process_labels", "", names_text(names, def->command));
}

static void name_machine(struct chrome *chrome)
{
	struct track machine = { .pid = MADE_UP, .tid = MADE_UP };

	if (!chrome->has_machine)
		put_metadata(chrome, &machine, "process_name", "", "machine");
	chrome->has_machine = true;
}

/* Called before its first slice or instant. */
static void name_thread(struct chrome *chrome, struct track *track, uint32_t number)
{
	const struct names *names = chrome->sink.names;
	const struct track *parent = group_of(chrome, track);
	const char *name = names_text(names, track->name);

	if (track->is_named)
		return;
	track->is_named = true;
	if (track->type == TRACK_PROCESS)
		put_metadata(chrome, track, "thread_name", "", "process");
	else if (*name || parent)
		put_metadata(chrome, track, "thread_name", parent ? names_text(names, parent->name) : "",
			     *name ? name : "events");
	put_order(chrome, track, number);
}

static int define(struct chrome *chrome, const struct event *event, struct err *err)
{
	const struct track_def *def = event->def;
	struct track *track;
	const struct track *parent;

	while (chrome->tracks.n <= event->track)
		if (!array_add(&chrome->tracks, sizeof *track))
			return err_no_memory(err, "cannot write the file");
	track = track_at(chrome, event->track);
	parent = def->parent ? track_at(chrome, def->parent) : NULL;
	*track = (struct track){ .type = def->type,
				 .pid = parent && parent->is_defined ? parent->pid : MADE_UP,
				 .tid = MADE_UP + (int32_t)(event->track & (MADE_UP - 1)),
				 .name = def->name,
				 .unit = def->unit,
				 .parent = parent && parent->type == TRACK_GROUP ? def->parent : 0,
				 .is_defined = true,
				 .is_named = track->is_named && track->name == def->name };
	if (def->type == TRACK_PROCESS) {
		track->pid = def->pid > 0 ? def->pid : track->tid;
		name_process(chrome, track, def);
	} else if (track->pid == MADE_UP && def->type == TRACK_THREAD && def->pid > 0) {
		track->pid = def->pid;
	} else if (track->pid == MADE_UP) {
		name_machine(chrome);
	}
	if (def->type == TRACK_THREAD && def->tid > 0)
		track->tid = def->tid;
	return 0;
}

/* Events. */

static void put_time(struct chrome *chrome, uint64_t time_ns)
{
	fprintf(chrome->out, ",\"ts\":%llu.%03u", (unsigned long long)(time_ns / 1000), (unsigned)(time_ns % 1000));
}

/* 15 digits: trace_processor misreads fractions of more than 18 digits. */
static void put_real(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, "%.15g", value);
	else
		fputs("null", out);
}

/* Whether every backslash is one of an escape that JSON has. */
static bool has_good_escapes(const char *text)
{
	for (; *text; text++) {
		if (*text != '\\')
			continue;
		text++;
		if (!*text || !strchr("\"\\/bfnrtu", *text) ||
		    (*text == 'u' && strspn(text + 1, "0123456789abcdefABCDEF") < 4))
			return false;
	}
	return true;
}

/* Arguments of another program, without their braces; NULL: it is not an object of JSON in one line, or empty. */
static const char *members_of(const char *text, size_t *len)
{
	struct json_reader reader;
	enum json_token token;

	*len = strlen(text);
	json_read_init(&reader, text, *len);
	token = json_read_next(&reader);
	if (token != JSON_OBJECT || !utf8_is_valid(text, *len) || !has_good_escapes(text) || *len < 5)
		return NULL;
	for (size_t i = 0; i < *len; i++)
		if ((unsigned char)text[i] < ' ')
			return NULL;
	while (token != JSON_END && token != JSON_BROKEN)
		token = json_read_next(&reader);
	if (token == JSON_BROKEN || *text != '{' || text[*len - 1] != '}')
		return NULL;
	*len -= 2;
	return text + 1;
}

/* The members stand among the others. false: they are no JSON. */
static bool put_arguments(struct chrome *chrome, const struct arg *arg, const char *between)
{
	size_t len;
	const char *members = arg->key == KEY_ARGUMENTS && arg->type == ARG_NAME
				  ? members_of(names_text(chrome->sink.names, arg->name), &len)
				  : NULL;

	if (members) {
		fputs(between, chrome->out);
		fwrite(members, 1, len, chrome->out);
	}
	return members;
}

static void put_args(struct chrome *chrome, const struct event *event)
{
	const char *between = "";

	if (!event->n_args)
		return;
	fputs(",\"args\":{", chrome->out);
	for (size_t i = 0; i < event->n_args; i++) {
		const struct arg *arg = &event->args[i];
		const char *key = event_key_name(arg->key);

		if (!*key)
			continue;
		if (put_arguments(chrome, arg, between)) {
			between = ",";
			continue;
		}
		fprintf(chrome->out, "%s\"%s\":", between, key);
		between = ",";
		if (arg->type == ARG_INT)
			fprintf(chrome->out, "%lld", (long long)arg->integer);
		else if (arg->type == ARG_REAL)
			put_real(chrome->out, arg->real);
		else
			json_put_text(chrome->out, names_text(chrome->sink.names, arg->name));
	}
	fputc('}', chrome->out);
}

static void put_counter(struct chrome *chrome, const struct track *track, const struct event *event)
{
	const struct names *names = chrome->sink.names;
	const struct track *parent = group_of(chrome, track);
	char name[400];

	begin_line(chrome, "C", track->pid, track->pid);
	snprintf(name, sizeof name, "%.180s%s%.200s", parent ? names_text(names, parent->name) : "", parent ? ": " : "",
		 names_text(names, track->name));
	fputs(",\"name\":", chrome->out);
	json_put_text(chrome->out, name);
	put_time(chrome, event->time_ns);
	fputs(",\"args\":{", chrome->out);
	json_put_text(chrome->out, track->unit ? names_text(names, track->unit) : "value");
	fputc(':', chrome->out);
	put_real(chrome->out, event->value);
	fputs("}}", chrome->out);
}

static void put_slice(struct chrome *chrome, const struct track *track, const struct event *event)
{
	static const char *const phase[] = { [EVENT_BEGIN] = "B", [EVENT_END] = "E", [EVENT_INSTANT] = "i" };

	begin_line(chrome, phase[event->type], track->pid, track->tid);
	put_time(chrome, event->time_ns);
	if (event->type != EVENT_END) {
		put_text(chrome, "name", event->name);
		fprintf(chrome->out, ",\"cat\":\"%s\"", event_kind_name(event->kind));
	}
	if (event->type == EVENT_INSTANT)
		fprintf(chrome->out, ",\"s\":\"%s\"", track->type == TRACK_PROCESS ? "p" : "t");
	put_args(chrome, event);
	fputc('}', chrome->out);
}

static int put(struct sink *sink, const struct event *event, struct err *err)
{
	struct chrome *chrome = (struct chrome *)sink;
	struct track *track;

	errno = 0;
	if (event->type == EVENT_SAMPLE)
		return 0;
	if (event->type == EVENT_TRACK)
		return define(chrome, event, err);
	track = track_at(chrome, event->track);
	if (!track || !track->is_defined)
		return err_set(err, EINVAL, "cannot write an event: track %u is not defined", event->track);
	if (event->type == EVENT_COUNTER) {
		put_counter(chrome, track, event);
	} else {
		name_thread(chrome, track, event->track);
		put_slice(chrome, track, event);
	}
	return ferror(chrome->out) ? failure(err) : 0;
}

/* The file as a whole. */

static int flush(struct sink *sink, struct err *err)
{
	struct chrome *chrome = (struct chrome *)sink;

	errno = 0;
	return fflush(chrome->out) || ferror(chrome->out) ? failure(err) : 0;
}

static struct sink *open(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	struct chrome *chrome = calloc(1, sizeof *chrome);
	int copy = chrome ? dup(fd) : -1;

	if (!chrome || copy < 0 || !(chrome->out = fdopen(copy, "w"))) {
		err_set(err, errno, "cannot write the file: %s", strerror(errno));
		if (copy >= 0)
			close(copy);
		free(chrome);
		return NULL;
	}
	setvbuf(chrome->out, NULL, _IOFBF, OUT_BYTES);
	chrome->sink = (struct sink){ .put = put, .names = names, .last_track = last_track, .flush = flush };
	return &chrome->sink;
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct chrome *chrome = (struct chrome *)sink;
	int code;

	if (!chrome)
		return 0;
	fputs(chrome->has_event ? "\n]\n" : "[]\n", chrome->out);
	code = flush(sink, err);
	errno = 0;
	if (fclose(chrome->out) && !code)
		code = failure(err);
	array_done(&chrome->tracks, sizeof(struct track));
	free(chrome);
	return code;
}

const struct exporter export_chrome = {
	.name = "chrome",
	.suffix = ".json",
	.help = "Chrome's JSON trace, which Perfetto's UI, chrome://tracing and Speedscope open",
	.open = open,
	.close = end,
};
