/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of reports. One file per format, report_<name>.c, with one constant; reports.c lists them. */
#ifndef SHOW_REPORT_REPORTS_H
#define SHOW_REPORT_REPORTS_H

#include "show/words/export.h"

/* For options; a test compares it with the table. */
#define REPORT_NAMES "text|json|html|csv|csv-operators|csv-kernels|csv-sizes|csv-generations|csv-losses"

struct report_format {
	const char *name;   /* what the user types: --format html */
	const char *suffix; /* of files in this format, several with a space between them; NULL: none is its own */
	const char *help;
	bool is_for_terminals; /* lines that fit, colours: a pager may show it */
	void (*write)(FILE *out, const struct report *report, const struct report_look *look);
};

extern const struct report_format *const reports[]; /* the default first; NULL ends it */

/* NULL: there is none of that name. */
const struct report_format *report_format_named(const char *name);
/* By the suffix of a file's name; the default for another one. */
const struct report_format *report_format_of(const char *path);

/* Numbers look the same in every locale. */
void report_write(FILE *out, const struct report_format *format, const struct report *report,
		  const struct report_look *look);

#endif
