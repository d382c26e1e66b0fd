/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a handle does with samples and with time. Knows no clock and no thread: its owner tells it what time it is, and
 * takes what it makes. One thread at a time.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/text/pattern.h"
#include "inftrace_profile.h"
#include "profile/report.h"

enum profile_state { PROFILE_IDLE, PROFILE_RUNNING, PROFILE_STOPPING };

/* A program of a handle: a model by name, or one session. */
struct profile_item {
	char *name;	  /* of the model; NULL: of a session that has not been seen yet */
	uint64_t object;  /* of the session; 0: all sessions of the name */
	uint32_t number;  /* of the session; 0: it has not been seen yet */
	bool is_enrolled; /* by the pattern */
	bool is_out;	  /* removed by name: the pattern does not bring it back yet */
	uint64_t n_seen;  /* inferences since the handle started, for sampling */
	struct report report;
};

/* A report on its way to the callback. */
struct profile_letter {
	struct profile_letter *next;
	struct inftrace_profile *profile;
	struct inftrace_report report;
	char *text, *model; /* freed with it */
	char note[GATHER_NOTE];
};

struct inftrace_profile {
	bool is_stream, is_closed;
	bool is_gone;	    /* the session of a handle of samples was released */
	uint32_t n_samples; /* wanted; of a handle of samples */
	uint32_t every;
	uint64_t rate_ns;
	uint32_t type;
	inftrace_report_fn *call;
	void *ctx;
	struct pattern *models; /* NULL: none */
	bool takes_all;		/* as a pattern that matches every name */
	struct array items;	/* struct profile_item */
	enum profile_state state;
	uint64_t from_ns;	    /* of the report in the making */
	uint64_t start_ns, stop_ns; /* inferences that begin before, or end after, do not count; stop_ns 0: none */
	int32_t pid;
	uint32_t n_users;	      /* calls that are in progress; its owner's */
	uint64_t n_sent, n_delivered; /* letters; its owner's */
	uint64_t n_starts;	      /* so far */
	uint64_t n_lost;	      /* of the gather, when the report before was made */
	uint64_t n_dropped;	      /* samples of reports that could not be made or kept */
	char note[GATHER_NOTE];	      /* a name that the pattern could not be searched in; "": none */
	/* Takes a report, and frees it; its owner's. False: nobody gets it. */
	bool (*send)(void *to, struct profile_letter *letter);
	void *to;
	struct inftrace_profile *next;
};

/* gather: of the programs that are known already. */
void profile_start(struct inftrace_profile *profile, struct gather *gather, uint64_t now_ns);
/* Inferences come in the order of their ends. offset_ns: CLOCK_REALTIME less CLOCK_MONOTONIC. */
void profile_take(struct inftrace_profile *profile, struct gather *gather, const struct sample *sample,
		  int64_t offset_ns);
/* As the calls of a gather: a program has come, or gone. */
void profile_came(struct inftrace_profile *profile, const struct gather *gather, const struct gather_program *program,
		  bool is_new);
void profile_gone(struct inftrace_profile *profile, struct gather *gather, const struct gather_program *program,
		  uint64_t time_ns, int64_t offset_ns);
/* All inferences that have ended before until_ns were taken. */
void profile_advance(struct inftrace_profile *profile, struct gather *gather, uint64_t until_ns, int64_t offset_ns);
/* When it reports next; UINT64_MAX: it does not know. */
uint64_t profile_due(const struct inftrace_profile *profile, int64_t offset_ns);
/*
 * A model by its name, or a session by its object, which is bound to the last session of the gather that has it. 0,
 * -EALREADY, -ENOMEM. gather: NULL when it is not running.
 */
int profile_add(struct inftrace_profile *profile, const char *model);
int profile_add_session(struct inftrace_profile *profile, const struct gather *gather, uint64_t object);
/* 0, -ENOENT. */
int profile_remove(struct inftrace_profile *profile, struct gather *gather, const char *model, uint64_t now_ns);
int profile_remove_session(struct inftrace_profile *profile, struct gather *gather, uint64_t object, uint64_t now_ns);
/* The numbers of sessions begin again. */
void profile_forget_sessions(struct inftrace_profile *profile);
void profile_free(struct inftrace_profile *profile);
void profile_free_letter(struct profile_letter *letter);

#endif
