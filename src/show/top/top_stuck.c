// SPDX-License-Identifier: Apache-2.0
/* Inferences that do not end: while they run, and when their process has ended in the middle of them. */
#include "show/top/top_in.h"

enum { NAME = 40 };

/* One that still runs is no news before this time. */
static const uint64_t least_ns = 2000000000;

static bool is_stuck(const struct live_model *model)
{
	return model->open_ns >= least_ns && model->open_ns > 2 * model->max_ns;
}

static void add_process(const struct live_model *model, struct printable *to)
{
	printable_add(to, " (process %d", (int)model->pid);
	if (model->max_ns)
		printable_add(to, "; the slowest that ended took %s", units_duration((double)model->max_ns).s);
	printable_add(to, ")");
}

struct printable top_stuck_words(const struct top *top)
{
	const struct live_model *stuck = NULL, *cut = NULL;
	struct printable text = { "" };

	for (uint32_t i = 0; i < live_n_models(top->live); i++) {
		const struct live_model *model = live_model(top->live, i);

		if (is_stuck(model) && (!stuck || model->open_ns > stuck->open_ns))
			stuck = model;
		if (model->n_not_ended)
			cut = model;
	}
	if (stuck) {
		printable_add(&text, "an inference of %s has run for ", top_cells_text(top, stuck->name, NAME).s);
		printable_add(&text, "%s", units_duration((double)stuck->open_ns).s);
		add_process(stuck, &text);
	} else if (cut) {
		printable_add(&text, "%s of ", printable_count(cut->n_not_ended, "inference").s);
		printable_add(&text, "%s did not end", top_cells_text(top, cut->name, NAME).s);
		add_process(cut, &text);
	}
	return text;
}
