/* SPDX-License-Identifier: Apache-2.0 */
/* What ort_profile*.c share: one event as it stands in the file. */
#ifndef TRACE_IMPORT_ORT_PROFILE_IN_H
#define TRACE_IMPORT_ORT_PROFILE_IN_H

#include "base/text/json_read.h"
#include "trace/import/ort_profile.h"
#include "trace/perfetto/perfetto_map.h"

/* Spans point into the file. A span without start: the event does not have it. */
struct ort_profile_line {
	struct json_span category, name;
	struct json_span op_type, provider, operator, implementation, stream;
	struct json_span inputs, outputs; /* arrays, with their brackets */
	int64_t ts, dur, bytes;		  /* -1: unknown */
	int32_t pid, tid;
	uint64_t correlation;
	bool has_memory; /* a mem_* argument: version 1.28 or later */
	bool is_json;	 /* it is JSON, and its texts are escaped */
};

enum { ORT_PROFILE_TEXTS = 4096 };

/* A text that was seen before. */
struct ort_profile_text {
	const char *at;
	uint32_t len, use, id;
};

/* Ids of texts, without looking them up in the names each time. Zeroed. */
struct ort_profile_texts {
	struct ort_profile_text slot[ORT_PROFILE_TEXTS];
	struct perfetto_map joined; /* ids of input and output shapes: id of both */
	bool is_escaped, is_raw;    /* whether names in this file are escaped, once one shows it */
	bool has_memory;
};

void ort_profile_line_clear(struct ort_profile_line *line);
/* Takes one argument: value is a text without its quotes, or an array with its brackets. */
void ort_profile_take_arg(struct ort_profile_line *line, struct json_span key, struct json_span value, bool is_text);

/*
 * Reads an event exactly as the runtime writes it, at `at`, where it begins with '{'. Quotes inside of texts do not
 * confuse it. Where it ends; NULL: it is written otherwise, or not complete.
 */
const char *ort_profile_quick(const char *at, const char *end, struct ort_profile_line *line);

/* Shapes of inputs and outputs in the form of recordings, float32[64x256]->float32[64x8]; 0: none, or too long. */
uint32_t ort_profile_shapes(struct ort_profile_texts *texts, struct names *names, const struct ort_profile_line *line);
/* The id of the text, cached. use: 0 and ids that were made of the text otherwise do not mix. */
uint32_t ort_profile_text(struct ort_profile_texts *texts, struct names *names, struct json_span span);
/* The same, of a name, which newer versions escape. */
uint32_t ort_profile_name(struct ort_profile_texts *texts, struct names *names, struct json_span span, bool is_json);

/*
 * Events of ONNX Runtime's profile in the order in which they began, and which operator launched which kernel. Works on
 * the events that are in memory; puts none.
 */
struct ort_profile_entry {
	struct ort_profile_event event;
	uint32_t at;   /* in the file, from 0 */
	uint32_t flow; /* operators and their kernels: the operator's place in the file, from 1; 0: none, or unknown */
};

/* Sorts by begin, outer slices first. An operator of zero length comes before the next one, not inside it. */
void ort_profile_sort(struct ort_profile_entry *entries, size_t n);
/*
 * Sets the flow of kernels that have none, and of their operators, among sorted entries. false: out of memory, and
 * some may have none.
 *
 * A kernel belongs to the operator that its correlation id names: the absolute begin of that operator. Without one, it
 * belongs to the last operator of its name that began before it.
 */
bool ort_profile_attach(struct ort_profile_entry *entries, size_t n);

#endif
