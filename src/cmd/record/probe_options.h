/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the commands that put probes into programs: attach, next. Used like record_options.h. */
#ifndef CMD_PROBE_OPTIONS_H
#define CMD_PROBE_OPTIONS_H

#include "base/opt.h"
#include "capture/probe/uprobes.h"

struct probe_options {
	const char *sample, *link;
	int rate;
};

#define PROBE_OPTIONS(type, field) \
	{ 0, \
	  "sample", \
	  "1|2|4|8|16", \
	  "record every Nth inference with its operators; only count the rest", \
	  OPT_CHOICE, \
	  offsetof(type, field.sample), \
	  "1" }, \
	    { 0,       "rate", \
	      "N",     "record at most N inferences a second of each process; only count the rest", \
	      OPT_INT, offsetof(type, field.rate) }, \
	    { 0, \
	      "link", \
	      "auto|session|multi|perf", \
	      "how to install probes; auto: the best the kernel supports", \
	      OPT_CHOICE, \
	      offsetof(type, field.link), \
	      "auto" }

/* What they mean to the recorder. */
struct uprobes_opts probe_options_value(const struct probe_options *options);

#endif
