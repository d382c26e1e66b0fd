/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds copies of ONNX Runtime, plugin providers and libraries of operators on this machine, by the places where they
 * are usually installed. Only looks at files: what a copy can do is asked of it in a child process (ort_ask.h).
 * The search is bounded: a few hundred folders at the most, none of them walked through.
 */
#ifndef MODEL_ORT_ORT_FIND_H
#define MODEL_ORT_ORT_FIND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { ORT_FIND_MAX = 64 };

struct ort_found {
	char path[PATH_MAX]; /* of the library, without symbolic links */
	char version[32];    /* "1.22.1"; "" not told by the file */
	char how[PATH_MAX];  /* "option --runtime", "Python in /usr/lib/python3/dist-packages" */
};

struct ort_found_list {
	struct ort_found *item;
	size_t n;
	bool is_cut; /* more than ORT_FIND_MAX were there */
};

/*
 * All copies, the one to prefer first: what `named` says (file or folder), or INFTRACE_ORT when it is NULL, the
 * loader's path, Python installations, Node installations, common folders. A file is listed once. 0, or -errno and err:
 * memory is out, or `named` is not there. free with ort_find_done.
 */
int ort_find_all(const char *named, struct ort_found_list *list, struct err *err);
/*
 * The same without what was named: "" on this machine; below sysroot on another one, whose copies are for reading only.
 */
int ort_find_below(const char *sysroot, struct ort_found_list *list, struct err *err);
void ort_find_done(struct ort_found_list *list);

/* The copy to use, without its version: the one that was named, else the first. -ENOENT and err when there is none:
 * what to do. Looks no further than it must. */
int ort_find_one(const char *named, struct ort_found *found, struct err *err);

/*
 * A library in a Python package, as "onnxruntime_qnn/libonnxruntime_providers_qnn.so" (a pattern of glob): beside the
 * runtime first, then in every Python installation. false: nowhere.
 */
bool ort_find_in_packages(const char *runtime_path, const char *pattern, char *path, size_t size);

#endif
