/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a source's data for each process of the tree, and decides when to sample it: soon after the process is first
 * seen, then whenever its age has doubled, so that even a short-lived one has samples; later once per interval, on the
 * interval's grid, so that all sources and processes wake the recorder up together.
 */
#ifndef CAPTURE_SOURCE_FOLLOW_H
#define CAPTURE_SOURCE_FOLLOW_H

#include "capture/proc/proc.h"
#include "capture/source/source.h"

/* First member of the struct that a source keeps for a process; the rest starts zeroed. */
struct followed {
	pid_t pid;
	uint64_t start_ticks, seen_ns, due_ns;
	uint32_t noted;	     /* files already noted as unreadable */
	uint32_t note_track; /* track of those notes; 0: none so far */
};

/* One sample of one process. All is borrowed for the call. */
struct sample {
	const struct target *target;
	const struct tree_process *process;
	struct sink *out;
	uint64_t now_ns;
	struct err *err;
};

struct follow_kind {
	size_t item_size;
	int (*sample)(void *state, const struct sample *sample, void *item); /* 0, or the sink's error */
	void (*done)(void *item);			      /* closes files that the item keeps open; may be NULL */
	int (*gone)(const struct sample *sample, void *item); /* before it: the process has ended; may be NULL */
	bool is_fine; /* of a struct sampler: it samples as often as fine_begin says */
};

/* Starts zeroed. Items lie in the order of the tree. */
struct follow {
	char *item;
	size_t n, capacity;
	uint64_t due_ns;
};

/* Follows the tree, then samples every process that is due: all of them when the target is ending. */
int follow_drain(struct follow *follow, const struct follow_kind *kind, void *state, const struct sample *sample);
uint64_t follow_due_ns(const struct follow *follow, const struct follow_kind *kind, const struct tree *tree);
void follow_done(struct follow *follow, const struct follow_kind *kind);

/* The interval, 1 s by default; the next time on its grid after now. */
uint64_t sample_interval_ns(const struct target *target);
uint64_t sample_next_ns(uint64_t interval_ns, uint64_t now_ns);
/* The time stamp of a value that was just read. In a captured tree the caller sets the time. */
uint64_t sample_clock_ns(const struct target *target, uint64_t now_ns);
int sample_due_ms(uint64_t due_ns);

/*
 * Where the first span of a process begins: at its start if it was young (below a second) when first seen, because all
 * its counts are then of this span; else now.
 */
uint64_t sample_since_ns(const struct tree_process *process, uint64_t now_ns);

/* For check: whether this file of the target can be read and has the right form. Without a pid always 0. */
int sample_check(const struct target *target, const char *name, bool (*is_good)(const char *text, size_t len),
		 struct err *err);

/* The same of /proc/PID/stat. */
int sample_check_stat(const struct target *target, struct err *err);

/* proc_read or, while there are few processes, proc_file_read. */
ssize_t sample_read(const struct sample *sample, struct proc_file *file, const char *name, void *buf, size_t size);
/* Reads /proc/PID/stat so. 0, or -errno; -EPROTO: it has another form. */
ssize_t sample_read_stat(const struct sample *sample, struct proc_file *file, struct proc_stat *stat);
/*
 * Notes once per process and bit that a file could not be read (-errno) or parsed (-EPROTO), on a lane of its own below
 * the process. Ignores a process that is gone.
 */
int sample_unreadable(const struct sample *sample, struct followed *followed, unsigned bit, const char *name,
		      ssize_t result);

/*
 * For sources that say why an inference was slow: they sample more often than the interval, because inferences are
 * short, but spend at most a thousandth of the time on it.
 */

/* Starts zeroed, but for target. */
struct fine {
	const struct target *target; /* the recording's */
	struct target own;	     /* the same with an interval of its own */
	uint64_t began_ns, cost_ns;  /* CPU time: when the round began; of a round, smoothed */
};

/* Begins a round: the target to sample with. */
const struct target *fine_begin(struct fine *fine);
/* In a captured tree nothing costs anything. */
void fine_end(struct fine *fine);

/*
 * First member of the state of a source that samples each process and does little else: its start sets kind and
 * fine.target, and the rest of the source are these functions. sample gets the source's state.
 */
struct sampler {
	const struct follow_kind *kind;
	struct fine fine;
	struct follow follow;
};

int sampler_due_ms(const void *state);
int sampler_drain(void *state, struct sink *out, uint64_t now_ns, struct err *err);
void sampler_stop(void *state);

#endif
