// SPDX-License-Identifier: Apache-2.0
#include "capture/stacks/stack_language.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Programs by their whole name, libraries by the beginning of theirs. */
static const struct language {
	const char *module, *name;
	bool is_program;
} languages[] = {
	{ "libpypy", "PyPy", false },	{ "node", "JavaScript", true },	    { "nodejs", "JavaScript", true },
	{ "bun", "JavaScript", true },	{ "deno", "JavaScript", true },	    { "libnode.so", "JavaScript", false },
	{ "libjvm.so", "Java", false }, { "libcoreclr.so", ".NET", false }, { "libmonosgen-", ".NET", false },
	{ "libruby", "Ruby", false },	{ "ruby", "Ruby", true },	    { "libphp", "PHP", false },
	{ "beam.smp", "Erlang", true }, { "libR.so", "R", false },	    { "libjulia-internal", "Julia", false },
};

const char *stack_language_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
		const struct language *language = &languages[i];

		if (language->is_program ? !strcmp(name, language->module)
					 : !strncmp(name, language->module, strlen(language->module)))
			return language->name;
	}
	return NULL;
}

bool stack_language_is_read(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "libpython", 9) || !strncmp(name, "python", 6) || !strncmp(name, "libnode.so", 10) ||
	       !strncmp(name, "libjvm.so", 9);
}
