/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a handle does with samples and with time. Knows no clock and no thread: its owner tells it what time it is, and
 * takes what it makes. One thread at a time.
 */
#ifndef LIBRARY_PROFILE_H
#define LIBRARY_PROFILE_H

#include "inftrace_profile.h"
#include "library/report.h"

enum profile_state { PROFILE_IDLE, PROFILE_RUNNING, PROFILE_STOPPING };

/* A model of a handle. */
struct profile_model {
	char *name;
	uint64_t n_seen; /* inferences since the handle started, for sampling */
	struct report report;
};

/* A report on its way to the callback. */
struct profile_letter {
	struct profile_letter *next;
	struct inftrace_profile *profile;
	struct inftrace_report report;
	char *text, *model; /* freed with it */
};

struct inftrace_profile {
	bool is_stream, is_closed;
	uint32_t n_samples; /* wanted; of a handle of samples */
	uint32_t every;
	uint64_t rate_ns;
	uint32_t type;
	inftrace_report_fn *call;
	void *ctx;
	struct array models; /* struct profile_model */
	enum profile_state state;
	uint64_t from_ns;	    /* of the report in the making */
	uint64_t start_ns, stop_ns; /* inferences that begin before, or end after, do not count; stop_ns 0: none */
	int32_t pid;
	uint64_t n_sent, n_delivered; /* letters; its owner's */
	uint64_t n_starts;	      /* so far */
	/* Takes a report; its owner's. */
	void (*send)(void *to, struct profile_letter *letter);
	void *to;
	struct inftrace_profile *next;
};

void profile_start(struct inftrace_profile *profile, uint64_t now_ns);
/* Inferences come in the order of their ends. offset_ns: CLOCK_REALTIME less CLOCK_MONOTONIC. */
void profile_take(struct inftrace_profile *profile, struct gather *gather, const struct sample *sample,
		  int64_t offset_ns);
/* All inferences that have ended before until_ns were taken. */
void profile_advance(struct inftrace_profile *profile, struct gather *gather, uint64_t until_ns, int64_t offset_ns);
/* When it reports next; UINT64_MAX: it does not know. */
uint64_t profile_due(const struct inftrace_profile *profile, int64_t offset_ns);
/* 0, -EALREADY, -ENOMEM. */
int profile_add(struct inftrace_profile *profile, const char *model);
/* gather: NULL when it is not running. 0, -ENOENT. */
int profile_remove(struct inftrace_profile *profile, struct gather *gather, const char *model, uint64_t now_ns);
void profile_free(struct inftrace_profile *profile);
void profile_free_letter(struct profile_letter *letter);

#endif
