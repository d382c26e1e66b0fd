// SPDX-License-Identifier: Apache-2.0
/*
 * Pushes metrics, traces and logs by OTLP over HTTP. Metrics are cumulative: a batch that was dropped is made up for by
 * the next one.
 */
#include "fleet/door/door_otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/door/door_in.h"
#include "fleet/door/doors.h"
#include "fleet/door/push.h"

enum { TIMEOUT_MS = 10000 };

static const struct {
	struct push_kind kind;
	const char *variable, *path;
} signals[N_OTLP_SIGNALS] = {
	[OTLP_METRICS] = { { .what = "metrics", .is_partial = otlp_is_partial }, "METRICS", "/v1/metrics" },
	[OTLP_TRACES] = { { .what = "traces", .is_partial = otlp_is_partial }, "TRACES", "/v1/traces" },
	[OTLP_LOGS] = { { .what = "logs", .is_partial = otlp_is_partial }, "LOGS", "/v1/logs" },
};

_Static_assert((int)N_OTLP_SIGNALS <= DOOR_SECTIONS && (int)N_OTLP_SIGNALS <= SPOOL_LANES, "each has a lane");

static bool encode(const struct door_in *in, int section, FILE *out)
{
	if (section == OTLP_METRICS)
		otlp_write(in, out);
	return section == OTLP_METRICS	? true
	       : section == OTLP_TRACES ? otlp_write_spans(in, out)
					: otlp_write_logs(in, out);
}

/* Of the signal alone; NULL: not set. */
static const char *own_variable(enum otlp_signal signal, const char *what)
{
	char name[64];
	const char *value;

	snprintf(name, sizeof name, "OTEL_EXPORTER_OTLP_%s_%s", signals[signal].variable, what);
	value = secure_getenv(name);
	return value && *value ? value : NULL;
}

/* Else of all. */
static const char *variable(enum otlp_signal signal, const char *what)
{
	const char *own = own_variable(signal, what), *all;
	char name[64];

	snprintf(name, sizeof name, "OTEL_EXPORTER_OTLP_%s", what);
	all = own ? own : secure_getenv(name);
	return all && *all ? all : NULL;
}

/* NULL: it is not sent. *is_whole: nothing is added, as the specification says of one for a signal alone. */
static const char *url_of(const struct door_otlp_opts *opts, enum otlp_signal signal, bool *is_whole)
{
	const char *given = opts->url[signal] ? opts->url[signal] : opts->url[OTLP_METRICS];

	*is_whole = false;
	if (!given || (signal != OTLP_METRICS && !opts->url[signal] && own_variable(signal, "ENDPOINT"))) {
		*is_whole = own_variable(signal, "ENDPOINT") != NULL;
		given = variable(signal, "ENDPOINT");
	}
	return given && strcmp(given, "none") != 0 ? given : NULL;
}

bool door_otlp_is_wanted(const struct door_otlp_opts *opts)
{
	bool is_whole;

	for (int i = 0; i < N_OTLP_SIGNALS; i++)
		if (url_of(opts, (enum otlp_signal)i, &is_whole))
			return true;
	return false;
}

static int set_headers(struct push *push, enum otlp_signal signal, const struct door_otlp_opts *opts, struct err *err)
{
	const char *headers = variable(signal, "HEADERS");
	struct push_lane *lane = &push->lane[signal];
	char *text = headers ? strdup(headers) : NULL;
	int code = 0;

	push_add_header(push, lane, "Content-Type: application/x-protobuf");
	push_add_header(push, lane, "Expect:");
	if (text)
		code = push_add_headers(push, lane, text, "=,", err);
	free(text);
	if (!opts->headers_file || code)
		return code;
	text = secret_read(opts->headers_file, "headers", err);
	if (!text)
		return -err->code;
	code = push_add_headers(push, lane, text, ":\n", err);
	free(text);
	return code;
}

static long timeout_ms(enum otlp_signal signal)
{
	const char *text = variable(signal, "TIMEOUT");
	long ms = text ? strtol(text, NULL, 10) : 0;

	return ms > 0 && ms <= 60000 ? ms : TIMEOUT_MS;
}

static int open_lane(struct push *push, enum otlp_signal signal, const struct door_otlp_opts *opts, struct err *err)
{
	const char *compression = variable(signal, "COMPRESSION"), *protocol = variable(signal, "PROTOCOL"), *url;
	struct push_lane *lane = &push->lane[signal];
	bool is_whole;
	int code;

	url = url_of(opts, signal, &is_whole);
	if (!url)
		return 0;
	if (!opts->url[OTLP_METRICS] && !opts->url[signal] && protocol && strcmp(protocol, "http/protobuf") != 0)
		return err_set(err, EINVAL,
			       "cannot send %s: OTEL_EXPORTER_OTLP_PROTOCOL asks for %.20s, and inftrace speaks "
			       "http/protobuf alone; give --otlp URL",
			       signals[signal].kind.what, protocol);
	*lane = (struct push_lane){ .kind = &signals[signal].kind,
				    .timeout_ms = timeout_ms(signal),
				    .authority = opts->authority ? opts->authority : variable(signal, "CERTIFICATE"),
				    .certificate = variable(signal, "CLIENT_CERTIFICATE"),
				    .key = variable(signal, "CLIENT_KEY"),
				    .is_plain = compression && !strcmp(compression, "none") };
	code = push_set_url(lane, url, is_whole ? "" : signals[signal].path, err);
	if (!code)
		code = push_open_lane(push, lane, err);
	return code ? code : set_headers(push, signal, opts, err);
}

static int open_otlp(struct door_child *child, struct err *err)
{
	struct push *push = calloc(1, sizeof *push);
	int code;

	if (!push)
		return err_no_memory(err, "cannot send");
	child->state = push;
	code = push_open(push, child, err);
	for (int i = 0; i < N_OTLP_SIGNALS && !code; i++)
		code = open_lane(push, (enum otlp_signal)i, child->opts, err);
	return code;
}

static void serve(struct door_child *child)
{
	push_serve(child->state);
}

const struct door door_otlp = {
	.name = "otlp", .has_spool = true, .encode = encode, .open = open_otlp, .serve = serve
};
