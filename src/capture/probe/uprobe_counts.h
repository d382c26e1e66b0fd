/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime's own counts of the inferences of its sessions, read from outside while no probes are in. ONNX Runtime
 * (1.7 to 1.32) keeps one in each session, 16 bytes before a text that it has there. It grows when an inference ends,
 * and begins anew with the first inference and when the runtime has reported it: every ten minutes, at first sooner.
 *
 * A count is believed as far as it agrees with what probes see while they are in: the runtime does not count
 * inferences that fail because of their inputs. One that grows faster than inferences end counts something else.
 * Reads another process, and writes nothing. Plain data; one thread. Times are of the clock of the probes.
 */
#ifndef CAPTURE_PROBE_UPROBE_COUNTS_H
#define CAPTURE_PROBE_UPROBE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/probe/uprobe_table.h"

enum { UPROBE_MAX_COUNTED = 4096 }; /* sessions of a copy of the runtime */
#define UPROBE_UNCOUNTED UINT32_MAX

/* Of a session. */
struct uprobe_counted {
	uint32_t session;
	uint64_t at;	/* address of the std::string behind the count */
	uint64_t text;	/* its first word: another object is there when that changes */
	uint32_t count; /* as it was read last, at: */
	uint64_t read_ns;
	uint64_t since_ns;		    /* seen are those that end later */
	bool is_readable, is_wild, is_over; /* is_wild: grows too fast; is_over: the session was released */
	/* While probes are in, by the count and by probes: in the last window, and in those before, the newer the more.
	 */
	struct uprobe_agreement {
		double counted, seen;
	} window, before;
	double per_s; /* by the count, at the last look */
	/* While they are out: by the count, by probes, and of their difference what was handed on. */
	double n_counted, n_late, n_told;
	uint64_t n_unseen; /* not taken yet */
	uint64_t n_owed;   /* handed on, and seen after all: the probes' record came late */
};

struct uprobe_counts {
	pid_t pid;
	bool has_any;	    /* a session with a count has run */
	uint32_t n_unknown; /* sessions without, that were not released */
	bool is_gap, has_over;
	uint64_t changed_ns; /* when the gap or the window began */
	uint64_t gap_ns;     /* when the newest gap began; 0: none yet */
	struct uprobe_counted *row;
	uint32_t n;
	struct uprobe_table rows; /* by session: its row + 1, or UPROBE_UNCOUNTED */
};

/* at: 0, this session has none. is_new: it has just been created. */
void uprobe_counts_add(struct uprobe_counts *counts, uint32_t session, uint64_t at, bool is_new, uint64_t now_ns);
/* Whether it was added, with a count or without. */
bool uprobe_counts_has(const struct uprobe_counts *counts, uint32_t session);
/* An inference was seen to end; that the session was released: half of the time until then it ran
 * as fast as at the last look. */
void uprobe_counts_end(struct uprobe_counts *counts, uint32_t session, uint64_t time_ns);
void uprobe_counts_release(struct uprobe_counts *counts, uint32_t session, uint64_t time_ns);
/* What begins from now on is not seen, or is again. */
void uprobe_counts_close(struct uprobe_counts *counts, uint64_t now_ns);
void uprobe_counts_open(struct uprobe_counts *counts, uint64_t now_ns);
/* Reads all again: ten times a second in a gap; once a second in a window that may end. */
void uprobe_counts_look(struct uprobe_counts *counts, uint64_t now_ns);
/* Whether they tell how many inferences run unseen. */
bool uprobe_counts_are_sound(const struct uprobe_counts *counts);
/* How many ran unseen of a row, since the last call. */
uint64_t uprobe_counts_take(struct uprobe_counts *counts, uint32_t row);
/* Rows of sessions that were released go, once all are taken. */
void uprobe_counts_tidy(struct uprobe_counts *counts);
/* Empty again. */
void uprobe_counts_done(struct uprobe_counts *counts);

#endif
