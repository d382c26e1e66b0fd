// SPDX-License-Identifier: Apache-2.0
/* The member "memory": what processes had together, and what the runtime's allocators gave to each session. */
#include <math.h>

#include "analyze/result/joint_memory.h"
#include "show/json/json_in.h"
#include "show/words/memory_words.h"

static void put_holders(struct json_summary *to, const char *key, const struct summary_holder *holders, uint32_t n)
{
	json_array(&to->json, key);
	for (uint32_t i = 0; i < n; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "name", holders[i].name);
		json_summary_name(to, "op_type", holders[i].op_type);
		json_summary_name(to, "shapes", holders[i].shapes);
		json_known(&to->json, "bytes", holders[i].bytes);
		json_known(&to->json, "blocks", holders[i].n);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_uses(struct json_summary *to, const struct summary_memory *memory)
{
	json_array(&to->json, "at_peak");
	for (uint32_t i = 0; i < memory->n_uses; i++) {
		json_object(&to->json, NULL);
		json_summary_name(to, "for", memory->use[i].name);
		json_known(&to->json, "bytes", memory->use[i].bytes);
		json_end(&to->json, '}');
	}
	json_end(&to->json, ']');
}

static void put_session(struct json_summary *to, const struct summary_memory *memory)
{
	json_object(&to->json, NULL);
	json_summary_process(to, memory->process);
	json_known(&to->json, "session", memory->session ? memory->session : -1);
	json_summary_name(to, "model", memory->name);
	json_summary_name(to, "device", memory->device);
	json_bool(&to->json, "is_released", memory->is_released);
	json_known(&to->json, "inferences", memory->n_runs);
	json_known(&to->json, "peak_bytes", memory->peak);
	put_uses(to, memory);
	json_known(&to->json, "operators_peak_bytes", memory->operators_peak);
	json_known(&to->json, "operators_at_peak", memory->n_operators);
	put_holders(to, "largest_operators", memory->holder, memory->n_holders);
	json_known(&to->json, "in_use_bytes", memory->in_use);
	json_known(&to->json, "weights_bytes", memory->weights);
	json_known(&to->json, "packed_bytes", memory->packed);
	json_known(&to->json, "creation_bytes", memory->creation);
	json_known(&to->json, "inferences_bytes", memory->runs);
	json_known(&to->json, "inferences_blocks", memory->n_run_blocks);
	json_known(&to->json, "other_bytes", memory->others);
	json_known(&to->json, "left_bytes", memory->is_released ? memory->left : -1);
	json_known(&to->json, "last_inference_bytes", memory->n_run_ends > 0 ? memory->at_run_end : -1);
	json_known(&to->json, "last_inference_blocks", memory->n_run_ends > 0 ? memory->n_at_run_end : -1);
	json_known(&to->json, "earlier_inferences_bytes", memory->n_run_ends > 0 ? memory->kept : -1);
	json_known(&to->json, "earlier_inferences_blocks", memory->n_run_ends > 0 ? memory->n_kept : -1);
	json_known(&to->json, "arenas_peak_bytes", memory->held_peak);
	json_known(&to->json, "arenas_bytes", memory->held);
	json_known(&to->json, "outside_arenas_bytes", memory->direct);
	json_known(&to->json, "arena_growths", memory->n_growths);
	json_known(&to->json, "arena_reserves", memory->n_reserves);
	json_known(&to->json, "allocations", memory->n_allocs);
	json_known(&to->json, "allocated_bytes", memory->allocated);
	json_known(&to->json, "frees", memory->n_frees);
	json_end(&to->json, '}');
}

static void put_process(struct json_summary *to, uint32_t index)
{
	const struct summary_resident *resident = &to->summary->processes[index].resident;

	json_object(&to->json, NULL);
	json_summary_process(to, index);
	json_real(&to->json, "resident_bytes", resident->last);
	json_real(&to->json, "taken_by_allocators_bytes", resident->taken);
	json_real(&to->json, "malloc_in_use_bytes", resident->in_use);
	json_real(&to->json, "malloc_free_bytes", resident->kept);
	json_real(&to->json, "resident_max_bytes", resident->most);
	json_real(&to->json, "taken_by_allocators_then_bytes", resident->taken_at_most);
	json_real(&to->json, "malloc_in_use_then_bytes", resident->in_use_at_most);
	json_real(&to->json, "malloc_free_then_bytes", resident->kept_at_most);
	json_end(&to->json, '}');
}

/* Of the processes that lived at one time. */
static void put_together(struct json_summary *to)
{
	struct joint_memory rss = joint_memory_of(to->summary, "rss", NULL);
	struct joint_memory pss = joint_memory_of(to->summary, "pss", NULL);

	json_object(&to->json, "together");
	json_count(&to->json, "processes", rss.n_processes);
	json_real(&to->json, "peak_bytes", rss.n_all ? rss.bytes : NAN);
	json_real(&to->json, "pss_bytes", pss.n_all ? pss.bytes : NAN);
	json_count(&to->json, "pss_values", pss.n_values);
	json_end(&to->json, '}');
}

void json_memory(struct json_summary *to)
{
	const struct summary *summary = to->summary;
	struct printable missing = memory_missing(summary), doubt[MEMORY_DOUBTS];
	unsigned n_doubts = memory_doubts(summary, doubt);

	json_object(&to->json, "memory");
	json_text(&to->json, "missing", *missing.s ? missing.s : NULL);
	json_array(&to->json, "doubts");
	for (unsigned i = 0; i < n_doubts && !*missing.s; i++)
		json_text(&to->json, NULL, doubt[i].s);
	json_end(&to->json, ']');
	put_together(to);
	json_array(&to->json, "sessions");
	for (uint32_t i = 0; i < summary->n_memory; i++)
		if (summary->memory[i].model == SUMMARY_NONE || report_shows(to->report, summary->memory[i].model))
			put_session(to, &summary->memory[i]);
	json_end(&to->json, ']');
	json_count(&to->json, "sessions_not_listed", summary->n_memory_left_out);
	json_array(&to->json, "processes");
	for (uint32_t i = 0; i < summary->n_processes && summary->n_memory; i++)
		if (!isnan(summary->processes[i].resident.taken))
			put_process(to, i);
	json_end(&to->json, ']');
	json_end(&to->json, '}');
}
