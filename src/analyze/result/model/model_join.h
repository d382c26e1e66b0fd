/* SPDX-License-Identifier: Apache-2.0 */
/* Which node of the model an operator is: the rules of model_compare.h, one result at a time. */
#ifndef ANALYZE_RESULT_MODEL_JOIN_H
#define ANALYZE_RESULT_MODEL_JOIN_H

#include "analyze/result/model/model_compare.h"

struct model_index; /* texts and the nodes that they belong to, sorted */

struct model_graph {
	const struct model_node *nodes;
	uint32_t n_nodes;
	struct model_index *by_name, *by_output, *by_input;
	struct model_index *inputs; /* of the model */
	uint32_t n_by_name, n_by_output, n_by_input, n_inputs;
	bool *is_constant; /* of each node: depends on no input of the model, so it need not run */
	bool *is_fixed;	   /* the same with the shapes of inputs, which are fixed where all of them are given */
};

/* 0, or -ENOMEM. facts is borrowed. */
int model_graph_of(struct model_graph *graph, const struct model_facts *facts, struct arena *arena);

/* The node whose name that is, or that with the decorations of a runtime; MODEL_NONE: none. */
uint32_t model_join_name(const struct model_graph *graph, const char *name);

/* Takes what runtimes add to the name of a node ("_nchwc", "fused ") off the text. false: nothing was to be taken off.
 */
bool model_join_undecorate(char *name);

/*
 * join: one for each node, node_of and n_nodes_of: one for each operator of the result; all zeroed. n_nodes_of stays 0
 * for an operator that no node is known for.
 */
void model_join_result(const struct model_graph *graph, const struct model_result *result, struct model_join *join,
		       uint32_t *node_of, uint32_t *n_nodes_of);

#endif
