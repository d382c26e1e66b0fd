// SPDX-License-Identifier: Apache-2.0
/*
 * OrtGetApiBase for programs that are linked to ONNX Runtime: the agent's has no version, so it satisfies every
 * program's import. It arms, then calls the library that the caller would have been bound to. first.c handles look-ups
 * by name.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/arm.h"
#include "capture/agent/first.h"
#include "capture/agent/module_walk.h"
#include "capture/agent/ort_in.h"

/* Whether a module's DT_NEEDED lists this library's file. */
static bool needs(const struct image *image, const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	uint64_t strings = 0;

	for (int pass = 0; pass < 2; pass++)
		for (uint64_t at = image->dynamic; at + 16 <= image->dynamic_end; at += 16) {
			uint64_t tag = image_word(image, at), value = image_word(image, at + 8);
			if (tag == DT_NULL)
				break;
			if (tag == DT_STRTAB)
				strings = value < image->base ? image->base + value : value;
			if (pass && tag == DT_NEEDED) {
				const char *name = image_text(image, strings + value, 512);
				if (name && !strncmp(file, name, strlen(name)))
					return true;
			}
		}
	return false;
}

typedef const void *base_function(void);

/* The OrtGetApiBase that the caller would be bound to without the agent. */
static base_function *real_base(uint64_t caller)
{
	struct image_set set = { 0 };
	const struct image *from = NULL;
	base_function *found = NULL;

	if (module_walk_images(&set))
		return NULL;
	for (size_t i = 0; i < set.n; i++)
		if (image_has(&set.image[i], caller, IMAGE_X))
			from = &set.image[i];
	for (size_t i = 0; i < set.n; i++) {
		const struct image *image = &set.image[i];
		void *handle = image->path[0] == '/' ? dlopen(image->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
		void *symbol = handle ? first_dlsym(handle, "OrtGetApiBase") : NULL;
		if (symbol && symbol != (void *)OrtGetApiBase && image_has(image, (uint64_t)symbol, IMAGE_X) &&
		    (!found || (from && needs(from, image->path))))
			found = (base_function *)symbol;
		if (handle)
			dlclose(handle);
	}
	image_set_done(&set);
	return found;
}

__attribute__((visibility("default"))) const void *OrtGetApiBase(void)
{
	int saved = errno;
	base_function *real = real_base((uint64_t)__builtin_return_address(0));

	if (agent_is_wanted())
		arm_new_modules();
	errno = saved;
	return real ? real() : NULL;
}
