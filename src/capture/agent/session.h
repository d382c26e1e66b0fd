/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of the target, their names, and the objects that belong to them. Sessions live in the agent's arena. */
#ifndef CAPTURE_AGENT_SESSION_H
#define CAPTURE_AGENT_SESSION_H

#include "capture/agent/agent.h"
#include "capture/agent/map.h"

struct runtime;

/* What a runtime's code learns about a session in one of its inferences; embed it as the head of a larger struct. */
struct learning {
	uint32_t run; /* the inference from which it learns */
	/* Called when that inference ends. */
	void (*run_ends)(struct thread *thread, struct open_run *run);
	/* Called when the session is gone. Under the lock. */
	void (*forget)(struct session *session);
};

/* Reused after release, under a new number. */
struct session {
	const struct runtime *runtime;
	uint32_t number;     /* in this process, from 1 */
	uint32_t generation; /* of the segment that has its names */
	uint32_t n_changes;  /* of its names */
	uintptr_t object;    /* the runtime's session object */
	bool has_run;	     /* atomic */
	int8_t too_short;    /* atomic: votes of its inferences against reading their usage, usage.c */
	uint64_t known_as;   /* key of session_known, 0: none */
	bool is_released;
	bool is_late;	      /* it existed before the agent */
	bool has_more_inputs; /* than are gathered of an inference */
	bool was_sought;      /* its object was searched for in a run */
	bool is_timed;	      /* the runtime times each of its operators */
	bool was_asked;	      /* the providers are those that the program requested */
	int64_t bytes;	      /* size of a model from memory, 0: not from memory */
	char model[128], path[1024], providers[256];
	struct learning *learning; /* NULL: nothing is known yet */
	struct provider *first_provider;
	struct session *next_free, *next_all;
};

/* Forgotten with its session, unless several have it; reused then. */
struct provider {
	uintptr_t at;
	struct session *session;
	struct provider *next;	   /* of the session that had it first, or of those to be reused */
	bool is_listed;		   /* it is in a session's list */
	uint32_t session_number;   /* differs from the session's number if the session is another one by now */
	bool is_shared;		   /* by several sessions: it does not tell which of them runs */
	uint32_t generation, name; /* text id, valid in this generation */
	char text[64];
};

extern struct map session_providers; /* the runtime's provider object -> struct provider */

struct session *session_new(const struct runtime *runtime);
/* Somebody new reads the segment: each session's names are told again, at its next inference. */
void session_tell_again(void);
/* Recording restarts: forgets all sessions and providers. */
void session_forget_all(void);
void session_release(uintptr_t object);
/* For a session whose creation failed: frees its entry. */
void session_drop(struct session *session);

struct session *session_of_object(uintptr_t object);
/* NULL: unknown, or shared by several. */
struct session *session_of_provider(uintptr_t provider);
/* Whether several sessions use this provider. */
bool session_is_shared(uintptr_t provider);
/* The living session, if there is exactly one. */
struct session *session_only(void);
void session_bind(struct session *session, uintptr_t object);

/* Makes sure that the segment of this process has the session's names. */
void session_tell(struct session *session);
void session_name_path(struct session *session, const char *path);
void session_name_bytes(struct session *session, const char *bytes, uint64_t size);
void session_name_graph(struct session *session, const char *graph);
/* For a model in memory whose own size is not known: its weights have n_bytes, 0: not known either. */
void session_name_weights(struct session *session, uint64_t n_bytes);
/* Like session_name_path, for a path that was read later: a relative one gives a name, but not the file's place. */
void session_name_found(struct session *session, const char *path);
/* The requested providers with their options. */
void session_asked(struct session *session, const char *providers);
void session_add_provider(struct session *session, uintptr_t provider, const char *name);

/* The runtime's own number of a session, which its error reports contain; copy: its index in copies[]. */
void session_know(uint32_t copy, struct session *session, uint32_t number);
/* NULL: no such session. */
struct session *session_known(uint32_t copy, uint32_t number);

#endif
