/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of the models of all runs of a report, and which are the same in several models: those of one name, and in
 * one file that was run with several shapes those of one place. Quantizing a node may add "_quant" to its name.
 */
#ifndef ANALYZE_RESULT_MODEL_NODES_H
#define ANALYZE_RESULT_MODEL_NODES_H

#include "analyze/result/model/model_result.h"
#include "base/arena.h"

struct model_spot {
	const struct model_facts *model;
	uint32_t node;	 /* of the model */
	uint32_t leader; /* index of the first that is the same node; its own */
	uint32_t row;	 /* for the caller; MODEL_NONE */
};

struct model_nodes {
	struct model_spot *spot; /* model after model */
	uint32_t n;
};

/* 0, or -ENOMEM. The report is borrowed; the rest lies in the arena. */
int model_nodes_find(struct model_nodes *nodes, const struct model_report *report, struct arena *arena);

#endif
