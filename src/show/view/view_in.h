/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a view, for its own files: one answer_<what>.c for each group of answers, listed in view.c. What an
 * answer writes goes to memory first. Times of the page are nanoseconds from the recording's first event.
 */
#ifndef SHOW_VIEW_VIEW_IN_H
#define SHOW_VIEW_VIEW_IN_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "analyze/generation/generations.h"
#include "analyze/pyramid/pyramid.h"
#include "analyze/store/store.h"
#include "analyze/store/store_live.h"
#include "analyze/summary/recording.h"
#include "analyze/summary/summary_maker.h"
#include "base/array.h"
#include "base/text/json.h"
#include "show/view/http/http.h"
#include "show/view/view.h"
#include "show/view/view_samples.h"
#include "trace/import/import.h"

/*
 * Generations as slices, so that the timeline has them: below a process the group "requests", in it a lane for each
 * that goes on at a time. A slice is one request; inside it are its inferences, prefills and tokens. They are of kind
 * `user`; their category is what they are.
 */
/* Zeroed: nothing was taken. */
struct view_generations {
	struct generations *finder;
	struct store *store; /* while something is taken */
	struct array lanes;  /* struct lane of view_generations.c */
	struct array parts;  /* struct part of that; while something is taken */
	uint64_t until_ns;   /* inferences that ended until then were looked at */
};

/*
 * Puts what has come into the store itself; is_over: nothing follows, and what is open ends. What memory does not
 * suffice for is left out.
 */
void view_generations_take(struct view_generations *generations, struct store *store, bool is_over);
void view_generations_done(struct view_generations *generations);

/*
 * The report of the recording, for the page. A process of its own works it out from the same file, while this one reads
 * the file into memory: neither waits for the other, and what the report takes is given back. Of what happens now, it
 * works with its copy of the sums so far.
 */
struct view_report {
	pid_t pid;	  /* 0: it has ended */
	int fd;		  /* what it has written */
	const char *type; /* of that; NULL: JSON */
	bool has_failed;
	bool is_question;	     /* a failure is the fault of who asked */
	uint64_t begun_ns, ended_ns; /* 0: not yet */
};

/* One of both; or, with slow_at_ns or write, neither: the file is read again. */
struct view_report_source {
	struct import *import;	     /* open, and not yet read */
	struct summary_maker *maker; /* its sums stay as they are */
	const char *path;	     /* of these; NULL: of no file */
	bool is_growing;
	/* Something else than a report: writes it to a file. NULL: a report. */
	int (*write)(FILE *out, const void *ctx, struct err *err);
	const void *ctx;
	uint64_t slow_at_ns; /* the inferences that begin then are looked into, in place of the slowest; 0: these */
};

/* What a file was when it was read; 0: not known. While it is written, its size and time are not kept. */
struct view_file {
	dev_t device;
	ino_t number;
	int64_t size, written_s, written_ns;
};

/* 0, or -errno and err. */
int view_report_start(struct view_report *report, const struct view_report_source *source, struct err *err);
/* Of a folder, whose segments come and go, only which one it is. */
struct view_file view_file_of(const char *path, bool is_growing);
/* Why the file cannot be read once more, as a sentence: another one has its name by now, for example. NULL: it can. */
const char *view_refuse_again(const struct view *view);
/* Is there one, or will there be? */
bool view_report_is_done(struct view_report *report);
/* As JSON; a job where it is not ready. */
struct http_job *view_report_answer(struct view_report *report, struct http_answer *answer);
void view_report_stop(struct view_report *report); /* accepts a zeroed one */

/* A line of the timeline's tree, in the order of display. */
struct view_track {
	uint32_t id;
	uint32_t parent; /* id of one before it; 0: none */
	const char *kind;
};

/* What all slices of a name come to. */
struct view_name {
	uint64_t n, total_ns;
	uint16_t class;
};

struct view {
	const char *path;
	struct view_file file;
	struct view_live *live; /* NULL: it is of a file */
	bool (*is_written)(const char *path);
	bool is_growing;
	uint64_t version;	     /* of the numbers of rows and slices: how often the file was read */
	uint64_t next_look_ns;	     /* when to look whether it has grown */
	uint64_t seen_bytes;	     /* of the file, when it was looked at last */
	char event[240];	     /* what pages are told */
	struct import_result result; /* of reading the file */
	uint64_t file_bytes;
	struct recording recording;
	const struct store *store; /* of the recording */
	struct view_report report;
	struct pyramid *pyramid;
	struct view_track *tracks;
	uint32_t n_tracks;
	bool *is_shown;		 /* by track id: it is one of tracks */
	struct view_name *names; /* by id; NULL: not counted yet */
	uint32_t n_names;
	struct view_lane {
		uint32_t track, process;
	} *lanes; /* tracks with inferences */
	uint32_t n_lanes;
	struct view_samples samples;
	struct view_generations generations;
	uint32_t n_whys;	    /* processes that answer_why.c has started */
	uint32_t n_excerpts;	    /* the same of answer_excerpt.c */
	struct view_query *queries; /* that run */
	int beside;		    /* number of the recording that it is compared with; -1: none */
	uint64_t shift_ns;	    /* how much later on the page it begins than at 0 */
};

/* What happens now, see view_live.c. */
struct view_live {
	const struct view_live_opts *opts;
	struct store_live *store;
	struct summary_maker *maker; /* of the report */
	struct sink *sinks[2];
	uint64_t n_told; /* events */
	bool is_over;
};

struct view_answer {
	const char *name; /* "tile" */
	struct http_job *(*answer)(struct view *view, const struct http_request *request, struct http_answer *answer);
};

/* Text in the making. */
struct view_text {
	FILE *out; /* NULL: out of memory */
	char *data;
	size_t size;
	struct json json;
};

/* JSON: begin, write to text->json unless out is NULL, end. What is written becomes the answer. */
void view_text_begin(struct view_text *text);
void view_text_end(struct view_text *text, struct http_answer *answer);
void view_say_no_memory(struct http_answer *answer);

uint64_t view_zero(const struct view *view);
/* When its first inference begins; UINT64_MAX: it has none. */
uint64_t view_first_inference(const struct view *view);
/* Nanoseconds of the recording to those of the page, and back (clipped to the recording). */
double view_time(const struct view *view, uint64_t time_ns);
uint64_t view_time_back(const struct view *view, double ns);
void view_put_time(struct view *view, struct json *json, const char *key, uint64_t time_ns);
/* The times of keys from and to; all of it without them. false: they make no sense. */
bool view_range(const struct view *view, const struct http_request *request, uint64_t *from_ns, uint64_t *to_ns);
const char *view_name(const struct view *view, uint32_t name);
const char *view_class_name(const struct view *view, uint16_t class);

/* 0 or -ENOMEM: they are as they were. */
int view_find_tracks(struct view *view);
uint64_t view_now_ns(void);
/* Of a live view: takes in what has come. Before each answer, and each step of a job. */
void view_refresh(struct view *view);
/* Of a live view: begins another report, unless the last one is young. */
void view_live_report(struct view *view);
/* Of a live view: what http_handler.tick is. */
const char *view_live_tell(void *view);

#define VIEW_ANSWER(name) \
	struct http_job *answer_##name(struct view *view, const struct http_request *request, \
				       struct http_answer *answer)
VIEW_ANSWER(recording);
VIEW_ANSWER(loading);
VIEW_ANSWER(report);
VIEW_ANSWER(names);
VIEW_ANSWER(tile);
VIEW_ANSWER(counter_tile);
VIEW_ANSWER(slice);
VIEW_ANSWER(at);
VIEW_ANSWER(find);
VIEW_ANSWER(excerpt);
VIEW_ANSWER(query);
VIEW_ANSWER(flows);
VIEW_ANSWER(why);
VIEW_ANSWER(search);
VIEW_ANSWER(events);
VIEW_ANSWER(table);
VIEW_ANSWER(histogram);
VIEW_ANSWER(icicle);
VIEW_ANSWER(stacks);

/* The row and the slice that a request names; NULL: the answer says what is wrong. */
const struct pyramid_row *view_find_slice(const struct view *view, const struct http_request *request, uint32_t *number,
					  uint32_t *slice, struct http_answer *answer);
/* Writes a slice as the answer slice does. */
void view_answer_slice(struct view *view, uint32_t row, uint32_t slice, struct http_answer *answer);

#endif
