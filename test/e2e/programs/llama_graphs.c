// SPDX-License-Identifier: Apache-2.0
/* Stands in for ggml_backend_sched_graph_compute_async, lists the nodes of each graph, and passes it on. */
#include <stdio.h>

struct ggml_cgraph;
struct ggml_tensor;

typedef int compute_function(void *sched, struct ggml_cgraph *graph);

static compute_function *real;
static int (*n_nodes)(struct ggml_cgraph *graph);
static struct ggml_tensor *(*node)(struct ggml_cgraph *graph, int at);
static const char *(*describe)(const struct ggml_tensor *tensor);
static const char *(*name)(const struct ggml_tensor *tensor);
static FILE *out;

void graphs_start(const char *path, void *compute, void *count, void *get, void *op, void *get_name)
{
	real = (compute_function *)compute;
	n_nodes = (int (*)(struct ggml_cgraph *))count;
	node = (struct ggml_tensor * (*)(struct ggml_cgraph *, int)) get;
	describe = (const char *(*)(const struct ggml_tensor *))op;
	name = (const char *(*)(const struct ggml_tensor *))get_name;
	out = fopen(path, "w");
}

int ggml_backend_sched_graph_compute_async(void *sched, struct ggml_cgraph *graph)
{
	for (int i = 0; i < n_nodes(graph); i++)
		fprintf(out, "%s\t%s\n", describe(node(graph, i)), name(node(graph, i)));
	fprintf(out, "\n");
	fflush(out);
	return real(sched, graph);
}
