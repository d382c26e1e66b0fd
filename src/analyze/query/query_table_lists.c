// SPDX-License-Identifier: Apache-2.0
/* Tables that are lists of the summary: the figures of reports. Their columns are in analyze/columns. */
#include "analyze/query/query_in.h"

const struct query_table query_table_processes = {
	.name = "processes",
	.what = "Processes that were recorded.",
	.rows = QUERY_LIST,
	.list = &columns_processes,
};

const struct query_table query_table_runtimes = {
	.name = "runtimes",
	.what = "Runtimes in the processes.",
	.rows = QUERY_LIST,
	.list = &columns_runtimes,
};

const struct query_table query_table_other_runtimes = {
	.name = "other_runtimes",
	.what = "Runtimes in the processes whose inferences are not recorded.",
	.rows = QUERY_LIST,
	.list = &columns_other_runtimes,
};

const struct query_table query_table_device_clocks = {
	.name = "device_clocks",
	.what = "How good the times of kernels are, for each process that has any.",
	.rows = QUERY_LIST,
	.list = &columns_device_clocks,
};

const struct query_table query_table_models = {
	.name = "models",
	.what = "Models that were loaded or run.",
	.rows = QUERY_LIST,
	.list = &columns_models,
};

const struct query_table query_table_sessions = {
	.name = "sessions",
	.what = "Loaded instances of models, and how their creation went.",
	.rows = QUERY_LIST,
	.list = &columns_sessions,
};

const struct query_table query_table_inference_stats = {
	.name = "inference_stats",
	.what = "The inferences of each model in figures: those of the report.",
	.rows = QUERY_LIST,
	.list = &columns_inference_stats,
};

const struct query_table query_table_sizes = {
	.name = "sizes",
	.what =
	    "Latency by the size of the inputs, where their shapes are known. Inputs of one size have about as many "
	    "elements (within a quarter of an octave), and each input has about the same share of them (to a power "
	    "of two). If a model has more than 64 such sizes, the elements of all inputs alone make a size. Each "
	    "inference that counts and whose shapes are known is in one size.",
	.rows = QUERY_LIST,
	.list = &columns_sizes,
};

const struct query_table query_table_operator_stats = {
	.name = "operator_stats",
	.what = "Each node of each model in figures: those of the report.",
	.rows = QUERY_LIST,
	.list = &columns_nodes,
};

const struct query_table query_table_operator_types = {
	.name = "operator_types",
	.what = "Each type of operator of each model in figures: those of the report.",
	.rows = QUERY_LIST,
	.list = &columns_types,
};

const struct query_table query_table_outside = {
	.name = "outside",
	.what = "What threads did while no model ran, as trees: those of the report.",
	.rows = QUERY_LIST,
	.list = &columns_outside,
};

const struct query_table query_table_requests = {
	.name = "requests",
	.what = "Slices of the program's own in which their threads ran inferences, by name; and the slowest of each.",
	.rows = QUERY_LIST,
	.list = &columns_requests,
};

const struct query_table query_table_request_parts = {
	.name = "request_parts",
	.what = "What threads did in these outside of inferences.",
	.rows = QUERY_LIST,
	.list = &columns_request_parts,
};

const struct query_table query_table_generations = {
	.name = "generations",
	.what = "Requests to decoders: a prompt that went in, and the tokens that came out, one inference after the "
		"other. The first 16,384 are listed.",
	.rows = QUERY_LIST,
	.list = &columns_generations,
};

const struct query_table query_table_tokens = {
	.name = "tokens",
	.what = "Tokens of these generations, or of each of their sequences: the first 1,048,576.",
	.rows = QUERY_LIST,
	.list = &columns_tokens,
};

const struct query_table query_table_token_lengths = {
	.name = "token_lengths",
	.what = "Time between tokens by the length of the cache, within a quarter of an octave.",
	.rows = QUERY_LIST,
	.list = &columns_token_lengths,
};
