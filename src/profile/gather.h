/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that makes samples of events: whole inferences, each with what is inside it, and the programs that they are
 * of. Keeps what belongs to inferences that are open, or that its owner has not taken yet, and nothing else. One
 * thread.
 */
#ifndef PROFILE_GATHER_H
#define PROFILE_GATHER_H

#include "base/array.h"
#include "capture/decode/sessions.h"
#include "event/sink.h"

enum { GATHER_ARGS = 24, GATHER_NOTE = 300 };

/* A slice, complete or not. */
struct gather_slice {
	enum event_kind kind;
	uint32_t name, track;
	uint64_t begin_ns, end_ns;
	size_t n_args;
	struct arg args[GATHER_ARGS];
};

/* A session that lives, or a model that a program annotates: what reports can be had of. */
struct gather_program {
	uint32_t process;      /* track of its process */
	uint32_t number;       /* of the session in the process; 0: an annotated model */
	uint32_t model;	       /* id of its name */
	uint32_t n_inferences; /* that were handed over */
	uint64_t object;       /* the runtime's session object; 0: not known */
	uint64_t came_ns;      /* when it was created, if the owner is still to be told; else 0 */
	uint64_t gone_ns;      /* when it was released; 0: it lives */
};

/* An inference. Valid during the call that hands it over. */
struct sample {
	struct gather_slice run, setup; /* setup.kind KIND_NONE: not known */
	struct array parts; /* struct gather_slice, inside it: operators, kernels, stages; in the order of ends */
	struct gather_program program;
};

/* What the owner is told, in the order of time. */
struct gather_calls {
	void (*take)(void *ctx, const struct sample *sample); /* an inference that was seen whole has ended */
	/*
	 * came: a session was created, or seen for the first time; is_new: the former. gone: it was released, and is
	 * not among the programs any more; time_ns: when. Either may be NULL.
	 */
	void (*came)(void *ctx, const struct gather_program *program, bool is_new);
	void (*gone)(void *ctx, const struct gather_program *program, uint64_t time_ns);
	void *ctx;
};

struct gather {
	struct sink sink;
	uint32_t own_track;
	bool owns_names;
	bool with_parts; /* somebody wants operators; kernels and stages come anyway */
	struct gather_calls calls;
	const struct sessions *sessions;	     /* that have the objects; NULL: objects are not known */
	struct array tracks;			     /* struct gather_track, by number */
	struct array runs;			     /* struct gather_run: parts of inferences that have not ended */
	size_t first_run;			     /* those before it are over */
	struct array ended;			     /* struct sample, that were not handed over */
	struct array programs;			     /* struct gather_program, by process and number */
	size_t n_untold;			     /* of them */
	uint64_t n_lost;			     /* records */
	uint32_t created, released, runtime, exited; /* ids of topics of notes */
	char note[GATHER_NOTE]; /* of the first runtime whose inferences are not seen, in words; "": none */
};

/* names, last_track: of the stream; NULL: of its own. false: out of memory. */
bool gather_init(struct gather *gather, struct names *names, uint32_t *last_track);
/* Hands over what has ended, and who has gone, until then. */
void gather_advance(struct gather *gather, uint64_t until_ns);
void gather_done(struct gather *gather);
/* NULL: the track is not defined. */
const struct track_def *gather_track(const struct gather *gather, uint32_t track);
/* Whether a session with this model's name lives, or such a model is annotated. */
bool gather_lives(const struct gather *gather, uint32_t model);

#endif
