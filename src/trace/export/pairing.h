/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What exporters share that write a slice as one row: events in order, begins with their ends, tracks with their
 * process, counts of what the format has no place for. Embed it as the first member of the exporter's sink.
 */
#ifndef TRACE_EXPORT_PAIRING_H
#define TRACE_EXPORT_PAIRING_H

#include "event/sample.h"
#include "event/sink.h"
#include "trace/export/exporter.h"
#include "trace/export/text_out.h"

/*
 * Puts events in the order of time over all tracks, within a window: files have them track by track, in pieces. At one
 * time those of threads come before those of lanes, so that an operator ends before its inference. Memory is bounded;
 * what is further out of order than the window stays so, and is counted. Tracks are passed on at once.
 */
enum { ORDER_WINDOW = 1 << 17 };

struct order_entry {
	struct event event; /* args: index in order.args */
	size_t first_arg;
	bool is_first; /* of a thread */
};

struct order_key {
	uint64_t time_ns;
	uint32_t is_late, at;
};

struct order {
	struct array entries, args, other_entries, other_args; /* struct order_entry, struct arg; room for the rest */
	struct array keys, threads;			       /* struct order_key; bool, by number of the track */
	uint64_t last_ns;				       /* of those passed on */
	uint64_t n_late;				       /* passed on behind a later one */
	/* Takes the events in order. 0, or -errno and err. */
	int (*take)(struct order *order, const struct event *event, struct err *err);
};

void order_init(struct order *order, int (*take)(struct order *, const struct event *, struct err *));
/* 0, or -errno and err: of take, or out of memory. */
int order_put(struct order *order, const struct event *event, struct err *err);
/* Passes all on. */
int order_finish(struct order *order, struct err *err);
void order_done(struct order *order);

/* A slice that is open on its track. */
struct pairing_open {
	enum event_kind kind;
	uint32_t name;
	uint64_t begin_ns;
	size_t first_arg, n_args; /* in the track's args */
	uint32_t node;		  /* the exporter's own; 0 at first */
	uint64_t from_ns, to_ns;  /* the exporter's own; 0 at first */
};

struct pairing_track {
	struct track_def def; /* def.pid: of the process */
	bool is_defined;
	uint32_t process;	 /* track of its process; 0: the machine */
	struct array open, args; /* struct pairing_open, outermost first; struct arg of all of them */
	uint32_t node;		 /* the exporter's own; 0 at first */
};

/* A whole slice. Valid during the call. */
struct pairing_slice {
	enum event_kind kind;
	uint32_t name, track;
	uint64_t begin_ns, end_ns;
	const struct arg *args; /* those of its end, too */
	size_t n_args;
	const struct pairing_open *self; /* its place in the track's open slices, which end with it */
	struct pairing_track *of;	 /* its track */
	struct pairing_open *parent;	 /* NULL: outermost */
};

struct pairing {
	struct sink sink;
	struct order order;
	struct array tracks;			  /* struct pairing_track, by number */
	uint64_t n_slices, n_instants, n_samples; /* that the exporter did not take; it counts them */
	/* After a slice, the last open one of its track, has begun. NULL: not needed. */
	void (*begin)(struct pairing *pairing, struct pairing_track *track);
	/* 0, or -errno and err. take_other: NULL: such events are only counted. */
	int (*take)(struct pairing *pairing, const struct pairing_slice *slice, struct err *err);
	int (*take_other)(struct pairing *pairing, const struct event *event, struct err *err);
	/* A sample of a thread of the process, before what is kept for order. NULL: not needed. */
	void (*take_sample)(struct pairing *pairing, struct pairing_track *process, const struct event_sample *sample);
	struct text_out out;
};

void pairing_init(struct pairing *pairing, int fd, struct names *names, uint32_t *last_track);
/* Passes on what is still kept. 0, or -errno and err. */
int pairing_finish(struct pairing *pairing, struct err *err);
void pairing_done(struct pairing *pairing);
/* Fills losses: slices without an end, and the counts above. */
void pairing_losses(const struct pairing *pairing, struct export_losses *losses);

struct pairing_track *pairing_track(struct pairing *pairing, uint32_t number); /* NULL: not defined */
/* The last one of these arguments; NULL: absent, or of another type. */
const struct arg *pairing_arg(const struct pairing_slice *slice, enum event_key key, enum arg_type type);
/* fallback: absent */
int64_t pairing_int(const struct pairing_slice *slice, enum event_key key, int64_t fallback);
uint32_t pairing_name(const struct pairing_slice *slice, enum event_key key); /* 0: absent */
const char *pairing_text(const struct pairing *pairing, uint32_t name);
/* The group of the model, for the group of one of its functions; NULL: it is none. */
const struct pairing_track *pairing_model(struct pairing *pairing, const struct pairing_track *group);

#endif
