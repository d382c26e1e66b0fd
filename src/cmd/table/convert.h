/* SPDX-License-Identifier: Apache-2.0 */
/* What `inftrace import` and `inftrace export` have in common: a file of one format becomes one of another. */
#ifndef CMD_CONVERT_H
#define CMD_CONVERT_H

#include <stdbool.h>

#include "base/opt.h"
#include "trace/export/exporters.h"

struct convert_options {
	const char *out, *table; /* table: of formats of several files, the one that is wanted; NULL: all */
	bool force, quiet;
};

/* The rows: `type` is the command's struct, `field` its struct convert_options. */
#define CONVERT_OPTIONS(type, field) \
	{ 'o',	   "output", \
	  "FILE",  "write it here, - for standard output; by default in this folder, named after the input", \
	  OPT_STR, offsetof(type, field.out) }, \
	    { 0, "force", NULL, "overwrite the file if it exists", OPT_FLAG, offsetof(type, field.force) }, \
	{ \
		'q', "quiet", NULL, "print nothing about what was written", OPT_FLAG, offsetof(type, field.quiet) \
	}

/* Reads path ("-": standard input), writes it as `to` and prints one line. 0, or -errno and err: nothing was written.
 */
int convert(const char *path, const struct exporter *to, const struct convert_options *options, struct err *err);

#endif
