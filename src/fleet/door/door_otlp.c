// SPDX-License-Identifier: Apache-2.0
/*
 * Pushes metrics by OTLP over HTTP. All of it is cumulative: a batch that was dropped is made up for by the next one.
 */
#include "fleet/door/door_otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/door/doors.h"
#include "fleet/door/otlp.h"
#include "fleet/door/push.h"
#include "fleet/door/secret.h"

enum { TIMEOUT_MS = 10000 };

static bool encode(const struct door_in *in, int section, FILE *out)
{
	if (!section)
		otlp_write(in, out);
	return !section;
}

const char *door_otlp_url_of_environment(void)
{
	const char *own = secure_getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
	const char *all = secure_getenv("OTEL_EXPORTER_OTLP_ENDPOINT");

	return own && *own ? own : all && *all ? all : NULL;
}

static int choose_url(struct push_lane *lane, const char *url, struct err *err)
{
	const char *own = secure_getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");

	/* the specification: one for metrics alone is taken as it is */
	return push_set_url(lane, url, own && !strcmp(own, url) ? "" : "/v1/metrics", err);
}

static int set_headers(struct push *push, struct push_lane *lane, const struct door_otlp_opts *opts, struct err *err)
{
	const char *own = secure_getenv("OTEL_EXPORTER_OTLP_METRICS_HEADERS");
	const char *all = secure_getenv("OTEL_EXPORTER_OTLP_HEADERS");
	char *text = own || all ? strdup(own ? own : all) : NULL;

	push_add_header(push, lane, "Content-Type: application/x-protobuf");
	push_add_header(push, lane, "Content-Encoding: gzip");
	push_add_header(push, lane, "Expect:");
	if (text)
		push_add_headers(push, lane, text, ",", '=');
	free(text);
	if (!opts->headers_file)
		return 0;
	text = secret_read(opts->headers_file, "headers", err);
	if (!text)
		return -err->code;
	push_add_headers(push, lane, text, "\n", ':');
	free(text);
	return 0;
}

static long timeout_ms(void)
{
	const char *own = secure_getenv("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT");
	const char *all = secure_getenv("OTEL_EXPORTER_OTLP_TIMEOUT");
	long ms = own || all ? strtol(own ? own : all, NULL, 10) : 0;

	return ms > 0 && ms <= 60000 ? ms : TIMEOUT_MS;
}

static int open_otlp(struct door_child *child, struct err *err)
{
	static const struct push_kind kind = { .what = "metrics", .is_partial = otlp_is_partial };
	const struct door_otlp_opts *opts = child->opts;
	const char *authority = opts->authority ? opts->authority : secure_getenv("OTEL_EXPORTER_OTLP_CERTIFICATE");
	struct push *push = calloc(1, sizeof *push);
	int code;

	if (!push)
		return err_set(err, ENOMEM, "cannot send: out of memory");
	child->state = push;
	push->lane[0] = (struct push_lane){ .kind = &kind, .timeout_ms = timeout_ms() };
	code = choose_url(&push->lane[0], opts->url, err);
	if (!code)
		code = push_open(push, child, authority, err);
	return code ? code : set_headers(push, &push->lane[0], opts, err);
}

static void serve(struct door_child *child)
{
	push_serve(child->state);
}

const struct door door_otlp = {
	.name = "otlp", .uses_network = true, .has_spool = true, .encode = encode, .open = open_otlp, .serve = serve
};
