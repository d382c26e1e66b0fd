/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of thinning and of its dumps. */
#ifndef CAPTURE_RECORDER_THIN_THIN_IN_H
#define CAPTURE_RECORDER_THIN_THIN_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "event/sink.h"

/*
 * When a dump is made: "p99>50ms", "max>1s", "mean>20ms", "error", "signal", with commas between several. For
 * dump_when.c, which watches inferences.
 */
enum { DUMP_RULES = 16 };

enum dump_rule_kind { DUMP_QUANTILE, DUMP_MAX, DUMP_MEAN, DUMP_ERROR, DUMP_SIGNAL };

struct dump_rule {
	enum dump_rule_kind kind;
	double share; /* of a quantile: 0.99 */
	uint64_t limit_ns;
	char name[16]; /* "p99" */
};

struct dump_rules {
	struct dump_rule rule[DUMP_RULES];
	size_t n;
};

/* Adds the rules of a text. 0; or -EINVAL and err, with the character (from 1) and what was expected there. */
int dump_rules_add(struct dump_rules *rules, const char *text, struct err *err);

/*
 * How much is to be thinned out: so much that the recording fits on the disk for `horizon_ns`, at the rate at which it
 * grows. N doubles with each look until it does, and halves when it would do with twice as much, too. The first
 * `whole_bytes` of a recording keep all operators, so that a short one is whole at any rate. For thin.c.
 */
#define THIN_LOOK_NS UINT64_C(1000000000)

struct thin_pace {
	uint64_t horizon_ns, whole_bytes;
	uint64_t looked_ns, looked_bytes; /* at the last look; 0: none yet */
	double rate;			  /* bytes a second, of the last few looks */
};

/* What the disk has to offer. */
struct thin_room {
	uint64_t left_bytes; /* may still be written; UINT64_MAX: it is not known */
	uint64_t kept_bytes; /* that will be dropped by the time horizon_ns is over */
};

/* N for now; n_bytes: written so far. Looks once a second, and returns `every` in between. */
uint32_t thin_pace_look(struct thin_pace *pace, uint64_t now_ns, uint64_t n_bytes, const struct thin_room *room,
			uint32_t every);

/*
 * What decides about the operators of an inference that has ended: its duration among those of its model in the same
 * minute, and its turn. Each model counts its own turns, so that programs that run two by turns keep both. For thin.c.
 */
enum { THIN_SLOWEST = 20, THIN_MODELS = 256 };

#define THIN_WINDOW_NS UINT64_C(60000000000)

struct thin_model {
	uint64_t key; /* process and model; 0: a free place */
	uint64_t n;   /* inferences that had their turn */
	uint64_t window_ns;
	uint64_t slowest_ns[THIN_SLOWEST]; /* of the window, in any order */
	uint32_t n_slowest;
};

/* The last one counts all models that have found no place. */
struct thin_models {
	struct thin_model model[THIN_MODELS + 1];
};

struct thin_model *thin_models_find(struct thin_models *models, uint32_t process, uint32_t name);
/* The process is over. */
void thin_models_forget(struct thin_models *models, uint32_t process);
/* Whether an inference that ended then is one of the slowest so far. */
bool thin_model_is_slow(struct thin_model *model, uint64_t end_ns, uint64_t duration_ns);
/* Whether it is the turn of this one. */
static inline bool thin_model_is_turn(struct thin_model *model, uint32_t every)
{
	return model->n++ % every == 0;
}

/*
 * The events of one track that wait for a decision, in their order. A group is an operator with everything inside it,
 * or a single event that only waits for its turn. For thin.c.
 */
struct thin_group {
	uint64_t key; /* of the inference; 0: it waits for nothing */
	uint64_t time_ns;
	uint32_t n_bytes;
};

struct thin_queue {
	uint8_t *data;
	size_t begin, end, size; /* bytes */
	size_t last;		 /* where the last group begins */
};

/* Begins a group; thin_queue_add adds events to it. 0, or -ENOMEM. */
int thin_queue_open(struct thin_queue *queue, uint64_t key, uint64_t time_ns);
int thin_queue_add(struct thin_queue *queue, const struct event *event);
/* The first group; NULL: there is none. Valid until the queue changes. */
const struct thin_group *thin_queue_first(const struct thin_queue *queue);
/* Whether the first is the last. */
bool thin_queue_is_single(const struct thin_queue *queue);
/* Takes the first group out, and puts its events into `out` unless that is NULL. 0, or what the sink returned. */
int thin_queue_take(struct thin_queue *queue, uint32_t track, struct sink *out, struct err *err);
void thin_queue_done(struct thin_queue *queue);

static inline size_t thin_queue_bytes(const struct thin_queue *queue)
{
	return queue->end - queue->begin;
}

#endif
