// SPDX-License-Identifier: Apache-2.0
/*
 * The page that Prometheus scrapes: what was watched as of the last interval, in three formats. The child keeps the
 * newest batch, and answers with a part of it. Answers GET /metrics and nothing else.
 */
#include "fleet/door/door_prometheus.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/http/http_library.h"
#include "fleet/door/channel.h"
#include "fleet/door/door_in.h"
#include "fleet/door/doors.h"

enum { MOST_CONNECTIONS = 32, IDLE_S = 15, HEADERS = 16 << 10, MOST_MS = 1000 };

struct server {
	struct MHD_Daemon *daemon;
	struct channel_batch newest;
	char *token, *certificate, *key;
};

static bool encode(const struct door_in *in, int section, FILE *out)
{
	if (section == PROMETHEUS_PROTOBUF)
		prometheus_protobuf_write(in, out);
	else
		prometheus_text_write(in, section == PROMETHEUS_OPEN_METRICS, out);
	return true;
}

struct headers {
	const char *accept, *authorization;
};

static enum MHD_Result take_header(void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct headers *headers = ctx;

	if (!strcasecmp(key, "Accept"))
		headers->accept = value;
	if (!strcasecmp(key, "Authorization"))
		headers->authorization = value;
	return MHD_YES;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *text)
{
	struct MHD_Response *response =
	    mhd()->create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	mhd()->add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
	if (status == MHD_HTTP_UNAUTHORIZED)
		mhd()->add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd()->add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = mhd()->queue_response(connection, status, response);
	mhd()->destroy_response(response);
	return result;
}

/* Copied: the next batch may come before all of it is sent. */
static enum MHD_Result put_page(const struct server *server, struct MHD_Connection *connection, const char *accept)
{
	enum prometheus_format format = prometheus_format_of(accept);
	struct MHD_Response *response;
	enum MHD_Result result;

	if (!server->newest.section[format])
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "watching has not begun yet\n");
	response = mhd()->create_response_from_buffer((size_t)server->newest.head.size[format],
						      (void *)server->newest.section[format], MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	mhd()->add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, prometheus_content_type(format));
	mhd()->add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept");
	result = mhd()->queue_response(connection, MHD_HTTP_OK, response);
	mhd()->destroy_response(response);
	return result;
}

/* What the library hands to an answer. */
#define CALL \
	void *ctx, struct MHD_Connection *connection, const char *url, const char *method, const char *version, \
	    const char *upload, size_t *upload_size, void **state

static enum MHD_Result answer(CALL)
{
	const struct server *server = ctx;
	struct headers headers = { NULL, NULL };

	mhd()->get_connection_values(connection, MHD_HEADER_KIND, take_header, &headers);
	if (server->token && !secret_is_borne(server->token, headers.authorization))
		return say(connection, MHD_HTTP_UNAUTHORIZED, "a token is needed\n");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
	if (strcmp(url, "/metrics") != 0)
		return say(connection, MHD_HTTP_NOT_FOUND, "the metrics are at /metrics\n");
	return put_page(server, connection, headers.accept);
}

static int read_files(struct server *server, const struct door_prometheus_opts *opts, struct err *err)
{
	if (opts->token_file && !(server->token = secret_read(opts->token_file, "token", err)))
		return -err->code;
	if (!opts->certificate)
		return 0;
	server->certificate = secret_read(opts->certificate, "certificate", err);
	server->key = server->certificate ? secret_read(opts->key, "key", err) : NULL;
	return server->key ? 0 : -err->code;
}

static int start(struct server *server, int listener, struct err *err)
{
	const struct MHD_OptionItem tls[] = { { MHD_OPTION_HTTPS_MEM_CERT, 0, server->certificate },
					      { MHD_OPTION_HTTPS_MEM_KEY, 0, server->key },
					      { MHD_OPTION_END, 0, NULL } };
	const struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };
	unsigned flags = MHD_USE_EPOLL | (server->certificate ? MHD_USE_TLS : 0);

	server->daemon =
	    mhd()->start_daemon(flags, 0, NULL, NULL, answer, server, MHD_OPTION_LISTEN_SOCKET, listener,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
				(unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS, MHD_OPTION_ARRAY,
				server->certificate ? tls : none, MHD_OPTION_END);
	if (server->daemon)
		return 0;
	close(listener);
	return err_set(err, EIO, "cannot serve metrics%s",
		       server->certificate ? " by TLS: certificate and key do not fit, or this build has no TLS" : "");
}

static int open_server(struct door_child *child, struct err *err)
{
	const struct door_prometheus_opts *opts = child->opts;
	struct server *server = calloc(1, sizeof *server);
	struct address address;
	int code, listener;

	if (!server)
		return err_no_memory(err, "cannot serve metrics");
	child->state = server;
	code = address_parse(opts->address, &address, err);
	if (!code && !address.is_local && (!opts->token_file || !opts->certificate))
		code = err_set(err, EPERM,
			       "cannot serve metrics on %s: other machines reach it; this needs --metrics-token, "
			       "--metrics-cert and --metrics-key",
			       address.text);
	if (!code)
		code = read_files(server, opts, err);
	if (!code)
		code = http_library_load(err);
	listener = code ? code : address_listen(&address, err);
	return listener < 0 ? listener : start(server, listener, err);
}

static void serve(struct door_child *child)
{
	struct server *server = child->state;
	struct pollfd pollers[2] = { { child->channel, POLLIN, 0 }, { -1, POLLIN, 0 } };
	struct channel_batch batch;
	int got;

	pollers[1].fd = mhd()->get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	for (;;) {
		MHD_UNSIGNED_LONG_LONG ms = MOST_MS;

		mhd()->get_timeout(server->daemon, &ms);
		poll(pollers, 2, ms < MOST_MS ? (int)ms : MOST_MS);
		while ((got = channel_receive(child->channel, &batch)) > 0) {
			channel_release(&server->newest);
			server->newest = batch;
		}
		if (got < 0)
			break;
		mhd()->run(server->daemon);
	}
}

const struct door door_prometheus = { .name = "prometheus", .encode = encode, .open = open_server, .serve = serve };
