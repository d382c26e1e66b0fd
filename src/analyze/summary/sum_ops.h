/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of a summary in the making: those that wait with their inference, and what they add up to. */
#ifndef ANALYZE_SUMMARY_SUM_OPS_H
#define ANALYZE_SUMMARY_SUM_OPS_H

#include "analyze/stats/stats.h"
#include "analyze/store/keys.h"
#include "analyze/summary/summary.h"
#include "base/array.h"
#include "event/names.h"

enum {
	OP_FAILED = 1 << 24,
	OP_LEAF = 1 << 25,
	OP_PARENT = 1 << 26,
	OP_SETUP = 1 << 27,
	OP_HALTED = 1 << 28,
	OP_TRACK = OP_FAILED - 1
};

/* An operator of an inference in the window, or a setup slice. */
struct op {
	uint64_t begin_ns, end_ns;
	uint64_t inside_ns;	/* operators inside */
	int64_t bytes;		/* -1: unknown */
	int64_t allocated;	/* -1: nothing, or unknown */
	uint32_t kind;		/* index: name, type, provider */
	uint32_t shapes, track; /* track: with OP_ flags */
};

enum { OPS_IN_BLOCK = 30 };

struct ops {
	uint32_t first, last; /* blocks, + 1 */
	uint32_t n;
};

struct ops_block {
	struct op op[OPS_IN_BLOCK];
	uint32_t n, next; /* next: + 1 */
};

/* Operators with the same name, type and provider. */
struct op_kind {
	uint32_t name, op_type, provider;
	uint32_t place, group; /* of the last one */
};

struct op_memo {
	uint32_t op_type, provider, kind; /* kind: + 1 */
};

/* Of an inference that is summed up while it runs: where it belongs is known at its end. */
#define WHERE_PARTS N_WHERE

struct place {
	uint32_t process, bucket; /* WHERE_PARTS: the inference's place in the window */
	enum summary_where where;
};

/* Operators of one kind in one place. */
struct group {
	struct summary_operator facts; /* process, model: those of the place */
	uint32_t track;		       /* the first one that had such an operator, and when */
	uint64_t first_ns;
	struct stats durations;
};

/* Where operators wait, and what they add up to. */
/* What an operator of this type with these shapes reads; bytes -1: not known. */
struct matrix {
	uint32_t shapes, op_type;
	int64_t bytes;
};

struct operators {
	struct names *names; /* borrowed */
	struct array blocks; /* struct ops_block */
	uint32_t free, n;    /* n: operators that wait */
	struct keys kind_keys, place_keys, group_keys;
	struct array kinds, memo, places, groups; /* memo: by name */
	struct array outside;			  /* struct outside: a ring of those in no inference */
	size_t outside_at;
	struct matrix matrix; /* of the last operator */
	uint64_t n_seen;
	bool keeps_all; /* durations one by one, as far as stats can */
};

struct outside {
	struct op op;
	uint32_t process;
};

/* The index of a place, or of a group of operators of one kind in it; NONE, -ENOMEM: out of memory. */
uint32_t sum_operators_place(struct operators *to, const struct place *place);
int sum_operators_group(struct operators *to, uint32_t at, const struct op *op, uint32_t *index);
/* All but the durations. */
void sum_operators_merge(struct group *to, const struct group *from);

static inline struct group *group_at(const struct operators *operators, uint32_t index)
{
	return (struct group *)operators->groups.data + index;
}

static inline struct ops_block *block_at(const struct operators *operators, uint32_t number)
{
	return (struct ops_block *)operators->blocks.data + number - 1;
}

#endif
