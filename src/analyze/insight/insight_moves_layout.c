// SPDX-License-Identifier: Apache-2.0
/*
 * a of b operators only reorder or convert. value: their share of the operators' time, as medians have it: a thread
 * that loses its CPU in a short operator makes it no large one. Operators that only start work on a device have a small
 * part of an inference, of which little could be saved.
 */
#include <string.h>

#include "analyze/insight/insight_in.h"

#define LEAST 0.02 /* of an inference */

extern const struct insight insight_moves_layout;

static bool only_moves(const char *type)
{
	static const char *const types[] = { "ReorderInput",   "ReorderOutput",	   "Transpose",	  "Cast",
					     "QuantizeLinear", "DequantizeLinear", "aten::copy_", "aten::_to_copy",
					     "aten::to",       "aten::contiguous", "aten::clone" };

	for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

/* PyTorch makes a tensor of each number in Python: what is that short is no data of the model. */
static bool is_of_number(const struct model_operator *op)
{
	return op->op_type && !strncmp(op->op_type, "aten::", 6) && op->p50_ns < 5000;
}

static void find(struct finder *finder)
{
	const struct model_result *result = finder->run->result;
	double moved_ns = 0, all_ns = 0, gain_ns;
	int64_t n_moves = 0;

	for (uint32_t i = 0; i < result->n_operators; i++) {
		bool moves = only_moves(result->operators[i].op_type) && !is_of_number(&result->operators[i]);

		n_moves += moves;
		all_ns += finder_typical_ns(&result->operators[i]);
		moved_ns += moves ? finder_typical_ns(&result->operators[i]) : 0;
	}
	gain_ns = finder_per_inference(finder, moved_ns);
	if (finder_has_medians(finder) && moved_ns >= 0.1 * all_ns && n_moves &&
	    !(gain_ns < LEAST * finder->run->latency.percentile[0].ns))
		finder_add_counts(finder, &insight_moves_layout, moved_ns / all_ns, n_moves, result->n_operators)
		    ->gain_ns = gain_ns;
}

static void say(const struct speaker *to)
{
	FINDING("operators that only reorder or convert data");
	EVIDENCE("%s, %s of the operators' time", speaker_counts(to).s, units_percent(to->finding->value).s);
	NEXT("up to %s per %s could be saved with one layout and type throughout",
	     units_duration(to->finding->gain_ns).s, speaker_each(to));
	if (speaker_is_of_runtime(to, "pytorch"))
		NEXT(": model and inputs of one dtype, device and memory format");
}

const struct insight insight_moves_layout = {
	.name = "moves_layout",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .value = "time_share", .a = "operators_moving", .b = "operators" },
};
