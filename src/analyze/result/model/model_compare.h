/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of several runs side by side, keyed by the nodes of the model's own graph. Runtimes fuse and rename nodes;
 * names tell which node is behind one in most cases:
 *
 *	/layer1/Conv                      the node itself
 *	/layer1/Conv_token_4, fused ...   the node with a decoration
 *	r1_nchwc                          made from the node that computes the value r1, and those before it down to the
 *					  type that it has
 *	swish/QuickGeluFusion/            a fusion that bears the name of its last node: with what only it reads and ran
 *					  nowhere else
 *	OpenVINO-EP-subgraph_1            names no node: a subgraph taken as a whole. If it is the only one of its run,
 *					  it is all nodes that ran nowhere else
 *
 * What cannot be joined is listed as such: nothing is guessed beyond these rules.
 */
#ifndef ANALYZE_RESULT_MODEL_MODEL_COMPARE_H
#define ANALYZE_RESULT_MODEL_MODEL_COMPARE_H

#include "analyze/result/model/model_result.h"
#include "analyze/stats/stats_ratio.h"
#include "base/arena.h"

#define MODEL_NONE UINT32_MAX

enum model_join_how {
	MODEL_NOT_RUN, /* no operator is known to be this node: folded, removed, or inside of what names do not tell */
	MODEL_SAME,    /* by its name */
	MODEL_RENAMED, /* by a decorated name, or by that of the value that it computes */
	MODEL_FUSED,   /* in an operator that another node gave its name */
	MODEL_INSIDE   /* in the only subgraph of the run, by elimination */
};

struct model_join {
	enum model_join_how how;
	uint32_t at; /* index in the result; MODEL_NONE: none */
};

/*
 * One row: a node of the model, or (node == MODEL_NONE) operators that no node is known for. Nodes of the same name in
 * several models share a row.
 */
struct model_row {
	uint32_t node;			 /* index in the nodes of `model` */
	const struct model_facts *model; /* the first that has it */
	const char *name, *op_type;
	struct model_join *join;   /* one for each result */
	struct stats_ratio *speed; /* mean of the first result by that of this one, of an item; only between operators
				      of this node alone */
	double weight_ns; /* largest typical time (model_typical_ns) over the results: rows are in this order */
};

/* Operators of one type (as the runtime calls it) in all results. */
struct model_type_row {
	const char *op_type;
	uint32_t *n_operators; /* for each result */
	double *share_ns;      /* per inference; NAN: none of this type */
	double weight_ns;
};

/* How far the nodes of the model are accounted for in one result. */
struct model_reach {
	uint32_t n_joined, n_not_run; /* nodes of the model: known to have run, or not */
	uint32_t n_constant;	      /* of those not known to have run: depend on no input, or on shapes alone, so they
					 need not */
	uint32_t n_unjoined;	      /* operators that no node is known for */
	const char *own_provider;     /* the provider asked for, as its operators call it; NULL: none ran on it */
	uint32_t n_own_nodes, n_other_nodes; /* nodes of the model, by where they ran */
	double own_ns, other_ns;	     /* time of operators */
};

struct model_comparison {
	struct model_row *rows;
	struct model_type_row *types;
	struct model_reach *reach; /* for each result */
	struct model_join **join;  /* for each result and node of its own model */
	uint32_t **node_of; /* for each result and operator: the node of its own model that names it, or MODEL_NONE */
	uint32_t **n_nodes_of; /* for each result and operator: how many nodes it is */
	uint32_t **kernel_of;  /* for each result and kernel: the node that its name tells, or MODEL_NONE */
	uint32_t n_rows, n_types;
};

/* 0, or -ENOMEM. */
int model_compare(struct model_comparison *comparison, const struct model_report *report, struct arena *arena);

/* The time of an operator in a typical inference: the median of its calls, as often as an inference calls it. NAN:
 * none. */
double model_typical_ns(const struct model_result *result, const struct model_operator *op);

/* The provider that a run was to use; NULL: not known, or any. */
const char *model_asked(const struct model_result *result);

/*
 * The nodes of the models of all runs of a report, and which are the same in several models: those of one name, and in
 * one file that was run with several shapes those of one place. Quantizing a node may add "_quant" to its name.
 */
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
