/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording at any zoom. A row is one depth of one track: its slices are in order and do not overlap, so begins and
 * ends are both sorted. Rows are numbered over the whole recording; those of a track are consecutive.
 *
 *	level 1   node  node  node  ...		256 slices each
 *	level 0   node node node node ...	16 slices each
 *	slices    columns of the store, through at[] where a track has several depths
 *
 * A node says how much of its time is covered, by which two classes most, and which slice is the longest. A question is
 * answered from left to right with the largest nodes that fit into a pixel, in time proportional to pixels * log(n).
 * Counters have nodes of their own: smallest and largest of 16 samples.
 *
 * Borrows the store. When that has changed, pyramid_update comes before the next question: it costs what is new, or,
 * when the store has dropped something, what remains. One thread. Times are nanoseconds of the recording's clock.
 */
#ifndef ANALYZE_PYRAMID_PYRAMID_H
#define ANALYZE_PYRAMID_PYRAMID_H

#include "analyze/store/store.h"

enum {
	PYRAMID_FAN_BITS = 4,
	PYRAMID_FAN = 1 << PYRAMID_FAN_BITS,
	PYRAMID_LEVELS = 32 / PYRAMID_FAN_BITS - 1,
	PYRAMID_FULL = 255,
	PYRAMID_MAX_CLASSES = 0x7fff,
};

/* What decides the colour of a slice: the type of an operator, the category of a program's own slice, else its kind. */
struct pyramid_class {
	uint32_t name; /* of the store's names; 0: that of the kind */
	enum event_kind kind;
};

struct pyramid_node {
	uint64_t begin_ns, covered_ns;
	uint32_t longest; /* slice of the row */
	float longest_ns;
	uint16_t share[2]; /* of covered_ns, of 65,535 */
	uint16_t top[2];   /* classes with most time */
};

struct pyramid_row {
	const struct store_track *track; /* of a number that is not in use: NULL, and n is 0 */
	uint32_t *at;			 /* slice of the row to row of the track; NULL: the same */
	uint32_t n;			 /* slices */
	uint16_t depth;
	uint16_t n_levels;
	uint64_t end_ns; /* of an open slice that nothing follows: that of the recording */
	struct pyramid_node *level[PYRAMID_LEVELS];
	uint32_t n_nodes[PYRAMID_LEVELS];
	uint32_t n_built; /* slices that are in nodes */
	bool was_open;	  /* the last of them was, then */
	uint32_t at_capacity, node_capacity[PYRAMID_LEVELS];
};

struct pyramid;

/* NULL: out of memory. */
struct pyramid *pyramid_new(const struct store *store);
void pyramid_free(struct pyramid *pyramid);
/*
 * Takes in how the store has changed. Times stay relative to the same begin, classes keep their numbers, and rows, too,
 * unless their track becomes deeper or goes: then nothing lies on a row of the old number for now. 0, or -ENOMEM: it
 * may be updated again, or freed.
 */
int pyramid_update(struct pyramid *pyramid);
/* Another one: slices, or rows, have other numbers than before. */
uint64_t pyramid_version(const struct pyramid *pyramid);
/* The begin of the first slice, or sample, that came, went on or ended since it was asked last; UINT64_MAX: none. */
uint64_t pyramid_take_changed(struct pyramid *pyramid);

/* Of all events of the store; both 0: there are none. */
uint64_t pyramid_begin(const struct pyramid *pyramid);
uint64_t pyramid_end(const struct pyramid *pyramid);
uint32_t pyramid_n_rows(const struct pyramid *pyramid);
/* NULL: no such row. */
const struct pyramid_row *pyramid_row(const struct pyramid *pyramid, uint32_t row);
/* The first row of a track, of *n; *n is 0 where it has none. */
uint32_t pyramid_rows_of(const struct pyramid *pyramid, uint32_t track, uint32_t *n);

uint32_t pyramid_n_classes(const struct pyramid *pyramid);
const struct pyramid_class *pyramid_class(const struct pyramid *pyramid, uint32_t number);
uint16_t pyramid_class_of(const struct pyramid *pyramid, const struct store_slices *slices, size_t at);
/* Of an operator, or of a kernel that one has asked for: the class of its type; 0: it has none. */
uint16_t pyramid_type_of(const struct pyramid *pyramid, const struct store_slices *slices, size_t at);

/* Stops at the largest number: files may have any times. */
static inline uint64_t pyramid_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The row of the track's columns that holds a slice of the row. */
static inline size_t pyramid_at(const struct pyramid_row *row, uint32_t slice)
{
	return row->at ? row->at[slice] : slice;
}

static inline uint64_t pyramid_slice_begin(const struct pyramid_row *row, uint32_t slice)
{
	return row->track->slices.begin_ns[pyramid_at(row, slice)];
}

static inline bool pyramid_is_open(const struct pyramid_row *row, uint32_t slice)
{
	return row->track->slices.end_ns[pyramid_at(row, slice)] == STORE_OPEN;
}

/* Of an open slice: where the next begins, else the recording's end. */
static inline uint64_t pyramid_slice_end(const struct pyramid_row *row, uint32_t slice)
{
	uint64_t end_ns = row->track->slices.end_ns[pyramid_at(row, slice)];

	if (end_ns != STORE_OPEN)
		return end_ns;
	return slice + 1 < row->n ? pyramid_slice_begin(row, slice + 1) : row->end_ns;
}

/* The first slice of the row that ends after the time, or begins then or later; row->n: there is none. */
uint32_t pyramid_first_after(const struct pyramid_row *row, uint64_t time_ns);
/* The first that begins then or later. */
uint32_t pyramid_first_from(const struct pyramid_row *row, uint64_t time_ns);
/* The slice of the row that is row `at` of its track; row->n: it is of another depth. */
uint32_t pyramid_slice_at(const struct pyramid_row *row, size_t at);
/* The time that slices first..end-1 of the row cover. */
uint64_t pyramid_covered(const struct pyramid_row *row, uint32_t first, uint32_t end);

/* What to draw: n pixels of px_ns from from_ns on; what would lie behind the last time there is, does not exist. */
struct pyramid_range {
	uint64_t from_ns, px_ns;
	uint32_t n_px;
};

/* A slice of at least a pixel. */
struct pyramid_big {
	uint64_t begin_ns, end_ns;
	uint32_t slice, name;
	uint16_t class;
	bool is_open;
};

/* Neighbouring pixels in which smaller slices begin, of one class and fill. */
struct pyramid_run {
	uint32_t count; /* slices */
	uint16_t x, length, class;
	uint8_t fill;	 /* 1..255: share of the pixels that is covered */
	uint8_t longest; /* 4 * log2 of nanoseconds */
};

struct pyramid_picture {
	size_t n_big, n_runs;
	struct pyramid_big *big;
	struct pyramid_run *run;
};

/*
 * Appends what a row shows; the picture must have room for n_px + 1 more of each. A slice that is smaller than a pixel
 * belongs to the pixel that it begins in: each is counted once, whatever the ranges.
 */
void pyramid_draw(const struct pyramid *pyramid, const struct pyramid_row *row, const struct pyramid_range *range,
		  struct pyramid_picture *to);

/* A counter's samples in one pixel. */
struct pyramid_sample {
	float min, max, last;
	uint16_t x;
};

/*
 * What a counter shows, one element for each pixel that has a sample: to must have room for n_px. Returns their number.
 * before: the value that holds where the range begins; NAN: none.
 */
uint32_t pyramid_draw_counter(const struct pyramid *pyramid, uint32_t track, const struct pyramid_range *range,
			      struct pyramid_sample *to, double *before);

#endif
