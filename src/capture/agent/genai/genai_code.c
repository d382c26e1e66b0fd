// SPDX-License-Identifier: Apache-2.0
/* The agent's code for onnxruntime-genai: replaces imports of modules that call it, and what programs look up. */
#include <string.h>

#include "capture/agent/arm/code.h"
#include "capture/agent/genai/genai_in.h"
#include "capture/agent/replace/import.h"
#include "capture/agent/replace/module_walk.h"

/* The library that has the function is one whose functions are known; for those of an engine, with what is needed. */
static bool is_known(const struct image_set *set, uint64_t function, enum genai_role role, struct genai_looks *looks)
{
	const struct image *image = import_image(set, function);
	struct dynamic library;

	return image && dynamic_read(&library, image) && genai_is_known(&library) &&
	       (genai_looks(looks, &library) || !genai_is_of_engine(role));
}

static bool replace_one(struct copy *copy, enum genai_role role, uint64_t slot, uint64_t real,
			const struct genai_looks *looks)
{
	void *with;
	bool is_done;

	agent_lock();
	with = genai_hook(copy, role, (void *)real, looks);
	is_done = with && hook_word(slot, with);
	agent_unlock();
	if (is_done) {
		copy->check_at = slot;
		copy->check_value = with;
	}
	return is_done;
}

static uint32_t replace(struct copy *copy, const struct image_set *set)
{
	struct dynamic_place place = { 0, 0 };
	struct genai_looks looks;
	struct dynamic dynamic;
	const char *name;
	uint32_t n = 0;
	uint64_t slot;

	if (!dynamic_read(&dynamic, &copy->image))
		return 0;
	copy->check_at = copy->image.dynamic; /* until a word is replaced; the loader leaves this one as it is */
	copy->check_value = (void *)image_word(&copy->image, copy->check_at);
	while ((slot = dynamic_next(&dynamic, &place, &name))) {
		enum genai_role role = genai_role_of(name);
		uint64_t real = role ? import_real(&dynamic, name, slot, set) : 0;

		if (real && is_known(set, real, role, &looks))
			n += replace_one(copy, role, slot, real, &looks);
		else if (role == GENAI_NEXT)
			strcpy(copy->found.left_out, "generators (this version has other functions, or several are "
						     "loaded: they are found by their inferences)");
	}
	return n;
}

/* For a program that looks functions up by their names. */
static void *instead_of(const char *name, void *real)
{
	enum genai_role role = genai_role_of(name);
	struct image_set set = { 0 };
	struct genai_looks looks;
	void *with = NULL;

	if (!role || module_walk_images(&set))
		return NULL;
	if (is_known(&set, (uint64_t)real, role, &looks)) {
		agent_lock();
		with = genai_hook(NULL, role, real, &looks);
		agent_unlock();
	}
	image_set_done(&set);
	return with;
}

static void forget_gone(void)
{
	agent_lock();
	genai_forget_gone();
	agent_unlock();
}

const struct agent_code agent_genai = {
	.runtime = &runtime_genai,
	.replace = replace,
	.counted = "calls of generators",
	.instead_of = instead_of,
	.forget_gone = forget_gone,
	.forget_all = genai_forget_all,
};
