// SPDX-License-Identifier: Apache-2.0
/*
 * The server: libmicrohttpd in an epoll loop of ours. One exchange is one request with its answer. A connection whose
 * answer takes long is suspended; jobs take turns, the oldest first, with whoever else asks.
 */
#include "show/view/http/http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "show/view/http/http_in.h"

enum {
	MAX_CONNECTIONS = 1200,
	MAX_JOBS = 64,
	MAX_STREAMS = 64,
	MOST_BEGUN = 8,	 /* times that a job of one request comes to nothing */
	COMMENT_S = 3,	 /* how long a reader that has gone without a word counts as one */
	IDLE_S = 10,	 /* without a byte in either direction */
	REQUEST_S = 30,	 /* for all of a request */
	ANSWER_S = 120,	 /* for the reader to take all of an answer */
	HEADERS = 16384, /* bytes of a request */
};

/* A connection, and the exchange that it is busy with. */
struct exchange {
	struct exchange *next, **link; /* in http->jobs */
	struct MHD_Connection *connection;
	struct http_request request;
	unsigned refused; /* status; 0: the request could be read */
	bool is_checked, is_done, is_left;
	int body_error; /* why its file could not be kept; 0: nothing is wrong */
	struct http_job *job;
	unsigned n_begun; /* jobs, because those before came to nothing */
	struct http_answer answer;
};

/* An answer that goes on: events, and a comment now and then, which finds out whether the reader is still there. */
struct stream {
	struct stream *next, **link; /* in http->streams */
	struct http *http;
	struct MHD_Connection *connection;
	uint64_t seen; /* events; a slow reader gets the last one alone */
	int64_t sent_s;
	bool is_suspended;
};

struct peer {
	struct peer *next, **link; /* in http->peers */
	int fd;
	int64_t since_s; /* when it began to send, or to take what it has not yet taken; 0: neither */
	bool is_answered;
};

struct http {
	struct http_handler handler;
	struct http_door door; /* its socket is borrowed */
	char token[HTTP_TOKEN_LEN + 1];
	char address[96];
	struct MHD_Daemon *daemon;
	int epoll, listener; /* the listener belongs to the daemon once that runs */
	int timer;	     /* for http_turn */
	struct exchange *jobs;
	unsigned n_jobs;
	struct peer *peers;
	struct stream *streams;
	unsigned n_streams;
	char event[512]; /* the last */
	uint64_t n_events;
	uint64_t ticked_ns;
	bool is_over;
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int64_t now_s(void)
{
	return (int64_t)(now_ns() / 1000000000) + 1; /* never 0 */
}

void http_say(struct http_answer *answer, unsigned status, const char *fmt, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof text - 1, fmt, args);
	va_end(args);
	n = n < 0 ? 0 : n < (int)sizeof text - 1 ? n : (int)sizeof text - 2;
	text[n++] = '\n';
	if (!answer->is_borrowed)
		free(answer->body);
	*answer = (struct http_answer){ .status = status, .type = "text/plain; charset=utf-8" };
	answer->body = malloc((size_t)n);
	if (!answer->body)
		return;
	memcpy(answer->body, text, (size_t)n);
	answer->size = (size_t)n;
}

static struct MHD_Response *make_body(struct http_answer *answer)
{
	struct MHD_Response *response = mhd()->create_response_from_buffer(
	    answer->size, answer->size ? answer->body : NULL,
	    answer->is_borrowed || !answer->size ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);

	if (!response)
		return NULL;
	if (!answer->is_borrowed && !answer->size)
		free(answer->body);
	answer->body = NULL; /* the response has it */
	return response;
}

#define POLICY \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " \
	"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; " \
	"frame-ancestors "

static void add_headers(const struct http *http, struct MHD_Response *response, const struct http_answer *answer)
{
	static const char *const header[][2] = {
		{ "X-Content-Type-Options", "nosniff" },
		{ "Cache-Control", "no-store" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
	};

	for (size_t i = 0; i < sizeof header / sizeof *header; i++)
		mhd()->add_response_header(response, header[i][0], header[i][1]);
	if (http->door.is_framed) {
		mhd()->add_response_header(response, "Content-Security-Policy",
					   POLICY "http://localhost:* http://127.0.0.1:* http://[::1]:*");
	} else {
		mhd()->add_response_header(response, "Content-Security-Policy", POLICY "'none'");
		mhd()->add_response_header(response, "X-Frame-Options", "DENY");
	}
	mhd()->add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd()->add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET");
}

static ssize_t read_stream(void *ctx, uint64_t at, char *to, size_t max)
{
	struct stream *stream = ctx;
	const struct http *http = stream->http;
	const char *text = stream->seen < http->n_events ? http->event : ":\n\n";
	size_t len = strlen(text);

	if (http->is_over)
		return MHD_CONTENT_READER_END_OF_STREAM; /* suspended again, it would make the library abort */
	if ((stream->seen < http->n_events || now_s() - stream->sent_s >= COMMENT_S) && len <= max) {
		stream->seen = http->n_events;
		stream->sent_s = now_s();
		memcpy(to, text, len);
		return (ssize_t)len;
	}
	/* nothing to send, and not suspended, would be called again at once */
	stream->is_suspended = true;
	mhd()->suspend_connection(stream->connection);
	return 0;
}

static void end_stream(void *ctx)
{
	struct stream *stream = ctx;

	*stream->link = stream->next;
	if (stream->next)
		stream->next->link = stream->link;
	stream->http->n_streams--;
	free(stream);
}

/* NULL: out of memory. */
static struct MHD_Response *make_stream(struct http *http, struct MHD_Connection *connection)
{
	struct stream *stream = calloc(1, sizeof *stream);
	struct MHD_Response *response =
	    stream ? mhd()->create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, stream, end_stream)
		   : NULL;

	if (!response) {
		free(stream);
		return NULL;
	}
	*stream = (struct stream){ .next = http->streams,
				   .link = &http->streams,
				   .http = http,
				   .connection = connection,
				   .seen = http->n_events };
	if (stream->next)
		stream->next->link = &stream->next;
	http->streams = stream;
	http->n_streams++;
	return response;
}

/* Those with something to send, or all. */
static void resume_streams(struct http *http, bool all)
{
	int64_t now = now_s();

	for (struct stream *stream = http->streams; stream; stream = stream->next) {
		if (!stream->is_suspended ||
		    (!all && stream->seen == http->n_events && now - stream->sent_s < COMMENT_S))
			continue;
		stream->is_suspended = false;
		mhd()->resume_connection(stream->connection);
	}
}

static struct peer *peer_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
	    mhd()->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static enum MHD_Result reply(struct http *http, struct exchange *exchange)
{
	struct http_answer *answer = &exchange->answer;
	struct peer *peer = peer_of(exchange->connection);
	struct MHD_Response *response;
	enum MHD_Result result;

	if (answer->is_stream && http->n_streams >= MAX_STREAMS)
		http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages wait for events; close some");
	response = answer->is_stream ? make_stream(http, exchange->connection) : make_body(answer);
	if (!response)
		return MHD_NO;
	if (peer) {
		peer->since_s = answer->is_stream ? 0 : now_s();
		peer->is_answered = true;
	}
	add_headers(http, response, answer);
	result = mhd()->queue_response(exchange->connection, answer->status, response);
	mhd()->destroy_response(response);
	return result;
}

static void take_off(struct http *http, struct exchange *exchange)
{
	*exchange->link = exchange->next;
	if (exchange->next)
		exchange->next->link = exchange->link;
	http->n_jobs--;
}

static void put_last(struct http *http, struct exchange *exchange)
{
	struct exchange **link = &http->jobs;

	while (*link)
		link = &(*link)->next;
	exchange->link = link;
	exchange->next = NULL;
	*link = exchange;
	http->n_jobs++;
}

static void drop_job(struct http *http, struct exchange *exchange)
{
	if (!exchange->job)
		return;
	take_off(http, exchange);
	exchange->job->free(exchange->job);
	exchange->job = NULL;
}

/* However long a job takes, its peer is not slow. */
static void suspend(struct http *http, struct exchange *exchange, struct http_job *job)
{
	struct peer *peer = peer_of(exchange->connection);

	if (peer)
		peer->since_s = 0;
	exchange->job = job;
	put_last(http, exchange);
	mhd()->suspend_connection(exchange->connection);
}

static enum MHD_Result work(struct http *http, struct exchange *exchange)
{
	struct http_job *job;

	if (exchange->is_left)
		return MHD_NO;
	if (exchange->is_done)
		return reply(http, exchange);
	if (http->is_over || http->n_jobs >= MAX_JOBS) {
		http_say(&exchange->answer, MHD_HTTP_SERVICE_UNAVAILABLE, "%s",
			 http->is_over ? "the server stops" : "too many questions at a time; ask again later");
		return reply(http, exchange);
	}
	job = http->handler.handle(http->handler.ctx, &exchange->request, &exchange->answer);
	if (!job)
		return reply(http, exchange);
	suspend(http, exchange, job);
	return MHD_YES;
}

/* A part of a file has come. What cannot be kept is read to its end, and then refused. */
static enum MHD_Result take_body(struct exchange *exchange, const char *data, size_t *size)
{
	struct peer *peer = peer_of(exchange->connection);
	const char *folder = getenv("TMPDIR");
	int *fd = &exchange->request.body_fd;

	if (peer)
		peer->since_s = now_s();
	if (*fd < 0 && !exchange->body_error) {
		*fd = open(folder && *folder == '/' ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		exchange->body_error = *fd < 0 ? errno : 0;
	}
	for (size_t at = 0; !exchange->body_error && at < *size;) {
		ssize_t put = write(*fd, data + at, *size - at);
		if (put > 0)
			at += (size_t)put;
		else if (errno != EINTR)
			exchange->body_error = errno;
	}
	*size = 0;
	return MHD_YES;
}

/* What the library hands to an answer. */
#define CALL \
	void *ctx, struct MHD_Connection *connection, const char *url, const char *method, const char *version, \
	    const char *upload, size_t *upload_size, void **state

/* Called when the headers are there, when there is nothing more to come, and when a job is done. */
static enum MHD_Result answer(CALL)
{
	struct http *http = ctx;
	struct exchange *exchange = *state;
	const char *why = "the request makes no sense";

	if (!exchange)
		return MHD_NO;
	exchange->connection = connection;
	if (exchange->is_checked && !exchange->refused && *upload_size && http->handler.takes_files)
		return take_body(exchange, upload, upload_size);
	if (exchange->body_error) {
		http_say(&exchange->answer, MHD_HTTP_INSUFFICIENT_STORAGE, "cannot keep the file: %s",
			 strerror(exchange->body_error));
		return reply(http, exchange);
	}
	if (exchange->is_checked && !exchange->refused && !*upload_size)
		return work(http, exchange);
	if (!exchange->is_checked && !exchange->refused)
		exchange->refused = http_check(&(struct http_rules){ .token = http->token,
								     .takes_posts = http->handler.takes_posts,
								     .takes_files = http->handler.takes_files,
								     .is_framed = http->door.is_framed },
					       connection, &exchange->request, method, &why);
	exchange->request.is_post = !strcmp(method, "POST");
	exchange->is_checked = true;
	if (!exchange->refused)
		return *upload_size ? MHD_NO : MHD_YES;
	http_say(&exchange->answer, exchange->refused, "%s", why);
	return reply(http, exchange);
}

/* The first line of a request is there. */
static void *begin(void *ctx, const char *uri, struct MHD_Connection *connection)
{
	struct exchange *exchange = calloc(1, sizeof *exchange);
	struct peer *peer = peer_of(connection);

	if (peer) {
		peer->since_s = now_s();
		peer->is_answered = false;
	}
	if (exchange) {
		exchange->refused = http_request_parse(&exchange->request, uri, strlen(uri));
		exchange->request.body_fd = -1;
	}
	return exchange;
}

static void end(void *ctx, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode why)
{
	struct exchange *exchange = *state;
	struct peer *peer = peer_of(connection);

	if (peer) {
		peer->since_s = 0;
		peer->is_answered = false;
	}
	if (!exchange)
		return;
	drop_job(ctx, exchange);
	if (exchange->request.body_fd >= 0)
		close(exchange->request.body_fd);
	if (!exchange->answer.is_borrowed)
		free(exchange->answer.body);
	free(exchange);
	*state = NULL;
}

static void come_or_go(void *ctx, struct MHD_Connection *connection, void **socket_context,
		       enum MHD_ConnectionNotificationCode what)
{
	struct http *http = ctx;
	struct peer *peer = *socket_context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		peer = calloc(1, sizeof *peer);
		*socket_context = peer;
		if (!peer)
			return;
		peer->fd = mhd()->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
		peer->since_s = now_s();
		peer->link = &http->peers;
		peer->next = http->peers;
		if (peer->next)
			peer->next->link = &peer->next;
		http->peers = peer;
	} else if (peer) {
		*peer->link = peer->next;
		if (peer->next)
			peer->next->link = peer->link;
		free(peer);
		*socket_context = NULL;
	}
}

/* libmicrohttpd closes those that are idle; those that send or take a byte now and then, this does. */
static void close_slow(struct http *http)
{
	int64_t now = now_s();

	for (struct peer *peer = http->peers; peer; peer = peer->next)
		if (peer->since_s && now - peer->since_s > (peer->is_answered ? ANSWER_S : REQUEST_S))
			shutdown(peer->fd, SHUT_RDWR);
}

/* Not where somebody else has the loop: a program that is started from there would inherit it. */
static void prepare_process(void)
{
	struct rlimit files;

	signal(SIGPIPE, SIG_IGN);
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < MAX_CONNECTIONS + 64) {
		files.rlim_cur = files.rlim_max < MAX_CONNECTIONS + 64 ? files.rlim_max : (rlim_t)MAX_CONNECTIONS + 64;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static int start(struct http *http, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	http->daemon = mhd()->start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, http,
					   MHD_OPTION_LISTEN_SOCKET, http->listener, MHD_OPTION_CONNECTION_LIMIT,
					   (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
					   MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS,
					   MHD_OPTION_URI_LOG_CALLBACK, begin, http, MHD_OPTION_NOTIFY_COMPLETED, end,
					   http, MHD_OPTION_NOTIFY_CONNECTION, come_or_go, http, MHD_OPTION_END);
	if (!http->daemon)
		return err_set(err, EIO, "cannot serve the page: the server does not start");
	http->listener = -1;
	event.data.fd = mhd()->get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	http->epoll = epoll_create1(EPOLL_CLOEXEC);
	http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (http->epoll < 0 || http->timer < 0 || epoll_ctl(http->epoll, EPOLL_CTL_ADD, event.data.fd, &event))
		return err_set(err, errno, "cannot serve the page: %s", strerror(errno));
	event.data.fd = http->timer;
	if (epoll_ctl(http->epoll, EPOLL_CTL_ADD, event.data.fd, &event))
		return err_set(err, errno, "cannot serve the page: %s", strerror(errno));
	return 0;
}

struct http *http_open(const struct http_door *door, struct err *err)
{
	struct http *http = calloc(1, sizeof *http);
	int code;

	if (!http) {
		err_no_memory(err, "cannot serve the page");
		return NULL;
	}
	http->listener = http->epoll = http->timer = -1;
	code = http_library_load(err);
	if (!code) {
		struct http_door opened = *door;

		http->listener = http_door_open(&opened, err);
		code = http->listener < 0 ? http->listener : 0;
		http->door = code ? (struct http_door){ 0 } : opened;
	}
	if (!code)
		code = http_token_init(http->token, err);
	if (!code)
		code = start(http, err);
	if (code) {
		http_close(http);
		return NULL;
	}
	if (http->door.socket)
		snprintf(http->address, sizeof http->address, "http://localhost/%s/", http->token);
	else
		snprintf(http->address, sizeof http->address, "http://127.0.0.1:%u/%s/", http->door.port, http->token);
	return http;
}

const char *http_address(const struct http *http)
{
	return http->address;
}

/* The library does not look at a suspended connection: that its reader has closed it is seen here alone. */
static bool is_left(const struct exchange *exchange)
{
	const struct peer *peer = peer_of(exchange->connection);
	struct pollfd fd = { .fd = peer ? peer->fd : -1, .events = POLLRDHUP };

	return poll(&fd, 1, 0) > 0;
}

/*
 * A piece of the oldest job. It goes behind the others, so that a short one need not wait for a long one. One whose
 * answer nobody waits for any more ends.
 */
static void work_on(struct http *http)
{
	struct exchange *exchange = http->jobs;

	if (is_left(exchange)) {
		drop_job(http, exchange);
		exchange->is_left = true;
		mhd()->resume_connection(exchange->connection);
		return;
	}
	if (exchange->job->step(exchange->job, &exchange->answer)) {
		bool is_void = exchange->job->is_void && exchange->n_begun++ < MOST_BEGUN;

		drop_job(http, exchange);
		exchange->is_done = !is_void;
		mhd()->resume_connection(exchange->connection);
		return;
	}
	take_off(http, exchange);
	put_last(http, exchange);
}

static uint64_t tick_ns(const struct http *http)
{
	return http->handler.tick_ns ? http->handler.tick_ns : UINT64_C(1000000000);
}

/* Whether somebody wants to know what has changed. */
static bool has_tick(const struct http *http)
{
	return http->handler.tick && (http->n_streams || !http->handler.is_for_pages);
}

static int wait_ms(const struct http *http)
{
	enum { LOOK_MS = 10, MOST_MS = 1000 };
	const MHD_UNSIGNED_LONG_LONG tick_ms = tick_ns(http) / 1000000 < MOST_MS ? tick_ns(http) / 1000000 : MOST_MS;
	MHD_UNSIGNED_LONG_LONG ms = tick_ms;

	mhd()->get_timeout(http->daemon, &ms); /* leaves ms alone where there is none */
	if (!http->peers && !http->jobs && !has_tick(http) && ms >= tick_ms)
		return -1;
	for (const struct exchange *exchange = http->jobs; exchange; exchange = exchange->next) {
		if (!exchange->job->waits)
			return 0;
		ms = ms < LOOK_MS ? ms : LOOK_MS;
	}
	return (int)(ms < tick_ms ? ms : tick_ms);
}

void http_tell(struct http *http, const char *event)
{
	snprintf(http->event, sizeof http->event, "%s", event);
	http->n_events++;
	resume_streams(http, false);
}

unsigned http_n_streams(const struct http *http)
{
	return http->n_streams;
}

/* Asks the handler whether something has changed, and hands it to those who wait for it. */
static void tick(struct http *http)
{
	uint64_t now = now_ns();
	const char *event;

	if (has_tick(http) && !http->jobs && now - http->ticked_ns >= tick_ns(http)) {
		http->ticked_ns = now;
		event = http->handler.tick(http->handler.ctx);
		if (event)
			http_tell(http, event);
	}
	resume_streams(http, false);
}

static void turn(struct http *http)
{
	if (http->jobs)
		work_on(http);
	close_slow(http);
	tick(http);
	mhd()->run(http->daemon);
}

void http_begin(struct http *http, const struct http_handler *handler)
{
	http->handler = *handler;
	http_turn(http);
}

int http_fd(const struct http *http)
{
	return http->epoll;
}

void http_turn(struct http *http)
{
	struct itimerspec when = { 0 };
	uint64_t ignored;
	int ms;

	if (read(http->timer, &ignored, sizeof ignored) < 0 && errno != EAGAIN)
		return;
	turn(http);
	ms = wait_ms(http);
	when.it_value.tv_sec = ms / 1000;
	when.it_value.tv_nsec = ms % 1000 * 1000000 + !ms;
	if (ms < 0)
		when.it_value = (struct timespec){ 0 };
	timerfd_settime(http->timer, 0, &when, NULL);
}

int http_run(struct http *http, const struct http_handler *handler, int stop_fd, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = stop_fd }, came[4];

	prepare_process();
	http->handler = *handler;
	if (epoll_ctl(http->epoll, EPOLL_CTL_ADD, stop_fd, &event) && errno != EEXIST)
		return err_set(err, errno, "cannot serve the page: %s", strerror(errno));
	for (;;) {
		int n = epoll_wait(http->epoll, came, sizeof came / sizeof *came, wait_ms(http));

		if (n < 0 && errno != EINTR)
			return err_set(err, errno, "cannot serve the page: %s", strerror(errno));
		for (int i = 0; i < n; i++)
			if (came[i].data.fd == stop_fd)
				return 0;
		turn(http);
	}
}

/* The library aborts when it is stopped with a suspended connection. */
void http_close(struct http *http)
{
	if (!http)
		return;
	http->is_over = true;
	while (http->jobs) {
		struct exchange *exchange = http->jobs;

		drop_job(http, exchange);
		mhd()->resume_connection(exchange->connection);
	}
	if (http->daemon) {
		resume_streams(http, true);
		mhd()->run(http->daemon);
		mhd()->stop_daemon(http->daemon);
	}
	if (http->epoll >= 0)
		close(http->epoll);
	if (http->timer >= 0)
		close(http->timer);
	if (http->listener >= 0)
		close(http->listener);
	http_door_close(&http->door);
	free(http);
}
