/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process as the probes in it tell: from records of hits (capture/probe/uprobe.h) to records of what happened
 * (event/record.h). Calls nothing of the kernel: it can be fed with made-up hits. One thread.
 *
 *   uprobe_take.c      takes one hit: its thread, and the function for its kind
 *   uprobe_pair.c      inferences and operators: their entries and ends, by thread and stack pointer
 *   uprobe_creation.c  the creation of sessions
 *   uprobe_objects.c   what is known of sessions, kernels and providers, by their addresses
 *   uprobe_counts.c    what sessions run while no probes are in
 *   uprobe_process.c   the floor: lanes, records, texts of hits
 *
 * Hits of one thread come in the order of time, those of different threads nearly so.
 */
#ifndef CAPTURE_PROBE_UPROBE_PROCESS_H
#define CAPTURE_PROBE_UPROBE_PROCESS_H

#include "capture/decode/recorded.h"
#include "capture/probe/uprobe.h"
#include "capture/probe/uprobe_counts.h"
#include "capture/probe/uprobe_table.h"

enum { UPROBE_MODELS = 4096, UPROBE_NAMES = 1 << 17 };
enum { UPROBE_LANES = 64, UPROBE_NO_LANE = 255, UPROBE_DEPTH = 64, UPROBE_RUNS = 16, UPROBE_CREATIONS = 4 };

struct open_operator {
	uint64_t time, stack, object;
	uint32_t node, run; /* run 0: whose it is cannot be told */
	bool is_told;	    /* its begin is: it has others inside */
};

struct open_run {
	uint64_t stack, options;
	uint32_t session, run; /* numbers */
	uint32_t n_operators;  /* open on this thread when it began */
	uint8_t lane;
	bool has_others; /* operators of it ran on other threads */
	bool has_usage;
	uint64_t word[UPROBE_RUN_WORDS]; /* of its begin: enum uprobe_run_word */
};

/* A session on its way: from Load or Initialize to the end of Initialize. */
struct open_creation {
	uint64_t object, time;
	uint64_t load_time, loaded_time; /* 0: not seen, not yet */
	uint32_t session;
	uint8_t lane;
	bool is_told;	    /* its begin: told as soon as its model's name is known */
	bool is_cut;	    /* it had begun before recording did */
	uint64_t read_time; /* the last time that it read from the model's file; 0: never */
	/* a part of which only the beginning is seen: lasts until the next one */
	uint64_t part_time;
	uint32_t part; /* text, or node with part_is_node */
	bool part_is_node;
	bool part_is_phase;
	uint64_t weight_time; /* of the last weight, in the part that is theirs; else 0 */
	bool has_transformed;
	uint32_t n_transforms;
	uint64_t transform[16]; /* their stacks */
};

struct uprobe_thread {
	uint32_t tid, at; /* at: its place, and that of its reader */
	uint64_t last_time;
	uint32_t n_operators, n_runs, n_creations;
	struct open_operator operator[UPROBE_DEPTH];
	struct open_run run[UPROBE_RUNS];
	struct open_creation creation[UPROBE_CREATIONS];
};

/* The std::strings in a session or provider, as the program has told them, in the order of their offsets. */
struct uprobe_texts {
	uint64_t generation; /* in which they were read: those of another belong to another object */
	uint32_t n;
	struct {
		uint32_t offset, name; /* name: id in names */
	} text[UPROBE_MAX_TEXTS];
};

struct uprobe_process {
	struct recorded *recorded;
	char cwd[512];		       /* of the process; "" not known */
	bool has_gaps;		       /* not every inference is recorded */
	struct uprobe_thread **thread; /* by index of their reader; at most SEGMENT_MAX_RINGS */
	size_t n_threads;
	struct uprobe_thread *last; /* of which the last hit was; NULL: there was none */
	struct uprobe_table threads, sessions, texts, nodes;
	struct uprobe_table kernels; /* to ids of nodes in the recorded process's map */
	struct uprobe_texts *text_of;
	size_t n_text_of;
	uint32_t last_session;
	struct uprobe_table text; /* by name id: id in the recorded process's map */
	bool is_lean;		  /* sums are wanted alone: names that no sum has are left out, and there are at most */
	uint32_t n_models;	  /* so many models as UPROBE_MODELS; further ones are "other" */
	uint32_t last_run;
	uint64_t lanes, given_ns[UPROBE_LANES]; /* taken ones; when one was given back */
	struct {
		uint64_t options;
		uint32_t run, thread;
	} active[UPROBE_LANES];
	uint64_t n_cut_runs, n_cut_operators; /* of inferences that had begun before recording did */
	uint64_t n_unplaced;		      /* hits that found no room, or no begin after a loss */
	uint64_t n_unnamed;		      /* operators whose type could not be read */
};

/* One hit on its way. */
struct uprobe_step {
	struct uprobe_process *process;
	struct uprobe_thread *thread;
	const struct uprobe_record *hit;
	size_t size;		      /* of the hit with all that belongs to it */
	bool is_old_string;	      /* of the runtime it comes from */
	const char *runtime;	      /* its name; NULL: not known */
	bool has_load;		      /* there is a probe on its Load */
	bool has_weights;	      /* and before each weight */
	struct uprobe_counts *counts; /* of its sessions; NULL: not wanted */
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
};

/* NULL and err: no memory. cwd is copied (NULL: not known). */
struct uprobe_process *uprobe_process_new(pid_t pid, uint32_t track, const char *cwd, struct names *names,
					  struct err *err);
void uprobe_process_free(struct uprobe_process *process);

/*
 * Takes one hit of `size` bytes; thread and process of *step are filled in here from process. 0, -ENOMEM, or the sink's
 * error. One that makes no sense is counted and is no event.
 */
int uprobe_process_take(struct uprobe_process *process, struct uprobe_step *step);

/* Inferences that are open now. */
uint32_t uprobe_process_open_runs(const struct uprobe_process *process);
/* Those are cut off: their ends will not be seen. 0, -ENOMEM, or the sink's error. */
int uprobe_process_cut(struct uprobe_process *process, const struct uprobe_step *from);

/* ---- between these files ---- */

/* Hands a record on. */
int uprobe_process_tell(const struct uprobe_step *step, const struct record *record);
/* A line of the screen that no two inferences or creations have at a time. */
uint8_t uprobe_lane_take(struct uprobe_process *process, uint64_t start_ns);
void uprobe_lane_give(struct uprobe_process *process, uint8_t lane, uint64_t end_ns);
/* The text that comes with the hit, "" none; NUL-terminated within the hit. */
const char *uprobe_hit_text(const struct uprobe_step *step);

int uprobe_pair_operator(const struct uprobe_step *step);
int uprobe_pair_operator_end(const struct uprobe_step *step);
int uprobe_pair_run(const struct uprobe_step *step);
int uprobe_pair_run_end(const struct uprobe_step *step);

int uprobe_creation_load(const struct uprobe_step *step);
int uprobe_creation_loaded(const struct uprobe_step *step);
int uprobe_creation_begin(const struct uprobe_step *step);
int uprobe_creation_end(const struct uprobe_step *step);
int uprobe_creation_transform(const struct uprobe_step *step);
int uprobe_creation_transform_end(const struct uprobe_step *step);
/* A part that only shows its beginning. */
int uprobe_creation_part(const struct uprobe_step *step);
/* Borders of phases (event/phase.h). */
int uprobe_creation_read(const struct uprobe_step *step);
int uprobe_creation_predefined(const struct uprobe_step *step);
int uprobe_creation_resolve(const struct uprobe_step *step);
int uprobe_creation_phase(const struct uprobe_step *step);
int uprobe_creation_weights(const struct uprobe_step *step);
int uprobe_creation_weight(const struct uprobe_step *step);
int uprobe_creation_shared(const struct uprobe_step *step);
/* The session at this address is gone. */
int uprobe_creation_release(const struct uprobe_step *step);
bool uprobe_creation_is_open(const struct uprobe_process *process);

/* Id of a text in the recorded process's map, 0: none, or out of memory. */
uint32_t uprobe_text(struct uprobe_process *process, const char *text);
/* A new number for the session at this address; 0: out of memory. */
uint32_t uprobe_session_new(const struct uprobe_step *step);
/* Its number; 0: not seen so far. */
uint32_t uprobe_session_find(const struct uprobe_process *process, uint64_t object);
/* Finds out what its model is called, if that was told by now. */
void uprobe_session_name(struct uprobe_process *process, uint32_t session, bool is_old_string);
void uprobe_session_forget(struct uprobe_process *process, uint32_t session);
/* Notes where the runtime counts its inferences (uprobe_counts.h), if that is wanted. */
void uprobe_session_count(const struct uprobe_step *step, uint32_t session, bool is_new);
/* Remembers that the session has this provider. Its name (id in names), 0 not known. */
uint32_t uprobe_session_provider(struct uprobe_process *process, uint32_t session, uint64_t provider);
/* Keep what a struct uprobe_named tells of a kernel, or of a session or provider. False: out of memory. */
bool uprobe_kernel_learn(const struct uprobe_step *step);
bool uprobe_text_learn(const struct uprobe_step *step);
/* The kernel's node, id in the recorded process's map; 0: nothing is known of it. */
uint32_t uprobe_kernel_node(const struct uprobe_process *process, uint64_t object);

#endif
