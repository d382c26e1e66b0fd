/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of stacks in a recording: PerfSample packets with interned callstacks, so that the Perfetto UI draws its
 * flame graph from them. What Perfetto has no field for is in fields of our own, which it passes over. All samples of a
 * writer are on one packet sequence.
 */
#ifndef TRACE_PERFETTO_PERFETTO_SAMPLES_H
#define TRACE_PERFETTO_PERFETTO_SAMPLES_H

#include "event/sample.h"
#include "trace/perfetto/perfetto_map.h"
#include "trace/perfetto/perfetto_texts.h"

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
