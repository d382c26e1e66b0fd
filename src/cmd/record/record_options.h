/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that every command has that records programs: record, attach, next. A command puts struct record_options
 * into its own struct and RECORD_OPTIONS into its table, and checks them before it begins. Opens no file.
 */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "capture/recorder/recorder.h"

struct record_options {
	struct recorder_plan plan;
	const char *out, *keep, *thin, *stacks, *progress;
	int max_dumps;
	struct opt_list dump_when;
	uint64_t dump_after_ns;
	bool force, compress, no_compress, json, quiet; /* compress: the default, accepted all the same */
};

/* The rows: `type` is the command's struct, `field` its struct record_options. */
#define RECORD_OPTIONS(type, field) \
	{ 'o',	   "output", \
	  "FILE",  "write the recording here; by default inftrace.pftrace, or inftrace-2.pftrace ... if that exists", \
	  OPT_STR, offsetof(type, field.out) }, \
	    { 0, "force", NULL, "overwrite the file if it exists", OPT_FLAG, offsetof(type, field.force) }, \
	    { 'l', \
	      "level", \
	      "inference|operator|detail", \
	      "how much to record: inferences; also operators; or also shapes", \
	      OPT_CHOICE, \
	      offsetof(type, field.plan.level), \
	      "operator" }, \
	    { 0,	"kernels", \
	      NULL,	"also record kernels of GPUs (CUDA, ROCm, Level Zero); the default at level detail", \
	      OPT_FLAG, offsetof(type, field.plan.kernels) }, \
	    { 0,	"graph-nodes", \
	      NULL,	"record the kernels of a CUDA graph one by one, under the operators they were captured in", \
	      OPT_FLAG, offsetof(type, field.plan.graph_nodes) }, \
	    { 0,	"no-kernels", \
	      NULL,	"leave the GPU's kernels out, also at level detail", \
	      OPT_FLAG, offsetof(type, field.plan.no_kernels) }, \
	    { 'i',	    "interval", \
	      "TIME",	    "time between samples of CPU and memory, at least 10ms", \
	      OPT_DURATION, offsetof(type, field.plan.interval_ns), \
	      "1s" }, \
	    { 0, \
	      "stacks", \
	      "HZ|off", \
	      "samples a second of the state and stack of each thread; by default 100, at level inference off", \
	      OPT_STR, \
	      offsetof(type, field.stacks) }, \
	    { 'd',	  "duration", \
	      "TIME",	  "stop recording after this time; the program keeps running", \
	      OPT_PERIOD, offsetof(type, field.plan.duration_ns) }, \
	    { 'n',     "iterations", \
	      "N",     "stop recording after at least this many inferences; the program keeps running", \
	      OPT_INT, offsetof(type, field.plan.iterations) }, \
	    { 0,	"max-size", \
	      "SIZE",	"stop recording when the file has about this size; the program keeps running", \
	      OPT_SIZE, offsetof(type, field.plan.max_bytes) }, \
	    { 0, \
	      "keep", \
	      "TIME|SIZE", \
	      "keep only the newest part of the recording, of this duration or size: for programs that run for days", \
	      OPT_STR, \
	      offsetof(type, field.keep) }, \
	    { 0, \
	      "dump-when", \
	      "WHEN", \
	      "with --keep: also write what is kept to a separate file when p99>50ms, max>1s, mean>20ms, error or " \
	      "signal (SIGUSR1); commas between several", \
	      OPT_LIST, \
	      offsetof(type, field.dump_when) }, \
	    { 0, \
	      "dump-after", \
	      "TIME", \
	      "time after the event that this file also covers", \
	      OPT_DURATION, \
	      offsetof(type, field.dump_after_ns), \
	      "10s" }, \
	    { 0,       "max-dumps", \
	      "N",     "write at most this many such files; only count later ones", \
	      OPT_INT, offsetof(type, field.max_dumps), \
	      "10" }, \
	    { 0, \
	      "thin", \
	      "N|auto", \
	      "keep the operators of every Nth inference, and of the slowest and failed ones; all inferences are " \
	      "kept; auto: all operators, but fewer if a day of the recording (or --keep) would not fit on the disk", \
	      OPT_STR, \
	      offsetof(type, field.thin), \
	      "auto" }, \
	    { 0,	"compress", \
	      NULL,	"compress the recording: a seventh of the bytes; the default", \
	      OPT_FLAG, offsetof(type, field.compress) }, \
	    { 0,	"no-compress", \
	      NULL,	"write packets as they are: for tools that do not read compressed packets", \
	      OPT_FLAG, offsetof(type, field.no_compress) }, \
	    { 0, "json", NULL, "print the summary as JSON", OPT_FLAG, offsetof(type, field.json) }, \
	    { 0,       "progress", \
	      "FILE",  "also write the progress to this file or pipe, as lines of JSON, twice a second", \
	      OPT_STR, offsetof(type, field.progress) }, \
	{ \
		'q', "quiet", NULL, "print neither summary nor progress", OPT_FLAG, offsetof(type, field.quiet) \
	}

/* 0, or opt_misused's code and err: values that make no sense. */
int record_options_check(const struct record_options *options, struct err *err);
/* What is recorded, --stacks included. */
struct recorder_plan record_options_plan(const struct record_options *options);
/* The value of --thin; 0: auto; -1: it makes no sense. */
int record_options_thin(const struct record_options *options);
/* The same for --ring-size. */
int record_options_check_ring(uint64_t ring_bytes, struct err *err);

#endif
