/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From programs that were chosen to a recording of them: what attach and next share. There are two ways to see into a
 * program that runs already: probes from outside (attach_probe.c), and the agent, injected (attach_inject.c).
 */
#ifndef CAPTURE_RECORDER_ATTACH_H
#define CAPTURE_RECORDER_ATTACH_H

#include "capture/recorder/attach_fit.h"
#include "capture/recorder/attached.h"
#include "capture/recorder/record_options.h"
#include "capture/source/source.h"

/* Options of probes, in the commands that put them in. */
struct probe_options {
	const char *sample, *link;
	int rate;
};

#define PROBE_OPTIONS(type, field) \
	{ 0, \
	  "sample", \
	  "1|2|4|8|16", \
	  "record one inference of so many, with what is inside it; the others are counted", \
	  OPT_CHOICE, \
	  offsetof(type, field.sample), \
	  "1" }, \
	    { 0,       "rate", \
	      "N",     "record at most N inferences a second of each process; the others are counted", \
	      OPT_INT, offsetof(type, field.rate) }, \
	    { 0, \
	      "link", \
	      "auto|session|multi|perf", \
	      "how the kernel is asked for probes; auto takes the first that it has", \
	      OPT_CHOICE, \
	      offsetof(type, field.link), \
	      "auto" }

struct attach_job {
	const struct record_options *options;
	const struct probe_options *probes;
	uint64_t ring_bytes;	  /* inject: as of record */
	bool allows_seccomp;	  /* inject: also under a filter of system calls */
	struct attached attached; /* the programs that were chosen */
	struct attach_wish wish;  /* which programs that come later are recorded, too; only if attached.waits */
	bool takes_one;		  /* of those only the first */
	bool takes_all;		  /* also those that fit and run already */
	const char *command;	  /* for the recording: what is recorded */
	struct {
		int fd;
		const char *path;
		char buf[64];
		bool is_open, has_begun; /* has_begun: what was in it is gone */
	} file;				 /* of the recording: attach_record.c's */
	void (*leave)(void *ctx);	 /* as of the recorder; NULL: nothing is to be done */
};

/*
 * What holds for both commands, before anything is done: that wish and options make sense, and that this process may
 * open the files it needs and sees the right /proc. 0, opt_misused's code or -errno, and err.
 */
int attach_check(const struct attach_job *job, struct err *err);

/*
 * Opens the file of the recording, before anything is done to a program; what is in it stays until attach_record. 0, or
 * -errno and err. attach_drop, after this alone: nothing was recorded.
 */
int attach_open(struct attach_job *job, struct err *err);
void attach_drop(struct attach_job *job);

/*
 * The rest of the way is the same for both: opens the file unless it is open, runs the recorder over job->attached,
 * prints the summary. target: level, ring_dir, uprobes and what else belongs to the way is filled in; sysroot,
 * interval_ns are filled in here. go and ctx are the recorder's. An exit status, or -errno and err: nothing was
 * recorded, and no file is left.
 */
int attach_record(struct attach_job *job, struct target *target, const char *needed,
		  int (*go)(void *ctx, struct err *err), void *ctx, struct err *err);

/* Says, once, what of the runtimes in this process was not understood and is not seen. */
void attach_say_left_out(struct uprobes *uprobes, pid_t pid);

/* The two ways. An exit status, or -errno and err. */
int attach_probe(struct attach_job *job, struct err *err);
int attach_inject(struct attach_job *job, struct err *err);

#endif
