// SPDX-License-Identifier: Apache-2.0
/* Finds and loads llama.cpp's libraries. Calls nothing of them but what loads their backends. */
#include "model/run/llama_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/ort/ort_find.h"

static bool first_match(const char *folder, const char *pattern, char *path)
{
	char whole[2 * PATH_MAX];
	bool is_found;
	glob_t found;

	snprintf(whole, sizeof whole, "%s/%s", folder, pattern);
	if (glob(whole, 0, NULL, &found))
		return false;
	is_found = strlen(found.gl_pathv[0]) < PATH_MAX;
	if (is_found)
		strcpy(path, found.gl_pathv[0]);
	globfree(&found);
	return is_found;
}

/* A file, or the library in a folder. */
static int find_named(const char *named, char *path, struct err *err)
{
	struct stat status;

	if (stat(named, &status))
		return err_set(err, errno, "cannot use %s as llama.cpp: %s", named, strerror(errno));
	if (!S_ISDIR(status.st_mode)) {
		snprintf(path, PATH_MAX, "%s", named);
		return 0;
	}
	if (first_match(named, "libllama.so*", path) || first_match(named, "libllama.*so*", path))
		return 0;
	return err_set(err, ENOENT, "cannot use %s as llama.cpp: it has no libllama.so", named);
}

static int find(const char *named, char *path, struct err *err)
{
	const char *set = getenv("INFTRACE_LLAMA");

	*path = 0;
	named = named ? named : set && *set ? set : NULL;
	if (named)
		return find_named(named, path, err);
	if (!ort_find_in_packages("", "llama_cpp/lib/libllama.so*", path, PATH_MAX))
		*path = 0;
	return 0;
}

/* Where libraries do not name their folder, those that libllama needs are loaded before it. */
static void load_others(const char *folder)
{
	static const char *const patterns[] = { "libggml-base.*so*", "libggml-cpu.*so*", "libggml.*so*" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (first_match(folder, patterns[i], path))
			dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

static void *load(const char *path, const char *folder, struct err *err)
{
	void *library;

	if (!*path)
		library = dlopen("libllama.so", RTLD_NOW | RTLD_GLOBAL);
	else if (!(library = dlopen(path, RTLD_NOW | RTLD_GLOBAL))) {
		load_others(folder);
		library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	}
	if (library)
		return library;
	if (*path)
		err_set(err, ENOEXEC, "cannot load llama.cpp: %s", dlerror());
	else
		err_set(
		    err, ENOENT,
		    "cannot find llama.cpp: no Python installation here has llama_cpp, and the loader does not find "
		    "libllama.so; set INFTRACE_LLAMA to its path, or run: pip install llama-cpp-python");
	return NULL;
}

/* ISO C has no conversion from dlsym's result to a function. */
static bool take(void *library, const char *name, void *to)
{
	void *symbol = name ? dlsym(library, name) : NULL;

	if (symbol)
		memcpy(to, &symbol, sizeof symbol);
	return symbol != NULL;
}

static int take_all(struct llama_api *api, void *library, struct err *err)
{
#define LLAMA_TAKE(result, field, parameters, name, older) \
	if (!take(library, name, &api->field) && !take(library, older, &api->field)) \
		return err_set(err, ENOTSUP, "cannot use this llama.cpp: it has no %s; use b3889 or later", name);
	LLAMA_FUNCTIONS(LLAMA_TAKE)
#undef LLAMA_TAKE
	take(library, "llama_n_vocab", &api->model_n_ids);
	take(library, "llama_model_get_vocab", &api->vocab);
	take(library, "llama_vocab_n_tokens", &api->vocab_n_ids);
	take(library, "llama_kv_cache_clear", &api->clear_context);
	take(library, "llama_get_memory", &api->memory);
	take(library, "llama_memory_clear", &api->clear_memory);
	take(library, "llama_version", &api->version);
	take(library, "ggml_version", &api->ggml_version);
	if ((!api->vocab || !api->vocab_n_ids) && !api->model_n_ids)
		return err_set(err, ENOTSUP, "cannot use this llama.cpp: it does not tell the size of a vocabulary");
	if ((!api->memory || !api->clear_memory) && !api->clear_context)
		return err_set(err, ENOTSUP, "cannot use this llama.cpp: its cache cannot be cleared");
	return 0;
}

int llama_api_open(struct llama_api *api, const char *named, struct err *err)
{
	char folder[PATH_MAX];
	int rc;

	memset(api, 0, sizeof *api);
	rc = find(named, api->path, err);
	if (rc)
		return rc;
	strcpy(folder, api->path);
	api->library = load(api->path, dirname(folder), err);
	return api->library ? take_all(api, api->library, err) : -err->code;
}

void llama_api_load_backends(const struct llama_api *api)
{
	size_t (*n_backends)(void) = NULL;
	void (*load_all)(const char *) = NULL;
	char folder[PATH_MAX];

	strcpy(folder, api->path);
	if (take(api->library, "ggml_backend_reg_count", &n_backends) &&
	    take(api->library, "ggml_backend_load_all_from_path", &load_all) && !n_backends())
		load_all(*folder ? dirname(folder) : NULL);
}

/* Versions before September 2024 have a seed first. */
bool llama_api_set_sizes(struct llama_block *params, struct llama_sizes *sizes)
{
	for (uint32_t *word = params->word; word < params->word + 2; word++) {
		if (word[0] != 512 || word[1] != 2048 || word[2] != 512 || word[3] != 1)
			continue;
		sizes->n_batch = word[1];
		word[0] = sizes->n_ctx;
		word[3] = sizes->n_seq_max;
		return true;
	}
	return false;
}
