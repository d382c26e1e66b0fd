// SPDX-License-Identifier: Apache-2.0
/*
 * Its inputs have shapes of their own: the first with them, or one of too few for a median of their own. Where most
 * inferences have new shapes, that is nothing special.
 */
#include "analyze/result/input_sizes.h"
#include "analyze/why/why_in.h"

extern const struct why_cause why_input_shape;

enum { SHAPE = 40 };

/* others: shapes that most inferences have. */
static void say_input(const struct why_case *why, struct printable *words, const char *others)
{
	const char *shapes = names_text(why->summary->names, why->slow->shapes);

	printable_add(words, " (%s%s)", input_sizes_name(shapes, others, SHAPE).s,
		      why->slow->is_new_shape ? ", for the first time" : "");
}

/* One of its inputs has another size than most inferences have. */
static bool take_input(struct why_case *why)
{
	const struct summary_tally *most;
	double ratio = input_sizes_ratio_of(why->summary, why->model, why->slow, &most);
	struct printable *words;

	if (ratio < WHY_OTHER_SIZE)
		return false;
	words = why_take(why, &why_input_shape, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, INFINITY);
	if (!words)
		return false;
	printable_add(words, "as an input has %s times as many elements as in %s of %s inferences",
		      units_decimal(ratio).s, units_count(most->n).s, units_count(why->model->runs.n).s);
	if (why->of_work_ns > 0)
		printable_add(words, ", with the waits for a CPU of so much work");
	say_input(why, words, names_text(why->summary->names, most->text));
	return true;
}

/* Its size is that of too few for a median of their own, and far from the usual one. */
static bool take_size(struct why_case *why)
{
	const struct summary_size *usual = input_sizes_usual(why->summary, why->model);
	double ratio = usual ? (double)why->slow->elements / (double)usual->elements : 0;
	struct printable *words;

	if (!(ratio > 0) || (ratio < WHY_OTHER_SIZE && ratio > 1 / WHY_OTHER_SIZE))
		return false;
	words = why_take(why, &why_input_shape, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, INFINITY);
	if (!words)
		return true;
	if (ratio > 1)
		printable_add(words, "as its inputs have %s times as many elements as most", units_decimal(ratio).s);
	else /* fewer elements take longer where a cache is empty */
		printable_add(words, "with inputs of another size than most");
	say_input(why, words, names_text(why->summary->names, usual->shapes));
	return true;
}

static void find(struct why_case *why)
{
	const struct summary_slow *slow = why->slow;
	bool is_rare = slow->is_new_shape || (slow->shapes && slow->n_shapes > 1);
	struct printable *words;

	if (slow->usual.is_of_shape || take_input(why) || slow->usual.is_of_size || take_size(why))
		return;
	if (!is_rare || 4 * slow->n_shapes > why->model->runs.n || 2 * slow->n_of_shape > why->model->runs.n)
		return;
	words = why_take(why, &why_input_shape, POOLS_BLOCKED | POOLS_CPU | POOLS_ANY, INFINITY);
	if (!words)
		return;
	printable_add(words, "with other input shapes (%s, ", why_name(why, slow->shapes, 0).s);
	if (slow->is_new_shape)
		printable_add(words, "for the first time)");
	else
		printable_add(words, "as %s of %s inferences)", units_count(slow->n_of_shape).s,
			      units_count(why->model->runs.n).s);
}

const struct why_cause why_input_shape = {
	"input_shape", "other input shapes",
	"pad inputs to a few sizes, and run an inference of each before the first request", find
};
