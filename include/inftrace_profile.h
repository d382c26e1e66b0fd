/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of libinftrace: a program measures the inferences that it makes itself, with ONNX Runtime in any binding, and
 * gets reports by callback. Needs no recorder and no annotation. doc/library.md is the guide.
 *
 * A handle of samples reports once, after a number of inferences of one model. A stream reports at each multiple of its
 * rate on the clock, for each of its models.
 *
 * The first handle that starts loads the agent (libinftrace-agent.so beside this library, or in inftrace/ below it),
 * which hooks the runtimes in the process as it does under `inftrace attach --inject`; when no handle is running any
 * more, it takes the hooks out. Meanwhile a thread of the agent and one that gathers run, and one that calls back while
 * there are reports.
 *
 * Threads: every function may be called on any thread, none in a signal handler. Callbacks come one at a time on a
 * thread of the library. A callback may call any function here; inftrace_profile_flush returns -EDEADLK there, and a
 * handle that is closed in its own callback gets no further one. A callback that blocks delays those of all handles;
 * their inferences are kept meanwhile.
 *
 * Fork: in the child all handles are stopped, for good: starting one returns -ECHILD. Reports go to the parent alone.
 * Exit: a report that was not delivered is lost; call inftrace_profile_flush before. exit() waits for a callback that
 * is running, for at most a second; none begins after that.
 *
 * Results: 0, or a negative errno value:
 *
 * - -EINVAL: NULL, a wrong size, a rate or number of 0, no model.
 * - -EBUSY: the program runs under inftrace record or attach --inject, which has the agent; or the handle is running.
 * - -EAGAIN: it reports traces, was opened after handles of latencies had started, and these still run: operators are
 *   not recorded for them alone.
 * - -ENOENT: no agent was found; or the stream has no such model.
 * - -EALREADY: the handle is not running; or the stream has this model.
 * - -EDEADLK: a flush in a callback.
 * - -ECHILD: the process is a child of fork of the one that opened the handle, or of one that has started a handle.
 * - -EPERM: the program is setuid or has capabilities of its file, or INFTRACE_DISABLE is set in the environment.
 * - -EIO: the agent does not work in this process: it has no memory to share, or is of another version.
 * - -ENOMEM: out of memory.
 */
#ifndef INFTRACE_PROFILE_H
#define INFTRACE_PROFILE_H

#include <inftrace.h>

#ifdef __cplusplus
extern "C" {
#endif

enum inftrace_report_type {
	INFTRACE_LATENCY = 0, /* CSV: a row for each inference, times in microseconds, N/A where unknown */
	INFTRACE_TRACE = 1    /* Chrome JSON: inferences with their operators */
};

/* Belongs to the library, with all that it points to, and is valid until the callback returns. */
struct inftrace_report {
	size_t size;	   /* sizeof(struct inftrace_report) of the library */
	const char *model; /* the name as inftrace_profile_samples_opts and inftrace_profile_add have it */
	const char *text;  /* the report, with a NUL behind it */
	size_t text_len;
	uint32_t type;	    /* enum inftrace_report_type */
	uint32_t n_samples; /* inferences in it */
	/*
	 * CLOCK_MONOTONIC: the inferences in it ended after from_ns, and not after to_ns. One that ended just before
	 * to_ns may be in the next report instead, never in both.
	 */
	uint64_t from_ns;
	uint64_t to_ns;
};

typedef void inftrace_report_fn(void *ctx, const struct inftrace_report *report);

struct inftrace_profile;

/* Set size and what is not optional. Texts are copied. */
struct inftrace_samples_opts {
	size_t size;
	const char *model;  /* name of the model, as inftrace report prints it */
	uint32_t n_samples; /* it stops by itself after these */
	uint32_t type;	    /* enum inftrace_report_type */
	inftrace_report_fn *report;
	void *ctx; /* for report; may be NULL */
};

struct inftrace_stream_opts {
	size_t size;
	uint32_t
	    rate_ms; /* it reports when CLOCK_REALTIME is at a multiple of this: 500, 1000, 2000, 4000 or any other */
	uint32_t every; /* of each model every so-many-th inference is sampled; 0 and 1: each */
	uint32_t type;	/* enum inftrace_report_type */
	uint32_t reserved;
	inftrace_report_fn *report;
	void *ctx;
};

/* A handle that is not running yet, in *profile. */
INFTRACE_API int inftrace_profile_samples(const struct inftrace_samples_opts *opts, struct inftrace_profile **profile);
INFTRACE_API int inftrace_profile_stream(const struct inftrace_stream_opts *opts, struct inftrace_profile **profile);
/*
 * Inferences that begin after this has returned are sampled. A handle of samples that has stopped starts again as the
 * first time.
 */
INFTRACE_API int inftrace_profile_start(struct inftrace_profile *profile);
/*
 * Returns when all inferences that have ended before the call are in the last report, which is delivered next. A handle
 * of samples without any sample delivers none; a stream delivers one for each of its models.
 */
INFTRACE_API int inftrace_profile_stop(struct inftrace_profile *profile);
/* Waits until every report that the handle has made so far is delivered. */
INFTRACE_API int inftrace_profile_flush(struct inftrace_profile *profile);
/*
 * Models of a stream, also while it runs. One that is removed gets a last report. A stream that has none delivers
 * nothing.
 */
INFTRACE_API int inftrace_profile_add(struct inftrace_profile *profile, const char *model);
INFTRACE_API int inftrace_profile_remove(struct inftrace_profile *profile, const char *model);
/* Stops it, waits until its callback is not running, and frees it; NULL: nothing. Reports not delivered are lost. */
INFTRACE_API void inftrace_profile_close(struct inftrace_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
