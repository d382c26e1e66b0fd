// SPDX-License-Identifier: Apache-2.0
/* Finds installed copies of ONNX Runtime by file names and a few first bytes. Loads and runs nothing. */
#include "model/ort/ort_find.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/processor.h"
#include "model/ort/ort_version.h"
#include "model/ort/ort_wheel.h"

#define LIBRARY "libonnxruntime.so"

struct search {
	struct ort_found_list *list;
	const char *how; /* why the current folders are searched */
	bool wants_one;	 /* stop at the first copy: recognising one reads megabytes */
	int failed;	 /* -errno */
};

/* Escapes a folder's name for use at the start of a glob pattern. */
static void put_folder(char *to, size_t size, const char *folder)
{
	size_t used = 0;

	for (; *folder && used + 2 < size; folder++) {
		if (strchr("*?[\\", *folder))
			to[used++] = '\\';
		to[used++] = *folder;
	}
	to[used] = 0;
}

static struct ort_found *add(struct search *search, const char *path)
{
	struct ort_found_list *list = search->list;
	struct ort_found *found;
	char real[PATH_MAX];

	if (!realpath(path, real))
		return NULL;
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->item[i].path, real))
			return NULL;
	list->is_cut |= list->n == ORT_FIND_MAX;
	if (list->n == ORT_FIND_MAX)
		return NULL;
	found = realloc(list->item, (list->n + 1) * sizeof *found);
	if (!found) {
		search->failed = -ENOMEM;
		return NULL;
	}
	list->item = found;
	found += list->n++;
	memset(found, 0, sizeof *found);
	snprintf(found->path, sizeof found->path, "%s", real);
	snprintf(found->how, sizeof found->how, "%s", search->how);
	return found;
}

static void add_library(struct search *search, const char *path)
{
	struct ort_found *found = add(search, path);

	/* a runtime that is used reports its version itself */
	if (found && !search->wants_one)
		ort_version_find(found->path, found->version, sizeof found->version);
}

/* Adds a wheel without a separate library: the runtime is inside the Python module (ort_wheel.h). */
static bool add_module(struct search *search, const char *folder)
{
	char pattern[2 * PATH_MAX + 64], start[2 * PATH_MAX];
	glob_t modules;

	put_folder(start, sizeof start, folder);
	snprintf(pattern, sizeof pattern, "%s/onnxruntime_pybind11_state*.so", start);
	if (glob(pattern, 0, NULL, &modules))
		return false;
	add_library(search, modules.gl_pathv[0]);
	globfree(&modules);
	return true;
}

/* Adds the library in a folder, or the module of a wheel. false: neither. */
static bool look_in(struct search *search, const char *folder)
{
	char pattern[2 * PATH_MAX + 64], start[2 * PATH_MAX];
	glob_t files;
	bool is_there;

	put_folder(start, sizeof start, folder);
	snprintf(pattern, sizeof pattern, "%s/" LIBRARY "*", start);
	is_there = !glob(pattern, 0, NULL, &files);
	if (!is_there)
		return add_module(search, folder);
	for (size_t i = 0; i < files.gl_pathc; i++)
		add_library(search, files.gl_pathv[i]);
	globfree(&files);
	return true;
}

/* Searches the folder that a user named, and the places below it where a runtime usually is. */
static bool look_below(struct search *search, const char *folder)
{
	static const char *const below[] = {
		"",
		"/lib",
		"/lib64",
		"/capi",
		"/onnxruntime/capi",
		"/bin/napi-v*/linux/" PROCESSOR_NODE,
		"/node_modules/onnxruntime-node/bin/napi-v*/linux/" PROCESSOR_NODE,
		"/lib/python3*/site-packages/onnxruntime/capi",
	};
	char pattern[2 * PATH_MAX + 128], start[2 * PATH_MAX];
	bool is_there = false;

	put_folder(start, sizeof start, folder);
	for (size_t i = 0; i < sizeof below / sizeof *below && !is_there; i++) {
		glob_t folders;

		snprintf(pattern, sizeof pattern, "%s%s", start, below[i]);
		if (glob(pattern, GLOB_ONLYDIR, NULL, &folders))
			continue;
		for (size_t k = 0; k < folders.gl_pathc; k++)
			is_there |= look_in(search, folders.gl_pathv[k]);
		globfree(&folders);
	}
	return is_there;
}

static int look_at_named(struct search *search, const char *named, const char *how, struct err *err)
{
	struct stat status;

	search->how = how;
	if (stat(named, &status))
		return err_set(err, errno, "cannot use %s as the runtime (%s): %s", named, how, strerror(errno));
	if (!S_ISDIR(status.st_mode)) {
		add_library(search, named);
		return 0;
	}
	if (look_below(search, named))
		return 0;
	return err_set(err, ENOENT,
		       "cannot use %s as the runtime (%s): there is no " LIBRARY
		       " in this folder, nor where a release, a Python "
		       "environment or a Node project would have it below",
		       named, how);
}

static void look_at_place(void *ctx, const char *folder, const char *how)
{
	struct search *search = ctx;

	search->how = how;
	if (!search->failed && !(search->wants_one && search->list->n))
		look_in(search, folder);
}

int ort_find_below(const char *sysroot, struct ort_found_list *list, struct err *err)
{
	struct search search = { .list = list };

	memset(list, 0, sizeof *list);
	ort_places_each(sysroot, look_at_place, &search);
	if (!search.failed)
		return 0;
	ort_find_done(list);
	return err_set(err, -search.failed, "cannot find ONNX Runtime: %s", strerror(-search.failed));
}

static int find(const char *named, bool wants_one, struct ort_found_list *list, struct err *err)
{
	struct search search = { .list = list, .wants_one = wants_one };
	const char *from_environment = secure_getenv("INFTRACE_ORT");
	int rc = 0;

	memset(list, 0, sizeof *list);
	if (named)
		rc = look_at_named(&search, named, "option --runtime", err);
	if (!rc && !named && from_environment && *from_environment)
		rc = look_at_named(&search, from_environment, "INFTRACE_ORT", err);
	if (!rc)
		ort_places_each("", look_at_place, &search);
	if (!rc && search.failed)
		rc = err_set(err, -search.failed, "cannot find ONNX Runtime: %s", strerror(-search.failed));
	if (rc)
		ort_find_done(list);
	return rc;
}

int ort_find_all(const char *named, struct ort_found_list *list, struct err *err)
{
	return find(named, false, list, err);
}

void ort_find_done(struct ort_found_list *list)
{
	free(list->item);
	memset(list, 0, sizeof *list);
}

int ort_find_one(const char *named, struct ort_found *found, struct err *err)
{
	struct ort_found_list list;
	int rc = find(named, true, &list, err);

	if (rc)
		return rc;
	if (list.n)
		*found = list.item[0];
	else
		rc = err_set(err, ENOENT,
			     "cannot find ONNX Runtime: no Python or Node.js installation here has it, and the loader "
			     "does not find it; pass --runtime PATH, or run: pip install onnxruntime");
	ort_find_done(&list);
	return rc;
}

struct package_search {
	const char *pattern;
	char *path;
	size_t size;
	bool is_there;
};

static void look_in_site(void *ctx, const char *site, const char *how)
{
	struct package_search *search = ctx;
	char pattern[2 * PATH_MAX + 128], start[2 * PATH_MAX], real[PATH_MAX];
	glob_t files;

	if (search->is_there)
		return;
	put_folder(start, sizeof start, site);
	snprintf(pattern, sizeof pattern, "%s/%s", start, search->pattern);
	if (glob(pattern, 0, NULL, &files))
		return;
	if (realpath(files.gl_pathv[0], real) && strlen(real) < search->size) {
		strcpy(search->path, real);
		search->is_there = true;
	}
	globfree(&files);
}

bool ort_find_in_packages(const char *runtime_path, const char *pattern, char *path, size_t size)
{
	struct package_search search = { pattern, path, size, false };
	char site[PATH_MAX + 16];

	/* site-packages/onnxruntime/capi/libonnxruntime.so */
	snprintf(site, sizeof site, "%s", runtime_path);
	for (int i = 0; i < 3; i++)
		if (strrchr(site, '/'))
			*strrchr(site, '/') = 0;
	look_in_site(&search, site, "beside the runtime");
	ort_places_each_site("", look_in_site, &search);
	return search.is_there;
}
