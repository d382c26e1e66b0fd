/* SPDX-License-Identifier: Apache-2.0 */
/* Several files become one recording on one clock: `inftrace import A B -o OUT`. */
#ifndef CMD_MERGE_FILES_H
#define CMD_MERGE_FILES_H

#include "base/opt.h"
#include "cmd/table/convert.h"

enum { MERGE_MAX_FILES = 64 };

/*
 * Reads each of the n paths twice, writes options->out, and prints where each file lies. offsets: "FILE=TIME" of the
 * user. 0, or -errno and err: nothing was written.
 */
int merge_files(char *const *paths, size_t n, const struct opt_list *offsets, const struct convert_options *options,
		struct err *err);

#endif
