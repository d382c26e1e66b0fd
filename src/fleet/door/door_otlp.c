// SPDX-License-Identifier: Apache-2.0
/*
 * Pushes metrics by OTLP over HTTP. All of it is cumulative: a batch that could not be sent is made up for by the next
 * one, so that only the newest is kept. Is never redirected: the headers may hold a secret.
 */
#include "fleet/door/door_otlp.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <zlib.h>

#include "fleet/door/channel.h"
#include "fleet/door/curl_library.h"
#include "fleet/door/doors.h"
#include "fleet/door/otlp.h"
#include "fleet/door/secret.h"

enum { MOST_ANSWER = 64 << 10, GZIP_WINDOW = 15 + 16, CONNECT_MS = 5000, TIMEOUT_MS = 10000, URL = 1024 };
enum { FIRST_WAIT_S = 1, LONGEST_WAIT_S = 60, LONGEST_RETRY_S = 3600 };

struct sender {
	struct curl_library curl;
	void *easy;
	char url[URL], shown[URL], error[CURL_ERROR_SIZE];
	struct channel_batch newest;
	uint64_t n_superseded;
	double wait_s, until_s; /* after a failure: the last wait, and when the next try is due; 0: none failed */
	bool is_in_trouble, was_partial;
	/* of the answer at hand */
	char answer[MOST_ANSWER], retry_after[64];
	size_t n_answer;
};

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

/* More than that is no answer to a push. */
static size_t take_answer(char *data, size_t size, size_t n, void *ctx)
{
	struct sender *sender = ctx;

	size *= n;
	if (size > sizeof sender->answer - sender->n_answer)
		return 0;
	memcpy(sender->answer + sender->n_answer, data, size);
	sender->n_answer += size;
	return size;
}

static size_t take_header(char *data, size_t size, size_t n, void *ctx)
{
	static const char name[] = "Retry-After:";
	struct sender *sender = ctx;

	size *= n;
	if (size > sizeof name - 1 && !strncasecmp(data, name, sizeof name - 1))
		snprintf(sender->retry_after, sizeof sender->retry_after, "%.*s", (int)(size - (sizeof name - 1)),
			 data + sizeof name - 1);
	return size;
}

/* What messages name: without a user and password in it. */
static void show(struct sender *sender)
{
	const char *scheme = strstr(sender->url, "://"), *host = scheme ? scheme + 3 : sender->url;
	const char *at = memchr(host, '@', strcspn(host, "/"));

	snprintf(sender->shown, sizeof sender->shown, "%.*s%.200s", (int)(host - sender->url), sender->url,
		 at ? at + 1 : host);
}

static int choose_url(struct sender *sender, const char *url, struct err *err)
{
	static const char path[] = "/v1/metrics";
	const char *own = secure_getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
	size_t len = strlen(url);

	if ((strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) || len + sizeof path > URL)
		return err_set(err, EINVAL, "cannot send to '%.60s': this is no address of http:// or https://", url);
	while (len && url[len - 1] == '/')
		len--;
	/* the specification: one for metrics alone is taken as it is */
	if ((own && !strcmp(own, url)) ||
	    (len >= sizeof path - 1 && !strncmp(url + len - (sizeof path - 1), path, sizeof path - 1)))
		snprintf(sender->url, sizeof sender->url, "%s", url);
	else
		snprintf(sender->url, sizeof sender->url, "%.*s%s", (int)len, url, path);
	show(sender);
	return 0;
}

static void *add_headers(struct sender *sender, void *list, char *text, const char *between, char is)
{
	char line[2048], *rest = text;

	for (char *one; (one = strsep(&rest, between));) {
		char *value = strchr(one, is);

		one += strspn(one, " \t\r");
		if (!value || value <= one)
			continue;
		*value++ = 0;
		value += strspn(value, " \t");
		value[strcspn(value, "\r")] = 0;
		snprintf(line, sizeof line, "%s: %s", one, value);
		list = sender->curl.slist_append(list, line);
	}
	return list;
}

static int set_headers(struct sender *sender, const struct door_otlp_opts *opts, struct err *err)
{
	const char *own = secure_getenv("OTEL_EXPORTER_OTLP_METRICS_HEADERS");
	const char *all = secure_getenv("OTEL_EXPORTER_OTLP_HEADERS");
	void *list = sender->curl.slist_append(NULL, "Content-Type: application/x-protobuf");
	char *text;

	list = sender->curl.slist_append(list, "Content-Encoding: gzip");
	list = sender->curl.slist_append(list, "Expect:");
	text = own || all ? strdup(own ? own : all) : NULL;
	if (text)
		list = add_headers(sender, list, text, ",", '=');
	free(text);
	if (opts->headers_file) {
		text = secret_read(opts->headers_file, "headers", err);
		if (!text)
			return -err->code;
		list = add_headers(sender, list, text, "\n", ':');
		free(text);
	}
	sender->curl.easy_setopt(sender->easy, CURL_HTTPHEADER, list);
	return 0;
}

static long timeout_ms(void)
{
	const char *own = secure_getenv("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT");
	const char *all = secure_getenv("OTEL_EXPORTER_OTLP_TIMEOUT");
	long ms = own || all ? strtol(own ? own : all, NULL, 10) : 0;

	return ms > 0 && ms <= 60000 ? ms : TIMEOUT_MS;
}

static int open_sender(struct door_child *child, struct err *err)
{
	const struct door_otlp_opts *opts = child->opts;
	const char *authority = opts->authority ? opts->authority : secure_getenv("OTEL_EXPORTER_OTLP_CERTIFICATE");
	struct sender *sender = calloc(1, sizeof *sender);
	int code;

	if (!sender)
		return err_set(err, ENOMEM, "cannot send: out of memory");
	child->state = sender;
	code = choose_url(sender, opts->url, err);
	if (!code)
		code = curl_library_load(&sender->curl, err);
	if (!code && !(sender->easy = sender->curl.easy_init()))
		code = err_set(err, ENOMEM, "cannot send: out of memory");
	if (code)
		return code;
	sender->curl.easy_setopt(sender->easy, CURL_URL, sender->url);
	sender->curl.easy_setopt(sender->easy, CURL_PROTOCOLS, 3L);
	sender->curl.easy_setopt(sender->easy, CURL_FOLLOWLOCATION, 0L);
	sender->curl.easy_setopt(sender->easy, CURL_NOSIGNAL, 1L);
	sender->curl.easy_setopt(sender->easy, CURL_TIMEOUT_MS, timeout_ms());
	sender->curl.easy_setopt(sender->easy, CURL_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	sender->curl.easy_setopt(sender->easy, CURL_USERAGENT, "inftrace/" INFTRACE_VERSION);
	sender->curl.easy_setopt(sender->easy, CURL_ERRORBUFFER, sender->error);
	sender->curl.easy_setopt(sender->easy, CURL_WRITEFUNCTION, take_answer);
	sender->curl.easy_setopt(sender->easy, CURL_WRITEDATA, sender);
	sender->curl.easy_setopt(sender->easy, CURL_HEADERFUNCTION, take_header);
	sender->curl.easy_setopt(sender->easy, CURL_HEADERDATA, sender);
	if (authority && *authority)
		sender->curl.easy_setopt(sender->easy, CURL_CAINFO, authority);
	return set_headers(sender, opts, err);
}

/* The caller frees it; NULL: out of memory. */
static void *compress_batch(const void *data, size_t size, size_t *compressed)
{
	z_stream stream = { .next_in = (Bytef *)data, .avail_in = (uInt)size };
	size_t room;
	void *to;

	if (deflateInit2(&stream, 1, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	room = deflateBound(&stream, size);
	to = malloc(room);
	stream.next_out = to;
	stream.avail_out = (uInt)room;
	if (to && deflate(&stream, Z_FINISH) != Z_STREAM_END) {
		free(to);
		to = NULL;
	}
	*compressed = stream.total_out;
	deflateEnd(&stream);
	return to;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The status of the answer; 0: there was none, and error says why. */
static long post(struct sender *sender)
{
	size_t size = 0;
	void *body = compress_batch(sender->newest.section[0], (size_t)sender->newest.head.size[0], &size);
	long status = 0;
	int code;

	sender->n_answer = 0;
	*sender->retry_after = *sender->error = 0;
	if (!body) {
		snprintf(sender->error, sizeof sender->error, "out of memory");
		return 0;
	}
	sender->curl.easy_setopt(sender->easy, CURL_POSTFIELDS, body);
	sender->curl.easy_setopt(sender->easy, CURL_POSTFIELDSIZE, (long)size);
	code = sender->curl.easy_perform(sender->easy);
	sender->curl.easy_getinfo(sender->easy, CURL_RESPONSE_CODE, &status);
	free(body);
	if (code && !*sender->error)
		snprintf(sender->error, sizeof sender->error, "%s", sender->curl.easy_strerror(code));
	return code ? 0 : status;
}

/* A wait that doubles, or the one that the receiver asks for. */
static void back_off(struct sender *sender)
{
	double asked = *sender->retry_after ? otlp_retry_after(sender->retry_after, time(NULL)) : -1;

	sender->wait_s = sender->wait_s ? 2 * sender->wait_s : FIRST_WAIT_S;
	if (sender->wait_s > LONGEST_WAIT_S)
		sender->wait_s = LONGEST_WAIT_S;
	if (asked > LONGEST_RETRY_S)
		asked = LONGEST_RETRY_S;
	sender->until_s = now_s() + (asked >= 0 ? asked : sender->wait_s);
}

static bool is_worth_a_retry(long status)
{
	return !status || status == 429 || status == 502 || status == 503 || status == 504;
}

/* One message for a trouble, however long it lasts. */
static void say_trouble(struct sender *sender, int channel, long status)
{
	char why[CURL_ERROR_SIZE + 64];

	if (status)
		snprintf(why, sizeof why, "it answers %ld", status);
	else
		snprintf(why, sizeof why, "%s", sender->error);
	if (!sender->is_in_trouble)
		channel_tell(channel, "cannot send to %.120s: %.150s; trying again, watching goes on", sender->shown,
			     why);
	sender->is_in_trouble = true;
}

static void take_success(struct sender *sender, int channel)
{
	int64_t n_rejected;
	char why[160];

	if (sender->is_in_trouble)
		channel_tell(channel, "%.120s takes metrics again; %llu intervals in between were not sent apart",
			     sender->shown, (unsigned long long)sender->n_superseded);
	sender->is_in_trouble = false;
	sender->wait_s = sender->until_s = 0;
	sender->n_superseded = 0;
	if (!otlp_is_partial(sender->answer, sender->n_answer, &n_rejected, why, sizeof why) || sender->was_partial)
		return;
	sender->was_partial = true;
	channel_tell(channel, "%.120s has rejected %lld points: %.150s", sender->shown, (long long)n_rejected, why);
}

static void send_newest(struct sender *sender, int channel)
{
	long status = post(sender);

	if (status >= 200 && status < 300) {
		take_success(sender, channel);
		channel_release(&sender->newest);
		return;
	}
	say_trouble(sender, channel, status);
	back_off(sender);
	/* it will not like it better the next time */
	if (!is_worth_a_retry(status))
		channel_release(&sender->newest);
}

static int wait_ms(const struct sender *sender)
{
	double left_s = sender->until_s - now_s();

	if (!sender->newest.mapped)
		return -1;
	return left_s <= 0 ? 0 : left_s > LONGEST_WAIT_S ? LONGEST_WAIT_S * 1000 : (int)(left_s * 1000) + 1;
}

static void serve(struct door_child *child)
{
	struct sender *sender = child->state;
	struct pollfd poller = { child->channel, POLLIN, 0 };
	struct channel_batch batch;
	int got;

	do {
		poll(&poller, 1, wait_ms(sender));
		while ((got = channel_receive(child->channel, &batch)) > 0) {
			sender->n_superseded += sender->newest.mapped != NULL;
			channel_release(&sender->newest);
			sender->newest = batch;
		}
		if (sender->newest.mapped && (now_s() >= sender->until_s || got < 0))
			send_newest(sender, child->channel);
	} while (!got);
}

const struct door door_otlp = {
	.name = "otlp", .uses_network = true, .encode = encode, .open = open_sender, .serve = serve
};
