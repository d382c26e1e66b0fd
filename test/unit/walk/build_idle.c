// SPDX-License-Identifier: Apache-2.0
/*
 * Providers requested for a session that ran none of its nodes: silent fallback to the CPU. Finds nothing if no
 * operators were recorded.
 */
#include <errno.h>
#include <string.h>

#include "walk.h"

static struct summary_model *model_at(const struct build *build, uint32_t index)
{
	return (struct summary_model *)build->models.data + index;
}

/* The CPU always takes the remaining nodes, so it may have none. */
static bool has_run(const struct build *build, const struct summary_model *model, const char *name, size_t len)
{
	static const char cpu[] = "CPUExecutionProvider";
	const struct summary_provider *ran_on = (struct summary_provider *)build->ran_on.data + model->ran_on.first;

	for (uint32_t i = 0; i < model->ran_on.n; i++)
		if (names_len(build->names, ran_on[i].provider) == len &&
		    !memcmp(names_text(build->names, ran_on[i].provider), name, len))
			return true;
	return len == sizeof cpu - 1 && !memcmp(name, cpu, len);
}

/* After the comma that ends an item; options in brackets may contain commas. */
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

static int take_model(struct build *build, uint32_t index)
{
	struct summary_model *model = model_at(build, index);
	const char *all = names_text(build->names, model->providers);

	model->idle.first = (uint32_t)build->idle.n;
	for (const char *item = all; *item; item = next_item(item)) {
		struct summary_idle *idle;
		size_t len;

		item += strspn(item, " ");
		len = strcspn(item, " ,([{:");
		if (!len || has_run(build, model, item, len))
			continue;
		idle = array_add(&build->idle, sizeof *idle);
		if (!idle)
			return -ENOMEM;
		*idle = (struct summary_idle){ index, (uint32_t)(item - all), (uint32_t)len };
		model->idle.n++;
	}
	return 0;
}

int build_idle(struct build *build)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < build->models.n; i++)
		if (model_at(build, i)->ran_on.n)
			rc = take_model(build, i);
	return rc;
}
