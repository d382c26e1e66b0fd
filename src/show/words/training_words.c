// SPDX-License-Identifier: Apache-2.0
#include "show/words/training_words.h"

#include "base/text/units.h"

struct printable training_words(const struct summary_model *model)
{
	const struct summary_training *training = &model->training;
	struct printable words = { "" };

	if (!training->n_passes)
		return words;
	if (training->n_runs < model->runs.n)
		printable_add(&words, "%s of %s went into ", units_count(training->n_runs).s,
			      printable_count(model->runs.n, "inference").s);
	else
		printable_add(&words, "all inferences went into ");
	printable_add(&words, "%s, ", printable_count(training->n_passes, "backward pass").s);
	printable_add(&words, "%s each", units_duration((double)training->passes_ns / (double)training->n_passes).s);
	return words;
}

struct printable training_count(const struct summary_model *model)
{
	struct printable words = { "" };

	if (model->training.n_runs >= model->runs.n && model->training.n_runs)
		printable_add(&words, " (all of training)");
	else if (model->training.n_runs)
		printable_add(&words, " (%s of training)", units_count(model->training.n_runs).s);
	return words;
}
