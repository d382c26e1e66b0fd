/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers that stand for texts in a recording. Texts are numbered in the order of first use, separately for names
 * of events and for values of arguments; each is defined on a sequence before its first use there. Categories and
 * argument names use the numbers of enum event_kind and enum event_key. For perfetto_write.c; writes no events.
 */
#ifndef TRACE_PERFETTO_PERFETTO_TEXTS_H
#define TRACE_PERFETTO_PERFETTO_TEXTS_H

#include "event/event.h"
#include "event/names.h"
#include "trace/perfetto/perfetto_out.h"

struct perfetto_seen {
	uint64_t *bits;
	uint32_t n_words;
};

/* The texts that a sequence has defined. */
struct perfetto_told {
	struct perfetto_seen names, values; /* by number */
	uint64_t keys[(N_KEYS + 63) / 64];
	uint32_t kinds;
};

/* Numbers of texts; index: id in names; 0: none yet. */
struct perfetto_numbers {
	uint32_t *of;
	uint32_t n, last;
};

struct perfetto_texts {
	struct perfetto_out *out; /* borrowed, as texts */
	struct names *texts;
	struct perfetto_numbers names, values;
};

/* 1: the number was not in it; 0: it was; -1: out of memory. */
int perfetto_seen_add(struct perfetto_seen *seen, uint32_t number);
void perfetto_seen_done(struct perfetto_seen *seen);
/* Defines what the event uses and the sequence (its number in the file) has not defined yet. 0, or -1 and out->err. */
int perfetto_texts_tell(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence,
			const struct event *event);
/* The same for one text, as the value of an argument; and its number. */
int perfetto_texts_tell_value(struct perfetto_texts *texts, struct perfetto_told *told, uint32_t sequence, uint32_t id);
static inline uint32_t perfetto_texts_value(const struct perfetto_texts *texts, uint32_t id)
{
	return id < texts->values.n ? texts->values.of[id] : 0;
}
void perfetto_texts_done(struct perfetto_texts *texts);
void perfetto_told_done(struct perfetto_told *told);

/* Flows have fields of their own. */
static inline bool perfetto_is_flow(const struct arg *arg)
{
	return (arg->key == KEY_FLOW || arg->key == KEY_FLOW_END) && arg->type == ARG_INT;
}

static inline bool perfetto_is_annotation(const struct arg *arg)
{
	return arg->key && arg->key < N_KEYS && arg->key != KEY_FLOW && arg->key != KEY_FLOW_END;
}

static inline bool perfetto_is_key_told(const struct perfetto_told *told, uint32_t key)
{
	return told->keys[key / 64] >> key % 64 & 1;
}

#endif
