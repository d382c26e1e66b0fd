/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of libinftrace: a program measures the inferences that it makes itself, with ONNX Runtime in any binding, and
 * gets reports by callback. Needs no recorder and no annotation. doc/library.md is the guide.
 *
 * A handle of samples reports once, after a number of inferences of one program. A stream reports at each multiple of
 * its rate on the clock, for each of its programs. A program is a model by its name, which stands for all sessions of
 * that name, or one session by its pointer.
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
 * - -EINVAL: NULL, a wrong size, a rate or number of 0, no model and no session, a pattern that does not compile.
 * - -EBADF: the handle is closed. Memory of a closed handle may become that of a later one: do not rely on this.
 * - -EBUSY: the handle is running; or inftrace record had the agent and has ended; or the process is a child of fork
 *   that attach --inject records with its parent.
 * - -EAGAIN: it reports traces, was opened after handles of latencies had started, and these still run: operators are
 *   not recorded for them alone.
 * - -ENOENT: no agent was found; or the stream has no such model or session; or the session is gone.
 * - -EALREADY: the handle is not running; or the stream has this model or session.
 * - -EDEADLK: a flush in a callback.
 * - -ECHILD: the process is a child of fork of the one that opened the handle, or of one that has started a handle.
 * - -EPERM: the program is setuid or has capabilities of its file, or INFTRACE_DISABLE is set in the environment.
 * - -EIO: the agent does not work in this process: it has no memory to share, or is of another version.
 * - -ENOTSUP: patterns need libpcre2-8, which is not installed.
 * - -ENOMEM: out of memory.
 *
 * inftrace_profile_message has more to say of the last call, for people.
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
	const char *model; /* its name; of a session by pointer: "" while it is not known */
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
	const void *session; /* that it is about, if the handle has it by pointer; NULL: all sessions of the name */
	uint64_t n_lost;     /* records of the process lost since the report before: inferences may be missing */
	const char *note;    /* what is not seen, for people; NULL: nothing is known to be missing */
};

typedef void inftrace_report_fn(void *ctx, const struct inftrace_report *report);

struct inftrace_profile;

/* Set size and what is not optional. Texts are copied. */
struct inftrace_samples_opts {
	size_t size;
	const char *model;  /* name of the model, as inftrace report prints it; NULL: session is set */
	uint32_t n_samples; /* it stops by itself after these */
	uint32_t type;	    /* enum inftrace_report_type */
	inftrace_report_fn *report;
	void *ctx;	     /* for report; may be NULL */
	const void *session; /* OrtSession *: the inferences of this session alone; model must be NULL */
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
	/*
	 * A regular expression of ECMAScript that is searched in names of models; NULL: none. A model that matches is
	 * added when its first session is created, and removed, with a last report, when its last one is released.
	 * Sessions that were created before any handle ran are found by their next inference, which counts.
	 */
	const char *models;
};

/* What reports can be had of. Valid during the call that hands it over. */
struct inftrace_program {
	size_t size; /* sizeof(struct inftrace_program) of the library */
	const char *model;
	const void *session;   /* OrtSession *; NULL: not known, or a model that the program annotates */
	uint32_t number;       /* of the session, as recordings number them; 0: a model that the program annotates */
	uint32_t n_inferences; /* that were seen so far */
};

typedef void inftrace_program_fn(void *ctx, const struct inftrace_program *program);

/* A handle that is not running yet, in *profile. */
INFTRACE_API int inftrace_profile_samples(const struct inftrace_samples_opts *opts, struct inftrace_profile **profile);
INFTRACE_API int inftrace_profile_stream(const struct inftrace_stream_opts *opts, struct inftrace_profile **profile);
/*
 * Inferences that begin after this has returned are sampled. A handle of samples that has stopped starts again as the
 * first time. When the session of a handle of samples by pointer is released, it stops by itself, and reports what it
 * has.
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
 * Models of a stream, also while it runs: what has ended before the call is reported as the stream was then. One that
 * is removed gets a last report. A stream that has none delivers nothing. One that was removed by name comes back by
 * the pattern only with the next session that is created.
 */
INFTRACE_API int inftrace_profile_add(struct inftrace_profile *profile, const char *model);
INFTRACE_API int inftrace_profile_remove(struct inftrace_profile *profile, const char *model);
/*
 * The same for one session: OrtSession *. It is removed by itself when it is released. Its inferences count apart from
 * those of its name.
 */
INFTRACE_API int inftrace_profile_add_session(struct inftrace_profile *profile, const void *session);
INFTRACE_API int inftrace_profile_remove_session(struct inftrace_profile *profile, const void *session);
/*
 * Calls program for each living session, and each annotated model, that was seen since handles are running: on this
 * thread, sessions in the order of their creation. Returns how many there were; 0 while no handle runs. A session that
 * was created before is seen from its first inference on.
 */
INFTRACE_API int inftrace_profile_list(inftrace_program_fn *program, void *ctx);
/*
 * Why the last function here that this thread called did not work, as a line for people: "models: at byte 4: missing
 * closing parenthesis"; after a stop, what was not seen. "": nothing to say. Valid until the thread's next call.
 */
INFTRACE_API const char *inftrace_profile_message(void);
/*
 * Stops it, waits until its callback is not running, and frees it; NULL or a closed handle: nothing. Reports not
 * delivered are lost.
 */
INFTRACE_API void inftrace_profile_close(struct inftrace_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
