/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handles of libinftrace for a program that is recorded from outside: a sink of the recording's stream that makes
 * the same reports of the same inferences. A stream reports on every model that matches; samples are counted for each
 * of them. One thread.
 */
#ifndef SHOW_HANDLE_REPORTER_H
#define SHOW_HANDLE_REPORTER_H

#include "profile/profile.h"
#include "show/handle/report_out.h"

struct reporter_opts {
	uint32_t n_samples; /* of each model; 0: a stream */
	uint64_t rate_ns;   /* of a stream */
	uint32_t every;
	uint32_t type;		/* enum inftrace_report_type */
	struct pattern *models; /* NULL: all; taken */
	struct report_out *out;
};

struct reporter {
	struct gather gather; /* its sink is that of the stream */
	struct reporter_opts opts;
	struct inftrace_profile *profiles;
	uint64_t start_ns, flushed_ns;
	int64_t offset_ns;
	int done_fd; /* readable when all models that were seen have their samples, or a report could not be written */
	struct err err; /* why a report could not be written; code 0: all were */
};

/* names, last_track: of the stream. 0, or -errno and err; reporter_done also then. */
int reporter_init(struct reporter *reporter, const struct reporter_opts *opts, struct names *names,
		  uint32_t *last_track, struct err *err);
/* The recording is over: the last reports. */
void reporter_end(struct reporter *reporter);
void reporter_done(struct reporter *reporter);

#endif
