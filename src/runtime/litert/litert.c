// SPDX-License-Identifier: Apache-2.0
/* Recognises the parts of TensorFlow Lite in a module. Knows no version number: no module holds it. */
#include "runtime/litert/litert.h"

static int n_slots(const struct rtti *rtti, uint64_t table)
{
	enum { MOST = 32 };
	uint64_t word;
	int n = 0;

	/* a file's own addresses may begin with 0 */
	while (table && n < MOST && (word = image_word(rtti->image, table + 8 * (uint64_t)n)) &&
	       image_has(rtti->image, word, IMAGE_X))
		n++;
	return n;
}

struct litert_info litert_find_info(const struct rtti *rtti)
{
	enum { OLD = 11, BETWEEN = 12, NEW = 13 };
	uint64_t table = rtti_table(rtti, "N6tflite15InterpreterInfoE");
	int n = n_slots(rtti, table);

	/* since 2.11 it also returns all tensors, since 2.12 a node's registration */
	if (n == OLD)
		return (struct litert_info){ table, 4, 6, 8 };
	if (n == BETWEEN)
		return (struct litert_info){ table, 5, 7, 9 };
	if (n == NEW)
		return (struct litert_info){ table, 5, 7, 10 };
	return (struct litert_info){ .table = 0 };
}

void litert_find_functions(uint64_t function[N_LITERT_FUNCTIONS], const struct eh_frame *frames)
{
	enum { TEXTS = 5 };
	static const struct {
		enum litert_function function;
		const char *text;
	} known[TEXTS] = {
		{ LITERT_BUILD, "Model provided is schema version" },
		{ LITERT_DELEGATE, "Failed to apply the default TensorFlow Lite " },
		{ LITERT_DELEGATE, "Ignoring failed application of the default TensorFlow Lite " },
		{ LITERT_ALLOCATE, "AllocateTensors() called on inconsistent model" },
		{ LITERT_INVOKE, "Invoke called on model that is not ready" },
	};
	struct text_anchor anchors[TEXTS] = { 0 };

	for (int i = 0; i < TEXTS; i++)
		anchors[i].text = known[i].text;
	text_anchor_find(anchors, TEXTS, frames);
	for (int i = 0; i < N_LITERT_FUNCTIONS; i++)
		function[i] = 0;
	for (int i = 0; i < TEXTS; i++)
		/* a compiler may move rare paths to a part of their own */
		if (anchors[i].n_functions == 1 && !eh_frame_is_part(frames, &anchors[i].function[0]))
			function[known[i].function] = anchors[i].function[0].start;
}
