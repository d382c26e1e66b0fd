/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a page to the browsers of this machine: 127.0.0.1 or a socket only, below a path with a random token; GET, and
 * where the handler does things, POST with the Origin of the page, without a body or with a file. Who asks is checked:
 * the token in constant time, exactly one Host that is a name of this machine, Origin and Sec-Fetch-Site where they are
 * sent. A request is bounded in size and time, the number of connections too. What to answer is the business of the
 * handler, which runs on the one thread of http_run, or of a loop of somebody else that calls http_turn. An answer that
 * takes long is worked out in pieces between those of others, and no further once its reader has closed the connection.
 */
#ifndef SHOW_VIEW_HTTP_H
#define SHOW_VIEW_HTTP_H

#include "base/err.h"
#include "show/view/http/http_door.h"
#include "show/view/http/http_request.h"

struct http_answer {
	unsigned status;  /* 200, or that of an error */
	const char *type; /* of the content; borrowed, static */
	void *body;
	size_t size;
	bool is_borrowed; /* body is static; else it is freed */
	bool is_stream;	  /* of events, which handler.tick makes; there is no body */
};

struct http_job {
	/* Works for some milliseconds. true: answer is complete. */
	bool (*step)(struct http_job *job, struct http_answer *answer);
	void (*free)(struct http_job *job); /* the job, finished or not */
	bool waits;			    /* for something outside: step looks whether it has come */
	bool is_void;			    /* step sets it, with an answer: handle is to begin anew, if it may */
};

struct http_handler {
	/* Fills the answer and returns NULL, or returns a job that will. The request is borrowed until then. */
	struct http_job *(*handle)(void *ctx, const struct http_request *request, struct http_answer *answer);
	/*
	 * Called every tick_ns while no job is at work. The text of an event for all streams, borrowed until the next
	 * call; NULL: nothing has changed. May be NULL.
	 */
	const char *(*tick)(void *ctx);
	void *ctx;
	uint64_t tick_ns;  /* 0: a second */
	bool is_for_pages; /* tick need not be called while no stream is open */
	bool takes_posts;
	bool takes_files; /* as the body of a post, which is kept in a file without a name */
};

struct http;

/* The door is copied, its socket borrowed. NULL and err: the port or the socket is in use, or forbidden. */
struct http *http_open(const struct http_door *door, struct err *err);
/* "http://127.0.0.1:PORT/TOKEN/"; of a socket "http://localhost/TOKEN/" */
const char *http_address(const struct http *http);
/* Answers until stop_fd is readable; who asked before waits until then. 0, or -errno and err. */
int http_run(struct http *http, const struct http_handler *handler, int stop_fd, struct err *err);
/*
 * The same in a loop of somebody else: begins with http_begin, and calls http_turn when http_fd is readable, which does
 * some milliseconds of work and never blocks. It leaves signals and limits of the process alone, where http_run ignores
 * SIGPIPE and allows more open files.
 */
void http_begin(struct http *http, const struct http_handler *handler);
int http_fd(const struct http *http);
void http_turn(struct http *http);
/* Hands an event to all streams now. */
void http_tell(struct http *http, const char *event);
unsigned http_n_streams(const struct http *http);
void http_close(struct http *http);

/* An answer of one sentence, as text. The sentence is copied. */
void http_say(struct http_answer *answer, unsigned status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
