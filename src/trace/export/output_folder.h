/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of files that appears when it is complete. Until then it has another name beside it. An existing folder is
 * left alone; if it is forced, its files of the same names are replaced and all others stay.
 */
#ifndef TRACE_EXPORT_OUTPUT_FOLDER_H
#define TRACE_EXPORT_OUTPUT_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct output_folder {
	const char *path; /* borrowed */
	int fd;		  /* files are created in it; -1: closed */
	bool is_forced;
	char temporary[PATH_MAX]; /* "": none */
};

/* 0, or -errno and err: it exists and must not be changed, or cannot be created. Call output_folder_drop afterwards. */
int output_folder_open(struct output_folder *folder, const char *path, bool is_forced, struct err *err);
/* 0, or -errno and err. */
int output_folder_keep(struct output_folder *folder, struct err *err);
/* Removes it and its files, unless it was kept. */
void output_folder_drop(struct output_folder *folder);

#endif
