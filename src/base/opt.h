/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command-line options as a table. One row gives parsing, help, the manual page and completion. Each command has a
 * struct of its own that the rows point into:
 *
 *   struct report_opts { const char *format; uint64_t interval_ns; bool quiet; };
 *   static const struct opt report_opt_table[] = {
 *     { 0, NULL, NULL, "Output:" },
 *     { 'f', "format", "text|json", "output format", OPT_CHOICE, offsetof(struct report_opts, format), "text" },
 *     { 'i', "interval", "TIME", "sample period", OPT_DURATION, offsetof(struct report_opts, interval_ns), "1s" },
 *     { 'q', "quiet", NULL, "print nothing", OPT_FLAG, offsetof(struct report_opts, quiet) },
 *     { 0 }
 *   };
 *
 * A user may write: -q, -i 2s, -i2s, -qi2s, --interval 2s, --interval=2s, and -- to end the options. -h and --help need
 * no row.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum opt_type {
	OPT_FLAG,     /* bool: true when given; no metavar */
	OPT_STR,      /* const char *: as given */
	OPT_INT,      /* int: 0 and up */
	OPT_DURATION, /* uint64_t nanoseconds: 500us, 10ms, 1.5s, 2m, 1h, 3d; a bare number is seconds */
	OPT_PERIOD,   /* a duration above 0 */
	OPT_SIZE,     /* uint64_t bytes: 4096, 256K, 1M, 2G; steps of 1024 */
	OPT_CHOICE,   /* const char *: one of the words of the metavar, "text|json|csv" */
	OPT_LIST,     /* struct opt_list: may be given several times */
};

enum { OPT_LIST_MAX = 64 };

struct opt_list {
	const char *item[OPT_LIST_MAX];
	size_t n;
};

struct opt {
	char letter;	     /* 0: none */
	const char *name;    /* long name without dashes; NULL with a help text: a heading for the rows below */
	const char *metavar; /* name of the value: "FILE"; NULL for flags */
	const char *help;    /* lower case, no full stop */
	enum opt_type type;
	size_t offset;	      /* of the field in the command's struct */
	const char *fallback; /* default, as a user would type it; NULL: 0, NULL, false */
	char former;	      /* letter of earlier versions, which is refused with a hint at today's; 0: none */
};

enum opt_order {
	OPT_ANYWHERE, /* options may follow arguments: report FILE --format json */
	OPT_FIRST,    /* the first argument ends the options: record CMD --its-own-option */
};

/*
 * Writes the defaults and then argv[0..argc-1] (argv[0] is the first word to parse) into opts, which must be zeroed.
 * Moves arguments that are not options to the front of argv, in order. Values are borrowed from argv. Returns the
 * number of arguments; OPT_HELP when help was requested; -EINVAL and err for a mistake of the user.
 */
enum { OPT_HELP = 1 << 30 };
int opt_parse(const struct opt *table, void *opts, int argc, char **argv, enum opt_order order, struct err *err);

/* Both return 0, or -EINVAL and err, which says what is expected. */
int opt_parse_duration(const char *text, uint64_t *ns, struct err *err);
int opt_parse_size(const char *text, uint64_t *bytes, struct err *err);

/* The err code of a command line whose words contradict each other; beyond every errno value. */
enum { OPT_MISUSED = 1 << 16 };

/* For "return opt_misused(err, ...)" when the words of a command line contradict each other. Returns -OPT_MISUSED. */
int opt_misused(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline bool opt_is_end(const struct opt *row)
{
	return !row->name && !row->help;
}

static inline bool opt_is_heading(const struct opt *row)
{
	return !row->name && row->help;
}

#endif
