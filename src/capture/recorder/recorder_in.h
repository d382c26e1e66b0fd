/* SPDX-License-Identifier: Apache-2.0 */
/* One recording, for the recorder's own files only. One thread. */
#ifndef CAPTURE_RECORDER_RECORDER_IN_H
#define CAPTURE_RECORDER_RECORDER_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/clock_watch.h"
#include "base/err.h"
#include "capture/recorder/latency.h"
#include "capture/recorder/recorder.h"
#include "event/open_runs.h"
#include "event/sink.h"
#include "event/tee.h"

/*
 * Which track lies below which, while a recording runs. When a process is over, all its tracks end, innermost first,
 * and their numbers are free for others: a recording of a server that forks for each request needs as many numbers as
 * it has processes at a time. Starts zeroed; one thread.
 */
struct recorder_track {
	uint64_t serial;	      /* 0: not defined */
	uint32_t parent, child, next; /* child: the newest; next: the one before it, below the same parent */
};

struct recorder_tracks {
	struct array tracks;	  /* struct recorder_track, by number */
	struct array free;	  /* uint32_t */
	uint64_t n_ended, n_late; /* n_late: defined after the first end */
};

/*
 * Takes the definition of a track. Returns its serial; 0: out of memory, and the track never ends. *is_new: it was not
 * defined before.
 */
uint64_t recorder_tracks_define(struct recorder_tracks *tracks, uint32_t track, uint32_t parent, bool *is_new);
/* Puts the end of the track, and before it that of all below it. 0, or the sink's error. */
int recorder_tracks_end(struct recorder_tracks *tracks, uint32_t track, struct sink *to, struct err *err);
void recorder_tracks_done(struct recorder_tracks *tracks);

/* The sink that sources see: counts what passes, and hands it to all sinks of the recording. One thread. */
struct recorder_tap {
	struct sink sink;
	struct sink *to; /* the only sink, or the tee */
	struct tee tee;
	struct latency latency;
	uint32_t runtime_topic, process_topic, sampled_topic, created_topic; /* names of notes */
	struct recorder_tracks tracks;
	uint64_t n_events; /* slices and instants */
	uint32_t other_topic;
	uint32_t other, other_version; /* a runtime that is not recorded; 0: none was loaded, or not known */
	bool lacks_runs;	       /* of a runtime no inference can be seen */
	uint64_t n_inferences, n_processes, n_runtimes, n_lost;
	uint64_t n_sampled_out; /* inferences that --sample or --rate left out */
	uint64_t n_unseen;	/* processes whose inferences were not seen */
};

/* sinks: as tee_init wants them. */
void recorder_tap_init(struct recorder_tap *tap, struct sink *const *sinks, size_t n);
void recorder_tap_done(struct recorder_tap *tap);

/*
 * One recording, for the recorder's own files only: recorder.c, which owns it, recorder_sources.c, recorder_attached.c,
 * recorder_clock.c and recorder_note.c. One thread.
 */
/* RECORDER_REST_NS: when a recorder that rests wakes up; what is due later comes at such a moment, too. */
#define RECORDER_REST_NS UINT64_C(100000000)

struct recorder_source {
	const struct source *source; /* NULL: ended */
	void *state;
	uint64_t due_ns;
};

struct recorder {
	struct recorder_tap tap; /* all events pass it: those of the sources, and the recorder's own notes */
	const struct recorder_opts *opts;
	struct recorder_way *way;
	struct target *target; /* the way's */
	struct tree tree;
	uint32_t track; /* of the recording; 0: none yet */
	struct recorder_source *source;
	size_t n_sources;
	struct recorder_result *result;
	uint64_t left_bytes;  /* on the disk of the file, as of the last flush; UINT64_MAX: unknown */
	uint64_t grown_bytes; /* written between the last two flushes */
	uint64_t start_ns, flushed_ns, shown_ns, tree_due_ns, disk_due_ns;
	uint64_t start_cpu_ns; /* of this process, for what was there before: a command may record several times */
	uint64_t start_helpers_ns, helpers_ns; /* the same of processes that sources have started and waited for */
	uint64_t left_due_ns;		       /* when to look again for what goes on without the program */
	bool is_recording, waits_for_ticks;
	struct clock_watch clock_watch;
	uint64_t source_looked_ns, n_clock_notes;
	char clock_source[32]; /* the kernel's, when last looked at */
};

/* Notes what happens to the machine's clocks while a recording runs: suspends, a clock that is set, another source. */
/* Call it each turn. */
void recorder_clock_look(struct recorder *recorder);

/* The programs to which a recording is attached (way->attached): who is in the tree, who has come and gone. */
/* Puts those into the tree that were added to the list and are not in it yet. 0, or -ENOMEM and err. */
int recorder_attached_admit(struct recorder *recorder, struct err *err);
/* Notes who has ended, admits who has come. 0, or -errno and err: it cannot go on. */
int recorder_attached_follow(struct recorder *recorder, uint64_t now_ns, struct err *err);

/* Processes that the program has started and that outlive it: daemons, jobs in the background. */
/*
 * How many go on once the program has ended. Those that became children of init before they were seen are found by
 * their environment, and put into the tree. Reads all of /proc.
 */
size_t recorder_left(struct recorder *recorder);

/* What the recorder itself writes into the file: what was recorded and how, how programs ended, what it cost. */
/* topic: EVENT_NOTE_ of event/event.h. A sink that fails is seen at the next flush. */
void recorder_note(struct recorder *recorder, const char *topic, const struct arg *args, size_t n);
void recorder_note_start(struct recorder *recorder);
/* status: as wait tells it; NULL: not known. */
void recorder_note_exit(struct recorder *recorder, pid_t pid, const int *status);
/* Fills in result->cpu_ns, too. */
void recorder_note_end(struct recorder *recorder);

/* What recording costs: an event in the program, and the recorder itself. */
/* What one event costs in a program with the agent in it: two clocks and a record. */
double recorder_cost_event_ns(void);
/* What a page fault that needs no disk takes here: a page of zeroes; 0: not known. */
double recorder_cost_fault_ns(void);
/* Peak of resident memory; 0: not known. */
int64_t recorder_cost_peak_bytes(void);
/* CPU time so far; whose: RUSAGE_SELF, or RUSAGE_CHILDREN: of those that have been waited for. */
uint64_t recorder_cost_cpu_ns(int whose);

/* The sources of one recording: which of them can run here, when each is to be drained, how one of them ends. */
/*
 * Starts all that can run here; of the others the reason is noted. 0, or -errno and err: one is missing without which
 * there is nothing to record (way->needed).
 */
int recorder_sources_start(struct recorder *recorder, struct err *err);
/*
 * Drains those whose time it is, at the end all, and ends each: a program does not pay for what nobody takes any more
 * while names of the stacks are read. One that fails ends and is noted. 0, or -errno and err: it is what the
 * recording is about.
 */
int recorder_sources_drain(struct recorder *recorder, uint64_t now_ns, struct err *err);
/* When the source is due without which there is nothing to record; UINT64_MAX: none is. */
uint64_t recorder_sources_needed_ns(const struct recorder *recorder);
/* Those that choose when they are drained are drained now. */
void recorder_sources_hurry(struct recorder *recorder, uint64_t now_ns);
/* The tree may have changed: those that say that they are due at once are. */
void recorder_sources_ask(struct recorder *recorder, uint64_t now_ns);
/* When the next one is due; UINT64_MAX: there is none. */
uint64_t recorder_sources_due_ns(const struct recorder *recorder);
void recorder_sources_stop(struct recorder *recorder);

/*
 * Starting a program with the agent in it: what kind of program it is, a private folder for the agent's segments, the
 * environment, fork and exec. Records nothing. Several may be under way at a time.
 */
struct launch_opts {
	const char *level;
	uint64_t ring_bytes;
	bool kernels;	     /* of devices, too */
	bool graph_nodes;    /* also nodes of graphs */
	bool use_ticks;	     /* the time stamp counter may be used */
	bool stdout_is_ours; /* what the program prints goes to standard error */
	const int *stdio;    /* its standard input, output and error; -1: ours. NULL: all are ours */
};

struct launch {
	pid_t pid;
	char dir[256];	   /* folder of the segments; "" when there is none */
	char program[512]; /* the file that runs, through scripts to their interpreter */
	char reason[200];  /* why the agent cannot be in it; "": it can */
	bool is_foreign;   /* a program of another processor */
	int lock;	   /* on the folder: who does not see our PID sees that it is in use */
	int hold;	   /* the child waits until this end of a pipe is closed */
	int failed;	   /* on which it reports the errno of an exec that failed */
};

/*
 * Prepares: resolves argv[0] in PATH, looks at the file, makes the folder. Nothing is started.
 * 0, or -errno and err: not found, not executable, no folder.
 */
int launch_prepare(struct launch *launch, char *const *argv, struct err *err);
/* Starts it, held until launch_go. 0, or -errno and err. */
int launch_start(struct launch *launch, const struct launch_opts *opts, char *const *argv, struct err *err);
/* Lets it run; -errno and err when exec failed. */
int launch_go(struct launch *launch, struct err *err);
/* Ends a program that launch_go has not let go. Removes the folder and what is left in it. */
void launch_done(struct launch *launch);

#endif
