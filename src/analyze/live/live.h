/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a running recording is doing now: sums of models, sessions, operators and counters, kept while events pass. A
 * sink beside, or instead of, the trace writer. Memory is bounded by the limits below, however long it runs: rows that
 * find no room are counted in `others`, rows of programs that ended and were dropped in `gone`. Sums are exact.
 *
 * Time is cut into intervals by the owner, who calls live_roll at the end of each, about once a second. All figures
 * here are as of the last roll, so a reader who stops rolling sees a picture that stands still. An inference belongs to
 * the interval in which its end arrived. Knows no terminal and no page. One thread; pointers are valid until the next
 * event or roll.
 */
#ifndef ANALYZE_LIVE_LIVE_H
#define ANALYZE_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/sink.h"

enum {
	LIVE_POINTS = 600,	/* intervals that are kept: 10 minutes at 1 s */
	LIVE_WINDOW = 10,	/* intervals of which percentiles and shares are */
	LIVE_MODELS = 256,	/* rows */
	LIVE_SESSIONS = 64,	/* listed of one model */
	LIVE_OPERATORS = 32768, /* rows of nodes, of all models together */
	LIVE_PROCESSES = 1024,
	LIVE_COUNTERS = 2048,
	LIVE_NOTES = 32,
	LIVE_ENDED = 30, /* intervals for which what has ended is still listed */
};

enum live_phase { LIVE_IDLE, LIVE_CREATING, LIVE_LOADING, LIVE_SPECIALIZING, LIVE_RUNNING, LIVE_OVER };

/* One interval of a model. */
struct live_point {
	uint32_t n, n_failed;	 /* inferences that ended in it */
	uint32_t n_tokens;	 /* that generations made in it */
	uint64_t wall_ns;	 /* of these, added up */
	float median_ns, p99_ns; /* within 1.6 %; 0: none ended */
};

/* Inferences, of all time. */
struct live_sum {
	uint64_t n, n_failed, wall_ns;
};

struct live_session {
	int64_t number; /* in its process; -1: not known */
	uint64_t n, n_failed;
};

/* A node of a model, or all nodes of one type. Times are their own: without the operators inside them. */
struct live_operator {
	uint32_t name, type, provider; /* ids of names; of a type: name is 0 */
	uint64_t n, self_ns;	       /* of all time */
	uint64_t window_n, window_ns;  /* of the last LIVE_WINDOW intervals */
};

/* A model in a process, or in several (live_joined). */
struct live_model {
	uint64_t id; /* unlike that of any other row */
	uint64_t process;
	int32_t pid;
	uint32_t n_processes; /* that have not ended, or all, if all have; process and pid are of one of them */
	char process_name[64], name[200];      /* as they came: not harmless for a terminal */
	char runtime[32], runtime_version[32]; /* "onnxruntime", "1.22.0"; "": not known */
	char provider[64]; /* with most of the operators' time, else the first that was asked for; "": not known */
	enum live_phase phase;
	struct live_sum sum;
	struct live_point last; /* interval; of several processes without its percentiles */
	uint64_t max_ns;
	uint64_t window_n, median_ns, p99_ns;	     /* of the last LIVE_WINDOW intervals, within 1.6 %; 0: none */
	uint64_t n_tokens, n_generations;	     /* of all time; generations whose first token was seen */
	uint64_t window_firsts;			     /* first tokens of the same window */
	uint64_t first_token_ns, first_token_p99_ns; /* their median; 0: none */
	uint64_t n_open;			     /* inferences that run */
	uint64_t open_ns;			     /* how long the first of these has run */
	uint64_t n_not_ended;			     /* that ran when their process ended */
	uint64_t n_created, n_creations_failed, creating_ns; /* sessions; the time that this took */
	struct live_session session[LIVE_SESSIONS];	     /* that exist; not of several processes */
	uint32_t n_sessions;
	bool has_more_sessions; /* than are listed */
	const struct live_operator *node, *type;
	uint32_t n_nodes, n_types;
	struct live_operator other_nodes, other_types; /* found no room */
};

struct live_process {
	uint64_t id;
	int32_t pid;
	char name[64], command[200];
	char runtime[200];	/* "onnxruntime 1.22.0, openvino 2026.4.1"; "": none was seen */
	uint64_t n_sampled_out; /* inferences that --sample or --rate left out */
	bool is_over;
};

struct live_counter {
	uint64_t process; /* id; 0: the machine, or a device of it */
	uint32_t name, unit;
	double value; /* as of the last roll; NAN: it has stopped coming */
	double last;  /* that ever came: of those that come once, such as a limit */
};

enum live_note_kind {
	LIVE_NOTE_INFO,
	LIVE_NOTE_LOST,	  /* n: events */
	LIVE_NOTE_UNSEEN, /* what a program does cannot be seen, or a part of it, and why */
	LIVE_NOTE_MISSING /* a source of counters is missing: "npu: this machine has no NPU" */
};

/* The newest LIVE_NOTES different ones. */
struct live_note {
	enum live_note_kind kind;
	uint64_t n;	/* how often, or how many */
	char text[400]; /* not harmless for a terminal */
};

struct live_interval {
	uint64_t begin_ns, end_ns;
};

struct live;

/*
 * names and last_track: of the stream, borrowed. now_ns: when the first interval begins. NULL and err: out of memory.
 */
struct live *live_new(struct names *names, uint32_t *last_track, uint64_t now_ns, struct err *err);
struct sink *live_sink(struct live *live);
void live_free(struct live *live); /* NULL does nothing */

/* The first interval begins now: until here the recording was not under way. Nothing after the first roll. */
void live_begin(struct live *live, uint64_t now_ns);
/* The interval that began at the last roll ends. An earlier time than that of the last roll is ignored. */
void live_roll(struct live *live, uint64_t now_ns);

/* Adds a note of the caller's: a message of the recorder. Equal ones are counted. */
void live_tell(struct live *live, enum live_note_kind kind, const char *text);

/* Intervals that have ended, of all time; and the one that ended `back` rolls ago (0: the last). False: not kept. */
uint64_t live_n_intervals(const struct live *live);
bool live_interval(const struct live *live, uint32_t back, struct live_interval *interval);

uint32_t live_n_models(const struct live *live);
const struct live_model *live_model(const struct live *live, uint32_t index);
/* The one with this id; NULL: it is gone. */
const struct live_model *live_model_of(const struct live *live, uint64_t id);
/* Models of one name and runtime in the processes of one name, as one; and the ids of the models that it joins. Stay
 * until a roll.
 */
uint32_t live_n_joined(const struct live *live);
const struct live_model *live_joined(const struct live *live, uint32_t index);
uint32_t live_joined_members(const struct live *live, uint32_t index, const uint64_t **member);
/* Inferences a second in the last interval. */
double live_model_rate(const struct live *live, const struct live_model *model);
/* Tokens a second that it made in the last interval; NAN: it has never made any. */
double live_model_tokens(const struct live *live, const struct live_model *model);
/* How many of its inferences ran at a time in the last interval, on average: 1 is one after the other without pause. */
double live_model_busy(const struct live *live, const struct live_model *model);

uint32_t live_n_processes(const struct live *live);
const struct live_process *live_process(const struct live *live, uint32_t index);

/* CPUs that it may use: the least of n_all (0: not known), its affinity and the quota of its cgroup; NAN: not known. */
double live_process_usable(const struct live *live, uint64_t process, unsigned n_all);

uint32_t live_n_counters(const struct live *live);
const struct live_counter *live_counter(const struct live *live, uint32_t index);
/* By name; NULL: there is none. */
const struct live_counter *live_counter_named(const struct live *live, uint64_t process, const char *name);
/* Its value in an interval; NAN: it had none, or it is not kept. */
double live_counter_point(const struct live *live, const struct live_counter *counter, uint32_t back);

/* The newest first. */
uint32_t live_n_notes(const struct live *live);
const struct live_note *live_note(const struct live *live, uint32_t index);

struct live_totals {
	struct live_sum all;	/* every inference that ended */
	struct live_sum others; /* of models that found no room among the rows */
	struct live_sum gone;	/* of rows that were dropped after their program had ended */
	uint64_t n_events, n_lost;
	uint64_t n_unplaced;				    /* operators whose inference is not known */
	uint64_t n_outside;				    /* operators in no inference, such as constant folding */
	uint64_t n_counters_left_out, n_processes_left_out; /* no room for them: LIVE_COUNTERS, LIVE_PROCESSES */
	uint64_t n_sampled_out;
};
const struct live_totals *live_totals(const struct live *live);

#endif
