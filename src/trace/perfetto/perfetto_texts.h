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
#include "event/sample.h"
#include "trace/perfetto/perfetto_map.h"
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

/*
 * Samples of stacks in a recording: PerfSample packets with interned callstacks, so that the Perfetto UI draws its
 * flame graph from them. What Perfetto has no field for is in fields of our own, which it passes over. All samples of a
 * writer are on one packet sequence.
 */
/* What the sequence of a writer has defined. Numbers in the file are those of names and callstacks. Zeroed: nothing. */
struct perfetto_samples {
	struct perfetto_seen functions, paths, sources, mappings, frames, stacks;
	struct perfetto_map threads; /* (pid, tid): 1 + name */
};

enum { PERFETTO_SAMPLE_ROOM = 160 };

/* Defines what the sample uses. 0, or -1 and the error of texts->out. pid: of its process. */
int perfetto_samples_tell(struct perfetto_samples *samples, struct perfetto_texts *texts, struct perfetto_told *told,
			  uint32_t sequence, const struct event_sample *sample, int32_t pid);
/* The fields of a packet with it, in PERFETTO_SAMPLE_ROOM bytes. */
uint8_t *perfetto_samples_put(uint8_t *at, const struct perfetto_texts *texts, const struct event_sample *sample,
			      int32_t pid);
void perfetto_samples_done(struct perfetto_samples *samples);

/* Reading. */

struct reader;
struct sequence;
struct pb_in;

/* Takes the parts of interned data that define stacks. 0 or -1 and err. */
int perfetto_samples_intern(struct reader *reader, struct sequence *sequence, struct pb_in in);
/* A PerfSample of this time. The same results. */
int perfetto_samples_read(struct reader *reader, struct sequence *sequence, uint64_t time_ns, struct pb_in in);

#endif
