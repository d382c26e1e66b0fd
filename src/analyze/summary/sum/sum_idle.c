// SPDX-License-Identifier: Apache-2.0
/*
 * Providers that a session was asked to use and that ran none of its nodes: the silent fall back to the CPU. Says
 * nothing where no operators were recorded.
 */
#include <errno.h>
#include <string.h>

#include "analyze/summary/sum_in.h"

static struct summary_model *model_at(const struct end *end, uint32_t index)
{
	return (struct summary_model *)end->models.data + index;
}

/* The CPU is always there for what others leave: if it had nothing to do, all is well. */
static bool has_run(const struct array *ran, const struct names *names, const struct summary_model *model,
		    const char *name, size_t len)
{
	static const char cpu[] = "CPUExecutionProvider";
	const struct summary_provider *ran_on = (struct summary_provider *)ran->data + model->ran_on.first;

	for (uint32_t i = 0; i < model->ran_on.n; i++)
		if (names_len(names, ran_on[i].provider) == len &&
		    !memcmp(names_text(names, ran_on[i].provider), name, len))
			return true;
	return len == sizeof cpu - 1 && !memcmp(name, cpu, len);
}

/* Behind the comma that ends an item; options in brackets may hold commas of their own. */
static const char *next_item(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		if (strchr("([{", *text))
			depth++;
		else if (strchr(")]}", *text))
			depth--;
		else if (*text == ',' && depth <= 0)
			return text + 1;
	}
	return text;
}

static int take_model(struct end *end, const struct names *names, uint32_t index)
{
	struct summary_model *model = model_at(end, index);
	const char *all = names_text(names, model->providers);

	model->idle.first = (uint32_t)end->idle.n;
	for (const char *item = all; *item; item = next_item(item)) {
		struct summary_idle *idle;
		size_t len;

		item += strspn(item, " ");
		len = strcspn(item, " ,([{:");
		if (!len || has_run(&end->ran_on, names, model, item, len))
			continue;
		idle = array_add(&end->idle, sizeof *idle);
		if (!idle)
			return -ENOMEM;
		*idle = (struct summary_idle){ index, (uint32_t)(item - all), (uint32_t)len };
		model->idle.n++;
	}
	return 0;
}

int sum_idle_make(struct summary_maker *maker, struct end *end)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < end->models.n; i++)
		if (model_at(end, i)->ran_on.n)
			rc = take_model(end, maker->names, i);
	return rc;
}
