// SPDX-License-Identifier: Apache-2.0
/* One interval as a JSON object on one line (doc/top.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/json.h"
#include "base/text/provider.h"
#include "show/top/top_in.h"

enum { OPERATORS = 20 };

static void put_sum(struct json *json, const struct live_sum *sum)
{
	json_count(json, "inferences", sum->n);
	json_count(json, "failed", sum->n_failed);
	json_count(json, "wall_ns", sum->wall_ns);
}

static void put_known_ns(struct json *json, const char *key, uint64_t ns)
{
	json_known(json, key, ns ? (int64_t)ns : -1);
}

static void put_operators(const struct top *top, struct json *json, const struct live_model *model)
{
	struct top of_nodes = *top;
	const struct live_operator **list;
	int n;

	of_nodes.is_by_type = false;
	list = top_operators_sort(&of_nodes, model, &n);
	json_array(json, "operators");
	for (int i = 0; i < n && i < OPERATORS; i++) {
		json_object(json, NULL);
		json_text(json, "name", names_text(top->names, list[i]->name));
		json_text(json, "op_type", names_text(top->names, list[i]->type));
		json_text(json, "provider", names_text(top->names, list[i]->provider));
		json_bool(json, "is_deferred", provider_is_deferred(names_text(top->names, list[i]->provider)));
		json_count(json, "calls", list[i]->n);
		json_count(json, "self_ns", list[i]->self_ns);
		json_count(json, "window_calls", list[i]->window_n);
		json_count(json, "window_self_ns", list[i]->window_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_int(json, "operators_left_out", n > OPERATORS ? n - OPERATORS : 0);
}

static void put_model(const struct top *top, struct json *json, const struct top_row *row)
{
	const struct live_model *model = row->model;

	json_object(json, NULL);
	json_known(json, "pid", model->n_processes > 1 ? -1 : model->pid);
	json_count(json, "processes", model->n_processes);
	json_text(json, "program", model->process_name);
	json_text(json, "model", model->name);
	json_text(json, "runtime", *model->runtime ? model->runtime : NULL);
	json_text(json, "runtime_version", *model->runtime_version ? model->runtime_version : NULL);
	json_text(json, "provider", *model->provider ? model->provider : NULL);
	json_text(json, "phase", top_cells_phase(model->phase));
	json_real(json, "inferences_per_s", row->rate);
	json_real(json, "sampled", row->sampled);
	json_real(json, "busy", row->busy);
	json_real(json, "process_cpu_percent", row->cpu);
	json_int(json, "interval_inferences", model->last.n);
	json_int(json, "interval_failed", model->last.n_failed);
	json_count(json, "window_inferences", model->window_n);
	put_known_ns(json, "median_ns", model->median_ns);
	put_known_ns(json, "p99_ns", model->p99_ns);
	put_known_ns(json, "max_ns", model->max_ns);
	json_real(json, "tokens_per_s", row->tokens);
	json_known(json, "tokens", model->n_tokens ? (int64_t)model->n_tokens : -1);
	json_known(json, "generations", model->n_tokens ? (int64_t)model->n_generations : -1);
	put_known_ns(json, "first_token_ns", model->first_token_ns);
	put_known_ns(json, "first_token_p99_ns", model->first_token_p99_ns);
	put_sum(json, &model->sum);
	json_count(json, "running", model->n_open);
	json_count(json, "running_ns", model->open_ns);
	json_count(json, "not_ended", model->n_not_ended);
	json_int(json, "sessions", model->n_sessions);
	json_count(json, "sessions_created", model->n_created);
	json_count(json, "sessions_failed", model->n_creations_failed);
	json_count(json, "creating_ns", model->creating_ns);
	put_operators(top, json, model);
	json_end(json, '}');
}

static void put_processes(const struct top *top, struct json *json)
{
	json_array(json, "processes");
	for (uint32_t i = 0; i < live_n_processes(top->live); i++) {
		const struct live_process *process = live_process(top->live, i);

		json_object(json, NULL);
		json_int(json, "pid", process->pid);
		json_text(json, "program", process->name);
		json_text(json, "command", process->command);
		json_text(json, "runtime", *process->runtime ? process->runtime : NULL);
		json_count(json, "inferences_sampled_out", process->n_sampled_out);
		json_real(json, "usable_cpus", live_process_usable(top->live, process->id, top->n_cpus));
		json_bool(json, "ended", process->is_over);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static int32_t pid_of(const struct top *top, uint64_t process)
{
	for (uint32_t i = 0; i < live_n_processes(top->live); i++)
		if (live_process(top->live, i)->id == process)
			return live_process(top->live, i)->pid;
	return -1;
}

static void put_counters(const struct top *top, struct json *json)
{
	json_array(json, "counters");
	for (uint32_t i = 0; i < live_n_counters(top->live); i++) {
		const struct live_counter *counter = live_counter(top->live, i);

		json_object(json, NULL);
		json_known(json, "pid", counter->process ? pid_of(top, counter->process) : -1);
		json_text(json, "name", names_text(top->names, counter->name));
		json_text(json, "unit", names_text(top->names, counter->unit));
		json_real(json, "value", counter->value);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_notes(const struct top *top, struct json *json)
{
	static const char *const kinds[] = { [LIVE_NOTE_INFO] = "message",
					     [LIVE_NOTE_LOST] = "lost",
					     [LIVE_NOTE_UNSEEN] = "not seen",
					     [LIVE_NOTE_MISSING] = "missing" };

	json_array(json, "notes");
	for (uint32_t i = 0; i < live_n_notes(top->live); i++) {
		const struct live_note *note = live_note(top->live, i);

		json_object(json, NULL);
		json_text(json, "kind", kinds[note->kind]);
		json_count(json, "count", note->n);
		json_text(json, "text", note->text);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_totals(const struct top *top, struct json *json)
{
	const struct live_totals *totals = live_totals(top->live);

	json_object(json, "total");
	put_sum(json, &totals->all);
	json_end(json, '}');
	json_object(json, "other_models");
	put_sum(json, &totals->others);
	json_end(json, '}');
	json_object(json, "ended_programs");
	put_sum(json, &totals->gone);
	json_end(json, '}');
	json_count(json, "lost", totals->n_lost);
	json_count(json, "inferences_sampled_out", totals->n_sampled_out);
	json_count(json, "operators_unplaced", totals->n_unplaced);
	json_count(json, "operators_outside", totals->n_outside);
	json_count(json, "processes_left_out", totals->n_processes_left_out);
	json_count(json, "counters_left_out", totals->n_counters_left_out);
	json_real(json, "own_cpu", top->cost.cpu);
	json_known(json, "own_bytes", top->cost.bytes ? (int64_t)top->cost.bytes : -1);
}

static void put_all(struct top *top, struct json *json, uint64_t time_ns)
{
	static struct top_rows list;
	struct live_interval last = { 0 };

	top_rows_make(top, &list);
	live_interval(top->live, 0, &last);
	json_object(json, NULL);
	json_count(json, "time_ns", time_ns);
	json_count(json, "interval_ns", last.end_ns - last.begin_ns);
	json_array(json, "models");
	for (int i = 0; i < list.n; i++)
		put_model(top, json, &list.row[i]);
	json_end(json, ']');
	json_int(json, "models_hidden", list.n_hidden);
	json_known(json, "cpus", top->n_cpus ? (int64_t)top->n_cpus : -1);
	put_processes(top, json);
	put_counters(top, json);
	put_totals(top, json);
	put_notes(top, json);
	json_end(json, '}');
	json_done(json);
}

/* The writer breaks lines and indents by tabs or spaces between values; texts hold no line break. */
static void put_on_one_line(const char *text, FILE *out)
{
	for (const char *at = text; *at; at++) {
		if (*at != '\n') {
			fputc(*at, out);
			continue;
		}
		while (at[1] == ' ' || at[1] == '\t')
			at++;
	}
	fputc('\n', out);
}

void top_print_json(struct top *top, FILE *out, uint64_t time_ns)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct json json;

	if (!memory)
		return;
	json_init(&json, memory);
	put_all(top, &json, time_ns);
	if (!fclose(memory))
		put_on_one_line(text, out);
	free(text);
}
