// SPDX-License-Identifier: Apache-2.0
/*
 * One thread, one request at a time: a receiver that hangs holds up the other lanes for as long as its time limit. What
 * comes meanwhile goes into the spool.
 */
#include "fleet/door/push.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <zlib.h>

#include "fleet/door/channel.h"
#include "fleet/door/door_in.h"

enum { GZIP_WINDOW = 15 + 16, CONNECT_MS = 5000, MOST_TOGETHER = 64, LAST_S = 3, LAST_MS = 1500 };
enum { FIRST_WAIT_S = 1, LONGEST_WAIT_S = 60, LONGEST_RETRY_S = 3600, LONGEST_POLL_S = 3600 };

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

/* What others see of this door. */
static void publish(const struct push *push)
{
	struct door_counts *counts = push->child->counts;

	__atomic_store_n(&counts->n_dropped, spool_n_dropped(push->spool), __ATOMIC_RELAXED);
	__atomic_store_n(&counts->n_waiting, spool_n_waiting(push->spool), __ATOMIC_RELAXED);
	__atomic_store_n(&counts->spool_bytes, spool_bytes(push->spool), __ATOMIC_RELAXED);
	__atomic_store_n(&counts->is_on_disk, spool_is_file(push->spool), __ATOMIC_RELAXED);
}

static void receive(struct push *push, const struct channel_batch *batch)
{
	for (int i = 0; i < DOOR_SECTIONS; i++) {
		struct spool_batch one = { .lane = i,
					   .number = batch->head.number,
					   .n_dropped_before = batch->head.n_dropped_before };
		void *body;

		if (!push->lane[i].kind || !batch->section[i])
			continue;
		body = push->lane[i].is_plain
			   ? NULL
			   : compress_batch(batch->section[i], (size_t)batch->head.size[i], &one.size);
		one.body = body ? body : batch->section[i];
		if (!body)
			one.size = push->lane[i].is_plain ? (size_t)batch->head.size[i] : SIZE_MAX;
		spool_add(push->spool, &one);
		free(body);
	}
	publish(push);
}

static int receive_all(struct push *push)
{
	struct channel_batch batch;
	char remark[SPOOL_REMARK];
	int got;

	while ((got = channel_receive(push->child->channel, &batch)) > 0) {
		receive(push, &batch);
		channel_release(&batch);
	}
	spool_take_remark(push->spool, remark);
	if (*remark)
		channel_tell(push->child->channel, "%s", remark);
	return got;
}

/* While a request is on its way. Not 0: it is given up, because the watcher has ended. */
static int receive_meanwhile(void *ctx, int64_t down_all, int64_t down, int64_t up_all, int64_t up)
{
	struct push *push = ctx;

	if (receive_all(push) < 0 && push->over_s == 0)
		push->over_s = now_s();
	return push->over_s > 0 && now_s() > push->over_s + LAST_MS / 1000.0;
}

/* More than that is no answer to a push. */
static size_t take_answer(char *data, size_t size, size_t n, void *ctx)
{
	struct push *push = ctx;

	size *= n;
	push->is_long = size > sizeof push->answer - push->n_answer;
	if (push->is_long)
		return 0;
	memcpy(push->answer + push->n_answer, data, size);
	push->n_answer += size;
	return size;
}

static size_t take_header(char *data, size_t size, size_t n, void *ctx)
{
	static const char name[] = "Retry-After:";
	struct push *push = ctx;

	size *= n;
	if (size > sizeof name - 1 && !strncasecmp(data, name, sizeof name - 1))
		snprintf(push->retry_after, sizeof push->retry_after, "%.*s", (int)(size - (sizeof name - 1)),
			 data + sizeof name - 1);
	return size;
}

/* What messages name: without what may be a user and password, before the host or in a query. */
static void show(struct push_lane *lane)
{
	const char *scheme = strstr(lane->url, "://"), *host = scheme ? scheme + 3 : lane->url;
	const char *at = memrchr(host, '@', strcspn(host, "/?")), *from = at ? at + 1 : host;
	size_t len = strcspn(from, "?");

	snprintf(lane->shown, sizeof lane->shown, "%.*s%.*s", (int)(host - lane->url), lane->url,
		 (int)(len < 200 ? len : 200), from);
}

int push_set_url(struct push_lane *lane, const char *url, const char *path, struct err *err)
{
	size_t len = strlen(url), path_len = strlen(path);

	if ((strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) || len + path_len + 1 > PUSH_URL)
		return err_set(err, EINVAL, "cannot send to '%.60s': this is no address of http:// or https://", url);
	while (path_len && len && url[len - 1] == '/')
		len--;
	if (len >= path_len && !strncmp(url + len - path_len, path, path_len))
		path = "";
	path_len = strlen(path);
	memcpy(lane->url, url, len);
	memcpy(lane->url + len, path, path_len + 1);
	show(lane);
	return 0;
}

void push_add_header(struct push *push, struct push_lane *lane, const char *line)
{
	lane->headers = push->curl.slist_append(lane->headers, line);
}

int push_add_headers(struct push *push, struct push_lane *lane, char *text, const char *marks, struct err *err)
{
	char *line = malloc(strlen(text) + sizeof ": "), *rest = text;

	if (!line)
		return err_no_memory(err, "cannot send");
	for (char *one; (one = strsep(&rest, &marks[1]));) {
		char *value = strchr(one, marks[0]);

		one += strspn(one, " \t\r");
		if (!value || value <= one)
			continue;
		*value++ = 0;
		value += strspn(value, " \t");
		value[strcspn(value, "\r")] = 0;
		sprintf(line, "%s: %s", one, value);
		push_add_header(push, lane, line);
	}
	free(line);
	return 0;
}

int push_open(struct push *push, struct door_child *child, struct err *err)
{
	int code = curl_library_load(&push->curl, err);

	if (code)
		return code;
	push->child = child;
	push->spool = spool_open(child->spool_path, child->spool_bytes, push->remark);
	return push->spool ? 0 : err_no_memory(err, "cannot send");
}

static void set_file(const struct push *push, const struct push_lane *lane, int option, const char *path)
{
	if (path)
		push->curl.easy_setopt(lane->easy, option, path);
}

int push_open_lane(struct push *push, struct push_lane *lane, struct err *err)
{
	lane->easy = push->curl.easy_init();
	if (!lane->easy)
		return err_no_memory(err, "cannot send");
	push->curl.easy_setopt(lane->easy, CURL_PROTOCOLS, 3L);
	push->curl.easy_setopt(lane->easy, CURL_FOLLOWLOCATION, 0L);
	push->curl.easy_setopt(lane->easy, CURL_NOSIGNAL, 1L);
	push->curl.easy_setopt(lane->easy, CURL_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	push->curl.easy_setopt(lane->easy, CURL_USERAGENT, "inftrace/" INFTRACE_VERSION);
	push->curl.easy_setopt(lane->easy, CURL_ERRORBUFFER, push->error);
	push->curl.easy_setopt(lane->easy, CURL_WRITEFUNCTION, take_answer);
	push->curl.easy_setopt(lane->easy, CURL_WRITEDATA, push);
	push->curl.easy_setopt(lane->easy, CURL_HEADERFUNCTION, take_header);
	push->curl.easy_setopt(lane->easy, CURL_HEADERDATA, push);
	push->curl.easy_setopt(lane->easy, CURL_XFERINFOFUNCTION, receive_meanwhile);
	push->curl.easy_setopt(lane->easy, CURL_XFERINFODATA, push);
	push->curl.easy_setopt(lane->easy, CURL_NOPROGRESS, 0L);
	set_file(push, lane, CURL_CAINFO, lane->authority);
	set_file(push, lane, CURL_SSLCERT, lane->certificate);
	set_file(push, lane, CURL_SSLKEY, lane->key);
	return 0;
}

/* Of curl. */
struct header {
	char *data;
	const struct header *next;
};

/* The status of the answer; 0: there was none, and error says why. */
static long post(struct push *push, struct push_lane *lane, const struct spool_group *group)
{
	char url[PUSH_URL + PUSH_QUERY], batch[80], before[64];
	const struct header last = { before, lane->headers }, middle = { batch, &last };
	const struct header first = { (char *)"Content-Encoding: gzip", &middle };
	long status = 0;
	int code;

	push->n_answer = 0;
	push->is_long = false;
	*push->retry_after = *push->error = 0;
	snprintf(url, sizeof url, "%s", lane->url);
	if (lane->kind->address)
		lane->kind->address(lane, group, url, sizeof url);
	push->curl.easy_setopt(lane->easy, CURL_URL, url);
	snprintf(batch, sizeof batch, "X-Inftrace-Batch: %s-%llu", group->run, (unsigned long long)group->last);
	snprintf(before, sizeof before, "X-Inftrace-Dropped-Before: %llu", (unsigned long long)group->n_dropped_before);
	push->curl.easy_setopt(lane->easy, CURL_HTTPHEADER, lane->is_plain ? &middle : &first);
	push->curl.easy_setopt(lane->easy, CURL_TIMEOUT_MS, lane->timeout_ms);
	push->curl.easy_setopt(lane->easy, CURL_POSTFIELDS, group->body);
	push->curl.easy_setopt(lane->easy, CURL_POSTFIELDSIZE, (long)group->size);
	code = push->curl.easy_perform(lane->easy);
	push->curl.easy_getinfo(lane->easy, CURL_RESPONSE_CODE, &status);
	if (push->is_long && status) { /* what it answers is clear */
		push->n_answer = 0;
		return status;
	}
	if (code && push->over_s > 0)
		snprintf(push->error, sizeof push->error, "no answer so far");
	else if (code && !*push->error)
		snprintf(push->error, sizeof push->error, "%s", push->curl.easy_strerror(code));
	return code ? 0 : status;
}

/* A wait that doubles, or the one that the receiver asks for. */
static void back_off(struct push *push, struct push_lane *lane)
{
	double asked = *push->retry_after ? otlp_retry_after(push->retry_after, time(NULL)) : -1;

	lane->wait_s = lane->wait_s ? 2 * lane->wait_s : FIRST_WAIT_S;
	if (lane->wait_s > LONGEST_WAIT_S)
		lane->wait_s = LONGEST_WAIT_S;
	if (asked > LONGEST_RETRY_S)
		asked = LONGEST_RETRY_S;
	lane->until_s = now_s() + (asked >= 0 ? asked : lane->wait_s);
}

static bool is_worth_a_retry(const struct push_lane *lane, long status)
{
	if (status && lane->kind->is_worth_a_retry)
		return lane->kind->is_worth_a_retry(status);
	return !status || status == 429 || status == 502 || status == 503 || status == 504;
}

/* A part of an address or a header that is long enough for a secret. */
static bool has_word(const char *text, const char *words, size_t n, const char *between)
{
	enum { LEAST = 4, MOST = 256 };
	char word[MOST];

	for (size_t at = 0; at < n;) {
		size_t len = strcspn(words + at, between);

		len = len < n - at ? len : n - at;
		if (len >= LEAST && len < MOST) {
			snprintf(word, sizeof word, "%.*s", (int)len, words + at);
			if (strstr(text, word))
				return true;
		}
		at += len + 1;
	}
	return false;
}

/* Who answers may repeat what it was sent. */
static bool has_secret(const struct push_lane *lane, const char *text)
{
	static const char password[] = "password=";
	const char *host = strstr(lane->url, "://") + 3, *given = strstr(host, password);
	const char *at = memrchr(host, '@', strcspn(host, "/?"));

	for (const struct header *header = lane->headers; header; header = header->next) {
		const char *value = strncasecmp(header->data, "Content-", 8) ? strchr(header->data, ':') : NULL;

		if (value && has_word(text, value, strlen(value), ": ,"))
			return true;
	}
	given = given ? given + sizeof password - 1 : "";
	return (at && has_word(text, host, (size_t)(at - host), ":")) ||
	       has_word(text, given, strcspn(given, "&"), "&");
}

static void say_trouble(struct push *push, struct push_lane *lane, long status)
{
	char why[CURL_ERROR_SIZE + 64], more[160] = "";

	if (lane->is_in_trouble)
		return;
	if (status && lane->kind->why_refused)
		lane->kind->why_refused(push->answer, push->n_answer, more, sizeof more);
	if (has_secret(lane, more))
		*more = 0;
	if (status)
		snprintf(why, sizeof why, "it answers %ld%s%s", status, *more ? ": " : "", more);
	else
		snprintf(why, sizeof why, "%s", push->error);
	channel_tell(push->child->channel, "cannot send %s to %.120s: %.220s; %s, watching goes on", lane->kind->what,
		     lane->shown, why,
		     is_worth_a_retry(lane, status) ? "trying again" : "what is refused is dropped and counted");
	lane->is_in_trouble = true;
	lane->n_at_trouble = spool_n_dropped_of(push->spool, (int)(lane - push->lane));
}

static void take_success(struct push *push, struct push_lane *lane)
{
	uint64_t n_dropped = spool_n_dropped_of(push->spool, (int)(lane - push->lane)) - lane->n_at_trouble;
	int64_t n_rejected = 0;
	char why[160];

	if (lane->is_in_trouble)
		channel_tell(push->child->channel, "%.120s takes %s again; %llu batch%s dropped meanwhile", lane->shown,
			     lane->kind->what, (unsigned long long)n_dropped, n_dropped == 1 ? " was" : "es were");
	lane->is_in_trouble = false;
	lane->wait_s = lane->until_s = 0;
	if (lane->was_partial || !lane->kind->is_partial ||
	    !lane->kind->is_partial(push->answer, push->n_answer, &n_rejected, why, sizeof why))
		return;
	lane->was_partial = true;
	channel_tell(push->child->channel, "%.120s has rejected %lld of the %s: %.150s", lane->shown,
		     (long long)n_rejected, lane->kind->what, why);
}

static void send_oldest(struct push *push, int number)
{
	struct push_lane *lane = &push->lane[number];
	struct spool_group group;
	long status;

	if (!spool_oldest(push->spool, number, lane->every_s ? MOST_TOGETHER : 1, &group)) {
		*push->retry_after = 0;
		back_off(push, lane); /* out of memory: else it would be tried without a pause */
		publish(push);
		return;
	}
	status = post(push, lane, &group);
	if (status >= 200 && status < 300) {
		spool_remove(push->spool, &group, false);
		__atomic_add_fetch(&push->child->counts->n_sent, group.n, __ATOMIC_RELAXED);
		take_success(push, lane);
	} else {
		say_trouble(push, lane, status);
		/* what it refuses it will not like better the next time */
		if (is_worth_a_retry(lane, status))
			back_off(push, lane);
		else
			spool_remove(push->spool, &group, true);
	}
	spool_group_done(&group);
	publish(push);
}

static uint64_t period_of(const struct push_lane *lane)
{
	return ((uint64_t)time(NULL) - lane->at_s) / lane->every_s;
}

/* Seconds until the lane may send; those that send together wait for their second of the period. */
static double wait_of(const struct push *push, int number)
{
	const struct push_lane *lane = &push->lane[number];
	double wait_s = lane->until_s - now_s();
	time_t now = time(NULL);

	if (!lane->kind || !spool_has(push->spool, number))
		return LONGEST_POLL_S;
	if (wait_s <= 0 && lane->every_s && !lane->until_s && period_of(lane) == lane->period)
		wait_s = (double)(lane->every_s - ((uint64_t)now - lane->at_s) % lane->every_s);
	return wait_s > 0 ? wait_s : 0;
}

static void send_due(struct push *push)
{
	for (int i = 0; i < DOOR_SECTIONS; i++) {
		struct push_lane *lane = &push->lane[i];

		if (wait_of(push, i) > 0)
			continue;
		send_oldest(push, i);
		if (lane->every_s && !spool_has(push->spool, i)) /* more than go together: at once */
			lane->period = period_of(lane);
	}
}

/* The watcher has ended: each lane as long as it takes what waits. */
static void send_last(struct push *push)
{
	double end_s = now_s() + LAST_S;

	for (int i = 0; i < DOOR_SECTIONS; i++)
		if (push->lane[i].timeout_ms > LAST_MS)
			push->lane[i].timeout_ms = LAST_MS;
	for (int i = 0; i < DOOR_SECTIONS; i++)
		while (push->lane[i].kind && spool_has(push->spool, i) && now_s() < end_s) {
			send_oldest(push, i);
			if (push->lane[i].is_in_trouble)
				break;
		}
}

void push_serve(struct push *push)
{
	struct pollfd poller = { push->child->channel, POLLIN, 0 };
	int got;

	if (*push->remark)
		channel_tell(push->child->channel, "%s", push->remark);
	for (int i = 0; i < DOOR_SECTIONS; i++)
		if (push->lane[i].every_s)
			push->lane[i].period = period_of(&push->lane[i]);
	publish(push);
	do {
		double wait_s = LONGEST_POLL_S;

		for (int i = 0; i < DOOR_SECTIONS; i++)
			wait_s = wait_of(push, i) < wait_s ? wait_of(push, i) : wait_s;
		poll(&poller, 1, (int)(wait_s * 1000) + (wait_s > 0));
		got = receive_all(push);
		send_due(push);
	} while (got >= 0);
	send_last(push);
	spool_close(push->spool);
}
