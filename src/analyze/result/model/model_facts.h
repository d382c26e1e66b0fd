/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a model without running it, for the shapes that were run. The rules of model_result.h hold. */
#ifndef ANALYZE_RESULT_MODEL_FACTS_H
#define ANALYZE_RESULT_MODEL_FACTS_H

#include <stdint.h>
#include <string.h>

/*
 * A node of the model's own graph, before any optimisation, for the shapes that were run. The names of its values
 * are how nodes that a runtime has fused and renamed are found again.
 */
struct model_node {
	const char *name, *op_type;
	const char *const *inputs, *const *outputs; /* "": left out; weights may be left out of inputs */
	uint32_t n_inputs, n_outputs;
	int64_t flops, bytes; /* of one inference; bytes: read and written, weights too */
};

/* An input or output. */
struct model_value {
	const char *name, *type, *shape; /* "data", "float32", "1x3x224x224" */
};

struct model_facts {
	const char *path, *name;
	const char *producer, *opset; /* "pytorch 2.1", "ai.onnx 17" */
	const char *graph_missing;    /* why all below but file_bytes is unknown; NULL: the graph was read */
	int64_t file_bytes;	      /* with external data */
	int64_t n_parameters, weight_bytes;
	int64_t read_bytes; /* of the weights that an inference reads as a whole: not tables that it looks rows up in */
	int64_t flops, bytes;	   /* of one inference: what is known of all nodes together */
	int64_t n_unknown;	   /* nodes whose FLOPs are not known */
	int64_t n_nodes, n_inside; /* of the graph; and in the subgraphs of these */
	const struct model_node *nodes;
	const struct model_value *inputs, *outputs;
	uint32_t n_listed, n_inputs, n_outputs; /* elements of the three arrays */
};

static inline void model_facts_init(struct model_facts *model)
{
	memset(model, 0, sizeof *model);
	model->file_bytes = model->n_parameters = model->weight_bytes = model->read_bytes = model->flops =
	    model->bytes = -1;
	model->n_unknown = model->n_nodes = model->n_inside = -1;
}

#endif
