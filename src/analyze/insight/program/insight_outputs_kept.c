// SPDX-License-Identifier: Apache-2.0
/* What inferences took is not given back: when the last one ends, about as many blocks of earlier ones are in use as
 * there were inferences. a: blocks; b: inferences; value: bytes in use for each inference; low: all of them. */
#include "analyze/insight/insight_in.h"
#include "analyze/result/model/model_memory.h"

extern const struct insight insight_outputs_kept;

enum { FEWEST = 32 };

static void find(struct finder *finder)
{
	const struct model_memory *memory = finder->run->result->memory;
	struct finding *to;

	if (!memory || memory->n_runs < FEWEST || memory->n_blocks < FEWEST)
		return;
	to = finder_add_counts(finder, &insight_outputs_kept, (double)memory->blocks_bytes / (double)memory->n_runs,
			       memory->n_blocks, memory->n_runs);
	to->low = (double)memory->blocks_bytes;
}

static void say(const struct speaker *to)
{
	FINDING("outputs of inferences are not given back");
	EVIDENCE("%s of earlier ones in use, in %s, when the last of %s ended", units_bytes(to->finding->low).s,
		 printable_count((uint64_t)to->finding->a, "block").s,
		 printable_count((uint64_t)to->finding->b, "inference").s);
	NEXT("release each output once it was used: memory grows by %s an inference",
	     units_bytes(to->finding->value).s);
}

const struct insight insight_outputs_kept = {
	.name = "outputs_kept",
	.severity = INSIGHT_WRONG,
	.find = find,
	.say = say,
	.figures = { .value = "bytes_per_inference", .a = "blocks", .b = "inferences", .low = "kept_bytes" },
};
