// SPDX-License-Identifier: Apache-2.0
/* Operators of one run, and what its provider ran inside of them. Nodes beside each other: export_model_json.c. */
#include "base/text/provider.h"
#include "show/json/json_in.h"
#include "show/words/model/model_words.h"

static const char *bound_key(enum model_bound_by by)
{
	return by == MODEL_BOUND_UNKNOWN ? NULL : model_bound_words(by);
}

static void put_operator(struct json *json, const struct model_analysis *analysis, uint32_t r, uint32_t i)
{
	const struct model_operator *op = &analysis->report->results[r].operators[i];
	const struct model_bound *bound = &analysis->runs[r].bounds[i];
	uint32_t node = analysis->comparison.node_of[r][i];

	json_object(json, NULL);
	json_text(json, "name", op->name);
	json_text(json, "op_type", op->op_type);
	json_text(json, "provider", op->provider);
	json_text(json, "shapes", op->shapes);
	json_count(json, "calls", op->n);
	json_real(json, "mean_ns", op->mean_ns);
	json_real(json, "mean_interval_95_ns", op->interval_ns);
	json_real(json, "p50_ns", op->p50_ns);
	json_real(json, "share_ns", op->share_ns);
	json_text(json, "node", node == MODEL_NONE ? NULL : model_facts_of(analysis->report, r)->nodes[node].name);
	json_int(json, "nodes", analysis->comparison.n_nodes_of[r][i]);
	json_real(json, "flops_per_second", bound->flops_per_s);
	json_real(json, "bytes_per_second", bound->bytes_per_s);
	json_real(json, "flops_per_byte", bound->intensity);
	json_text(json, "bound_by", bound_key(bound->by));
	json_real(json, "share_of_possible", bound->share);
	json_end(json, '}');
}

void json_model_operators(struct json *json, const struct model_analysis *analysis, uint32_t r)
{
	const struct model_result *result = &analysis->report->results[r];
	const struct model_reach *reach = &analysis->comparison.reach[r];

	json_text(json, "operators_missing", result->operators_missing);
	json_object(json, "operators");
	json_known(json, "inferences", result->n_operator_runs);
	json_real(json, "wall_ns", result->operators_wall_ns);
	json_real(json, "unattributed_ns", result->unattributed_ns);
	json_int(json, "model_nodes_found", reach->n_joined);
	json_int(json, "model_nodes_not_found", reach->n_not_run - reach->n_constant);
	json_int(json, "model_nodes_constant", reach->n_constant);
	json_int(json, "model_nodes_on_provider", reach->n_own_nodes);
	json_int(json, "model_nodes_elsewhere", reach->n_other_nodes);
	json_array(json, "providers");
	for (uint32_t i = 0; i < result->n_placements; i++) {
		json_object(json, NULL);
		json_text(json, "provider", result->placements[i].provider);
		json_known(json, "operators", result->placements[i].n_nodes);
		json_known(json, "calls", result->placements[i].n_calls);
		json_real(json, "share_ns", result->placements[i].share_ns);
		json_bool(json, "is_deferred", provider_is_deferred(result->placements[i].provider));
		json_end(json, '}');
	}
	json_end(json, ']');
	json_array(json, "list");
	for (uint32_t i = 0; i < result->n_operators; i++)
		put_operator(json, analysis, r, i);
	json_end(json, ']');
	json_end(json, '}');
}

void json_model_kernels(struct json *json, const struct model_analysis *analysis, uint32_t r)
{
	const struct model_result *result = &analysis->report->results[r];

	json_text(json, "kernels_missing", result->kernels_missing);
	if (!result->n_kernels) {
		json_null(json, "kernels");
		return;
	}
	json_object(json, "kernels");
	json_text(json, "source", result->kernels_source);
	json_text(json, "note", result->kernels_note);
	json_known(json, "executions", result->n_kernel_runs);
	json_known(json, "in_recording", result->n_kernel_slices);
	json_array(json, "list");
	for (uint32_t i = 0; i < result->n_kernels; i++) {
		const struct model_kernel *kernel = &result->kernels[i];
		uint32_t node = analysis->comparison.kernel_of[r][i];

		json_object(json, NULL);
		json_text(json, "name", kernel->name);
		json_bool(json, "is_whole", kernel->is_whole);
		json_text(json, "op_type", kernel->op_type);
		json_text(json, "implementation", kernel->implementation);
		json_text(json, "source_ops", kernel->source_ops);
		json_text(json, "node",
			  node == MODEL_NONE ? NULL : model_facts_of(analysis->report, r)->nodes[node].name);
		json_known(json, "calls", kernel->n);
		json_real(json, "total_ns", kernel->time_ns);
		json_known(json, "cycles", kernel->cycles);
		json_real(json, "share", kernel->share);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}
