// SPDX-License-Identifier: Apache-2.0
/* Names in a result, for people. Knows no finding and no page. */
#include "analyze/result/result_words.h"

#include <string.h>

#include "base/text/provider.h"

struct printable model_text(const char *text, int columns, bool is_ascii)
{
	size_t len = text ? strlen(text) : 0;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	return len ? printable_text(text, len, columns, is_ascii) : (struct printable){ "-" };
}

struct printable model_provider(const char *name, int columns, bool is_ascii)
{
	size_t len = name ? provider_length(name, strlen(name)) : 0;

	return len ? printable_text(name, len, columns, is_ascii) : (struct printable){ "-" };
}

struct printable model_against(const char *label, int columns, bool is_ascii)
{
	struct printable to = { "those " };

	if (label && !strcmp(label, "expected"))
		printable_add(&to, "expected");
	else
		printable_add(&to, "of %s", model_text(label, columns, is_ascii).s);
	return to;
}

static const struct step {
	const char *name, *words, *task;
} steps[] = {
	{ "load-runtime", "runtime loaded", "load the runtime" },
	{ "environment", "environment made", "make the runtime's environment" },
	{ "libraries", "libraries loaded", "load the provider's library" },
	{ "session", "session created", "create the session" },
	{ "inputs", "inputs made", "make the inputs" },
	{ "first", "first inference", "run the first inference" },
	{ "warm-up", "warm-up", "warm up" },
	{ "steady", "steady phase", "run the measured inferences" },
	{ "unload", "all released", "release the session" },
};

static const struct step *step_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof steps / sizeof *steps; i++)
		if (!strcmp(steps[i].name, name))
			return &steps[i];
	return NULL;
}

const char *model_step_words(const char *step, bool is_of_tokens)
{
	const struct step *found = step_of(step);

	if (is_of_tokens && !strcmp(step, "first"))
		return "first generations";
	return found ? found->words : step;
}

const char *model_step_task(const char *step)
{
	const struct step *found = step_of(step);

	return found ? found->task : NULL;
}
