// SPDX-License-Identifier: Apache-2.0
/* A comparison as members of a JSON object, doc/diff-json.md. What is not known is null; fields are only ever added. */
#include "show/json/json_diff.h"

#include "show/words/diff/diff_words.h"

static void put_value(struct json *json, const char *key, const struct diff_value *value)
{
	json_object(json, key);
	json_real(json, "base", value->base);
	json_real(json, "new", value->fresh);
	json_real(json, "change", value->change);
	json_real(json, "low", value->low);
	json_real(json, "high", value->high);
	json_real(json, "p_adjusted", value->p);
	json_text(json, "says", diff_says_key(value->says));
	json_count(json, "runs_of_base", value->n_base);
	json_count(json, "runs_of_new", value->n_fresh);
	json_end(json, '}');
}

static void put_side(struct json *json, const char *key, const struct diff_side *side)
{
	json_array(json, key);
	for (uint32_t i = 0; i < side->n_runs; i++) {
		const struct diff_run *run = &side->runs[i];

		json_object(json, NULL);
		json_text(json, "file", run->path);
		json_bool(json, "is_result", run->source == DIFF_OF_RESULT);
		json_known(json, "start_realtime_ns", run->start_realtime_ns);
		for (int k = 0; k < N_DIFF_FACTS; k++)
			json_text(json, diff_facts[k], run->fact[k]);
		json_real(json, "busy", run->busy);
		json_array(json, "notes");
		for (uint32_t k = 0; k < run->n_notes; k++)
			json_text(json, NULL, run->notes[k]);
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_operator(struct json *json, const char *key, const struct diff_operator *op)
{
	json_object(json, key);
	json_text(json, "name", op->name);
	json_text(json, "node", op->node);
	json_text(json, "op_type", op->op_type);
	json_text(json, "provider", op->provider);
	json_text(json, "shapes", op->shapes);
	json_real(json, "calls", op->calls);
	json_real(json, "median_ns", op->median_ns);
	json_real(json, "lower_quartile_ns", op->typical_ns);
	json_real(json, "device_ns", op->device_ns);
	json_end(json, '}');
}

static void put_rows(struct json *json, const struct diff_pair *pair)
{
	static const char *const joins[] = { "name", "node", "order" };

	json_text(json, "operators_missing", pair->no_operators);
	json_array(json, "operators");
	for (uint32_t i = 0; i < pair->n_rows; i++) {
		const struct diff_row *row = &pair->rows[i];

		json_object(json, NULL);
		json_text(json, "joined_by", joins[row->join]);
		put_value(json, "time_ns", &row->value);
		json_real(json, "extra_ns", row->extra_ns);
		json_count(json, "others", row->n_peers);
		json_real(json, "others_change", row->peers_change);
		put_operator(json, "base", row->base);
		put_operator(json, "new", row->fresh);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_array(json, "operators_only_in_base");
	for (uint32_t i = 0; i < pair->n_only_base; i++)
		put_operator(json, NULL, pair->only_base[i]);
	json_end(json, ']');
	json_array(json, "operators_only_in_new");
	for (uint32_t i = 0; i < pair->n_only_fresh; i++)
		put_operator(json, NULL, pair->only_fresh[i]);
	json_end(json, ']');
}

static void put_sizes(struct json *json, const struct diff_pair *pair)
{
	json_bool(json, "mix_of_sizes_changed", pair->moved);
	json_array(json, "sizes");
	for (uint32_t i = 0; i < pair->n_sizes; i++) {
		const struct diff_size_row *row = &pair->sizes[i];

		json_object(json, NULL);
		json_text(json, "shapes", row->any->shapes);
		json_real(json, "elements", row->any->elements);
		json_count(json, "inferences_of_base", row->n_base);
		json_count(json, "inferences_of_new", row->n_fresh);
		json_real(json, "base_p50_ns", row->base_p50_ns);
		json_real(json, "new_p50_ns", row->fresh_p50_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_pair(struct json *json, const struct diff_pair *pair)
{
	json_object(json, NULL);
	json_text(json, "base_name", pair->base->name);
	json_text(json, "new_name", pair->fresh->name);
	json_text(json, "base_runtime", pair->base->runtime);
	json_text(json, "new_runtime", pair->fresh->runtime);
	json_text(json, "base_provider", pair->base->provider);
	json_text(json, "new_provider", pair->fresh->provider);
	json_text(json, "base_options", pair->base->options);
	json_text(json, "new_options", pair->fresh->options);
	json_text(json, "base_work", pair->base->work);
	json_text(json, "new_work", pair->fresh->work);
	json_text(json, "base_caller", pair->base->caller);
	json_text(json, "new_caller", pair->fresh->caller);
	json_count(json, "inferences_of_base", pair->n_base);
	json_count(json, "inferences_of_new", pair->n_fresh);
	json_count(json, "not_ended_of_base", pair->n_open_base);
	json_count(json, "not_ended_of_new", pair->n_open_fresh);
	json_text(json, "not_judged", pair->no_verdict);
	json_real(json, "longer_by_waiting_ns", pair->waits_ns);
	json_text(json, "headline", diff_figure_name((int)diff_headline(pair)).key);
	json_object(json, "figures");
	for (int i = 0; i < DIFF_PHASE; i++)
		put_value(json, diff_figure_name(i).key, &pair->value[i]);
	json_end(json, '}');
	json_object(json, "phases");
	for (int i = DIFF_PHASE; i < N_DIFF_FIGURES; i++)
		put_value(json, diff_figure_name(i).key, &pair->value[i]);
	json_end(json, '}');
	put_sizes(json, pair);
	put_rows(json, pair);
	json_end(json, '}');
}

static void put_unpaired(struct json *json, const char *key, const struct diff_model *const *models, uint32_t n)
{
	json_array(json, key);
	for (uint32_t i = 0; i < n; i++)
		json_text(json, NULL, models[i]->name);
	json_end(json, ']');
}

static void put_resources(struct json *json, const struct diff *diff)
{
	json_array(json, "resources");
	for (uint32_t i = 0; i < diff->n_resources; i++) {
		const struct diff_resource_row *row = &diff->resources[i];

		json_object(json, NULL);
		json_text(json, "scope", row->scope);
		json_text(json, "name", row->name);
		json_text(json, "unit", row->unit);
		json_count(json, "processes_of_base", row->n_base);
		json_count(json, "processes_of_new", row->n_fresh);
		put_value(json, "mean", &row->mean);
		put_value(json, "max", &row->max);
		put_value(json, "last", &row->last);
		json_end(json, '}');
	}
	json_end(json, ']');
}

void json_diff(struct json *json, const struct diff *diff)
{
	json_text(json, "verdict", diff_verdict(diff, false).s);
	json_text(json, "says", diff_says_key(diff->says));
	json_bool(json, "is_regression", diff->is_regression);
	json_text(json, "not_judged", diff->no_verdict);
	json_real(json, "confidence", DIFF_CONFIDENCE);
	json_real(json, "threshold", diff->opts.threshold);
	json_real(json, "minimum", diff->opts.minimum);
	json_count(json, "tested", diff->n_tested);
	json_bool(json, "is_busy", diff->is_busy);
	json_bool(json, "is_paired", diff->is_paired);
	put_side(json, "base", &diff->base);
	put_side(json, "new", &diff->fresh);
	json_array(json, "differing");
	for (int i = 0; i < N_DIFF_FACTS; i++)
		if (diff->fact_differs[i])
			json_text(json, NULL, diff_facts[i]);
	json_end(json, ']');
	json_array(json, "models");
	for (uint32_t i = 0; i < diff->n_pairs; i++)
		put_pair(json, &diff->pairs[i]);
	json_end(json, ']');
	put_unpaired(json, "models_only_in_base", diff->only_base, diff->n_only_base);
	put_unpaired(json, "models_only_in_new", diff->only_fresh, diff->n_only_fresh);
	put_resources(json, diff);
}
