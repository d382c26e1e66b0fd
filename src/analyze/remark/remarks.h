/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is missing from a recording, and what is wrong with it: a sentence each. Every format takes them from here, so
 * that none leaves one out. Contains no cost (cost_words.h), and nothing of single models.
 */
#ifndef ANALYZE_REMARK_REMARKS_H
#define ANALYZE_REMARK_REMARKS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

struct remark {
	const char *kind; /* "lost", "left_out": doc/report-json.md lists them */
	bool is_loss;	  /* events are missing that were to be recorded, or the file is damaged */
	struct printable text;
};

struct remarks {
	const struct summary *summary;
	bool is_running; /* the file is still being written */
	bool is_ascii;
	uint32_t n_most;  /* of one kind; 0: all */
	const char *more; /* the hint behind the number of those beyond n_most: ": --all" */
};

/* Places of remarks; at some there is none, and the text is "". */
size_t remarks_count(const struct summary *summary);
struct remark remarks_at(const struct remarks *of, size_t place);

/* Gives each remark but lost events, which pages show as a table. Returns how many there are. */
typedef void remarks_put(void *to, const struct remark *remark);
size_t remarks_give(const struct remarks *of, remarks_put *put, void *to);

/* Whether anything was lost, in a sentence. */
const char *remarks_headline(const struct summary *summary);

/* The kinds, by number; NULL: there are no more. */
const char *remarks_kind(size_t number);

#endif
