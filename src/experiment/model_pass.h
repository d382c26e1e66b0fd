/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over a model: inftrace-run is started like anybody's program, recorded, and its result and the recording are
 * read back.
 */
#ifndef EXPERIMENT_MODEL_PASS_H
#define EXPERIMENT_MODEL_PASS_H

#include "analyze/summary/recording.h"
#include "capture/recorder/recorder.h"
#include "model/run/run_result.h"

/* Who sees the events of all passes while they come. Everything is borrowed. */
struct model_watch {
	struct names *names; /* of the stream: all passes share them */
	uint32_t *last_track;
	struct sink *const *sinks;
	size_t n_sinks; /* at most MODEL_WATCH_SINKS */
	const struct recorder_guest *guest;
};

enum { MODEL_WATCH_SINKS = 4 };

struct model_pass_opts {
	struct recorder_plan plan;
	const struct model_watch *watch; /* NULL: nobody */
	const struct say *say;		 /* gets the recorder's messages */
	const char *path;		 /* the recording's file, open for writing as fd */
	int fd;
	char *const *argv; /* inftrace-run and its arguments, without --result; ended by NULL */
	int result_fd;	   /* memory made by run_result_make, named in argv */
};

struct model_pass {
	struct run_record run; /* what the runner told; run.head NULL: nothing */
	struct recorder_result recorded;
	struct recording recording; /* recording.summary NULL: it could not be read back, see problem */
	const char *path;
	char problem[400];
};

/*
 * 0; or -errno and err when the runner could not even be started or recorded. What fails inside the runner is in
 * pass->run. model_pass_done undoes it, also after a failure; a zeroed one may be done.
 */
int model_pass_run(struct model_pass *pass, const struct model_pass_opts *opts, struct err *err);
void model_pass_done(struct model_pass *pass);

#endif
