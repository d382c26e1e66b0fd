/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pushes batches over HTTP, for doors that send: each section of a batch in a lane with an address, a wait and a
 * trouble of its own. Batches wait in a spool until they have arrived, in their order; one that a receiver refuses for
 * good is dropped, and counted. A request says in headers which batch it is, and how many were dropped before it. Is
 * never redirected: headers may hold a secret. One message for a trouble, however long it lasts, and one when it is
 * over. Knows no protocol.
 */
#ifndef FLEET_DOOR_PUSH_H
#define FLEET_DOOR_PUSH_H

#include "fleet/door/curl_library.h"
#include "fleet/door/door.h"
#include "fleet/spool/spool.h"

enum { PUSH_URL = 1024, PUSH_QUERY = 2048, PUSH_ANSWER = 64 << 10, PUSH_HEADERS = 16 };

struct push_lane;

/* What a protocol says of a lane. */
struct push_kind {
	const char *what; /* "metrics": in messages */
	/* The address of a request, where it is not that of the lane; NULL: it is. */
	void (*address)(const struct push_lane *lane, const struct spool_group *group, char *url, size_t size);
	/* The receiver took the request, but not all that is in it: how many, and why. NULL: it cannot. */
	bool (*is_partial)(const void *answer, size_t size, int64_t *n_rejected, char *why, size_t why_size);
	/* Whether a request may be taken later that was answered so; NULL: as OTLP says. 0, no answer, always may. */
	bool (*is_worth_a_retry)(long status);
	/* What the answer of a refusal says; NULL: nothing that is worth a message. */
	void (*why_refused)(const void *answer, size_t size, char *why, size_t why_size);
};

struct push_lane {
	const struct push_kind *kind; /* NULL: the lane is not used */
	char url[PUSH_URL], shown[PUSH_URL];
	void *easy, *headers; /* of curl */
	long timeout_ms;
	const char *authority, *certificate, *key; /* files, PEM: to check with, and to show; NULL: none */
	bool is_plain;				   /* bodies are not compressed */
	/* all that wait are sent once in so many seconds, at this second of them; every_s 0: each batch at once */
	uint32_t every_s, at_s;
	/* the rest is push.c's */
	uint64_t n_refused, n_at_trouble;
	double wait_s, until_s; /* after a failure: the last wait, and when the next try is due; 0: none failed */
	uint64_t period;	/* the last one in which it sent */
	bool is_in_trouble, was_partial;
};

struct push {
	struct curl_library curl;
	struct push_lane lane[DOOR_SECTIONS];
	struct spool *spool;
	struct door_child *child;
	char remark[SPOOL_REMARK];
	/* of the answer at hand */
	char answer[PUSH_ANSWER], retry_after[64], error[CURL_ERROR_SIZE];
	size_t n_answer;
	bool is_long;  /* longer than there is room for: the rest is not wanted */
	double over_s; /* since when the watcher has ended; 0: it has not */
};

/* Loads what is needed and opens the spool. 0, or -errno and err. */
int push_open(struct push *push, struct door_child *child, struct err *err);
/* The lane has its limit and its files. 0, or -errno and err. */
int push_open_lane(struct push *push, struct push_lane *lane, struct err *err);
/* http:// or https://, short enough, with or without the path at its end. 0, or -EINVAL and err. */
int push_set_url(struct push_lane *lane, const char *url, const char *path, struct err *err);
/* "Name: value". */
void push_add_header(struct push *push, struct push_lane *lane, const char *line);
/* Those of a text: a name, marks[0], a value, with marks[1] between two. The text is cut up. 0, or -ENOMEM and err. */
int push_add_headers(struct push *push, struct push_lane *lane, char *text, const char *marks, struct err *err);
/* Until the channel ends, and a few seconds more where something waits. */
void push_serve(struct push *push);

#endif
