/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that every command has that makes a recording of programs: record, attach, next. A command puts
 * struct record_options into its own struct and RECORD_OPTIONS into its table, and checks them before it begins.
 */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"

struct record_options {
	const char *out, *level;
	bool force, compress, json, quiet;
	uint64_t interval_ns, duration_ns;
	int iterations;
};

/* The rows: `type` is the command's struct, `field` its struct record_options. */
#define RECORD_OPTIONS(type, field) \
	{ \
		'o', \
		"output", \
		"FILE", \
		"write the recording here; by default inftrace.pftrace, or inftrace-2.pftrace ... if that is there", \
		OPT_STR, \
		offsetof(type, field.out) \
	}, \
	    { 0, "force", NULL, "overwrite the file if it exists", OPT_FLAG, offsetof(type, field.force) }, \
	    { 'l', \
	      "level", \
	      "inference|operator|detail", \
	      "how deep to look: each inference, each operator, or shapes and waits as well", \
	      OPT_CHOICE, \
	      offsetof(type, field.level), \
	      "operator" }, \
	    { 'i',	    "interval", \
	      "TIME",	    "time between samples of CPU and memory, 10ms or more", \
	      OPT_DURATION, offsetof(type, field.interval_ns), \
	      "1s" }, \
	    { 'd',	    "duration", \
	      "TIME",	    "stop recording after this time; the program goes on", \
	      OPT_DURATION, offsetof(type, field.duration_ns) }, \
	    { 'n',     "iterations", \
	      "N",     "stop recording once at least this many inferences are done; the program goes on", \
	      OPT_INT, offsetof(type, field.iterations) }, \
	    { 0,	"compress", \
	      NULL,	"write compressed packets: a third of the bytes, more CPU", \
	      OPT_FLAG, offsetof(type, field.compress) }, \
	    { 0, "json", NULL, "print the summary as JSON", OPT_FLAG, offsetof(type, field.json) }, \
	{ \
		'q', "quiet", NULL, "print no summary and no progress", OPT_FLAG, offsetof(type, field.quiet) \
	}

/* 0, or opt_misused's code and err: values that make no sense. */
int record_options_check(const struct record_options *options, struct err *err);

/*
 * Opens the file of the recording, new unless --force was given. Its descriptor, or -errno and err. *path is its name:
 * borrowed from the options, or in buf when it had to be made up.
 */
int record_options_open(const struct record_options *options, const char **path, char *buf, size_t size,
			struct err *err);
/* What the file holds is gone from here on. 0, or -errno and err. */
int record_options_begin(int fd, const char *path, struct err *err);
/* Nothing was recorded: removes the file, if it is one. A device or a pipe is left alone. */
void record_options_remove(int fd, const char *path);

#endif
