/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds copies of ONNX Runtime, plugin providers and operator libraries on this machine in their usual places. Only
 * looks at files; ort_ask.h queries a copy in a child process. The search is bounded: at most a few hundred folders,
 * without recursion.
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
	char version[32];    /* "1.22.1"; "": not found in the files */
	char how[PATH_MAX];  /* "option --runtime", "Python in /usr/lib/python3/dist-packages" */
};

struct ort_found_list {
	struct ort_found *item;
	size_t n;
	bool is_cut; /* more than ORT_FIND_MAX exist */
};

/*
 * All copies, the preferred one first: `named` (file or folder), or INFTRACE_ORT if NULL; the loader's path; Python
 * installations; Node installations; common folders. Each file is listed once. 0, or -errno and err: out of memory, or
 * `named` does not exist. Free with ort_find_done.
 */
int ort_find_all(const char *named, struct ort_found_list *list, struct err *err);
/*
 * The same without `named`. sysroot: "" for this machine, or the root of another machine's files, which are only read.
 */
int ort_find_below(const char *sysroot, struct ort_found_list *list, struct err *err);
void ort_find_done(struct ort_found_list *list);

/*
 * The copy to use, without its version: `named`, else the first. -ENOENT and err, which says what to do: none found.
 * Stops at the first copy.
 */
int ort_find_one(const char *named, struct ort_found *found, struct err *err);

/*
 * A library in a Python package, such as "onnxruntime_qnn/libonnxruntime_providers_qnn.so" (a glob pattern): beside the
 * runtime first, then in every Python installation. false: not found.
 */
bool ort_find_in_packages(const char *runtime_path, const char *pattern, char *path, size_t size);

#endif
