// SPDX-License-Identifier: Apache-2.0
/*
 * Tiles: what 512 pixels of 2^k nanoseconds show, in columns that the page lays typed arrays over. All is
 * little-endian; each column is padded to 8 bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/view/view_in.h"

enum {
	TILE_PX = 512,
	MAX_LEVEL = 50,
	MAX_ROWS = 256,
	MAX_COUNTERS = 64,
	SLICES_MAGIC = 0x31544649,  /* IFT1 */
	CHANGED_MAGIC = 0x30544649, /* IFT0 */
	COUNTER_MAGIC = 0x31434649, /* IFC1 */
	CUT = 0x8000,
};

/* Room for one row's picture, and where each row's part lies. */
struct tile {
	struct pyramid_picture picture;
	struct {
		uint32_t row;
		size_t big, run; /* first of the row */
	} rows[MAX_ROWS + 1];
	uint32_t n_rows;
};

/* Bytes of columns in the making. */
struct columns {
	uint8_t *data;
	size_t size;
};

/* The next column of n elements, zeroed up to the padding. */
static void *column(struct columns *to, size_t n, size_t size)
{
	void *at = to->data + to->size;

	to->size += (n * size + 7) / 8 * 8;
	return at;
}

static size_t padded(size_t n, size_t size)
{
	return (n * size + 7) / 8 * 8;
}

/* The range of pixels; false: the answer says what is wrong. */
static bool find_range(const struct view *view, const struct http_request *request, struct pyramid_range *range,
		       struct http_answer *answer)
{
	uint64_t level = UINT64_MAX, number = UINT64_MAX;

	if (!http_request_count(request, "k", MAX_LEVEL, &level) || level == UINT64_MAX) {
		http_say(answer, 400, "k must be from 0 to %d: pixels of 2^k nanoseconds", MAX_LEVEL);
		return false;
	}
	/* so that no time leaves 62 bits */
	if (!http_request_count(request, "i", (UINT64_C(1) << (52 - level)) - 1, &number) || number == UINT64_MAX) {
		http_say(answer, 400, "i must be the number of a tile, from 0");
		return false;
	}
	range->px_ns = UINT64_C(1) << level;
	range->from_ns = pyramid_sum(view_zero(view), number * TILE_PX * range->px_ns);
	range->n_px = TILE_PX;
	return true;
}

static bool find_rows(const struct view *view, const struct http_request *request, uint32_t *first, uint32_t *last)
{
	const char *text = http_request_text(request, "rows");
	unsigned long from, to;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	from = to = strtoul(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		to = strtoul(end + 1, &end, 10);
	/* rows that are still to come show nothing */
	if (view->live && to >= pyramid_n_rows(view->pyramid))
		to = from < pyramid_n_rows(view->pyramid) ? pyramid_n_rows(view->pyramid) - 1ul : to;
	if (*end || from > to || to >= pyramid_n_rows(view->pyramid) || to - from >= MAX_ROWS)
		return false;
	*first = (uint32_t)from;
	*last = (uint32_t)to;
	return true;
}

static void put_big(const struct view *view, const struct tile *tile, struct columns *to)
{
	size_t n = tile->picture.n_big;
	double *begin = column(to, n, 8), *end = column(to, n, 8);
	uint32_t *row = column(to, n, 4), *name = column(to, n, 4), *slice = column(to, n, 4);
	uint16_t *class = column(to, n, 2);

	for (uint32_t r = 0; r < tile->n_rows; r++)
		for (size_t i = tile->rows[r].big; i < tile->rows[r + 1].big; i++)
			row[i] = tile->rows[r].row;
	for (size_t i = 0; i < n; i++) {
		const struct pyramid_big *from = &tile->picture.big[i];

		begin[i] = view_time(view, from->begin_ns);
		end[i] = view_time(view, from->end_ns);
		name[i] = from->name;
		slice[i] = from->slice;
		class[i] = (uint16_t)(from->class | (from->is_open ? CUT : 0));
	}
}

static uint32_t rows_with_runs(const struct tile *tile)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < tile->n_rows; r++)
		n += tile->rows[r + 1].run > tile->rows[r].run;
	return n;
}

static void put_runs(const struct tile *tile, uint32_t n_rows, struct columns *to)
{
	size_t n = tile->picture.n_runs;
	uint32_t *row = column(to, n_rows, 4), *first = column(to, n_rows, 4), *count = column(to, n, 4);
	uint16_t *x = column(to, n, 2), *length = column(to, n, 2), *class = column(to, n, 2);
	uint8_t *fill = column(to, n, 1), *longest = column(to, n, 1);

	for (uint32_t r = 0, at = 0; r < tile->n_rows; r++) {
		if (tile->rows[r + 1].run == tile->rows[r].run)
			continue;
		row[at] = tile->rows[r].row;
		first[at++] = (uint32_t)tile->rows[r].run;
	}
	for (size_t i = 0; i < n; i++) {
		const struct pyramid_run *from = &tile->picture.run[i];

		count[i] = from->count;
		x[i] = from->x;
		length[i] = from->length;
		class[i] = from->class;
		fill[i] = from->fill;
		longest[i] = from->longest;
	}
}

static void put_tile(const struct view *view, const struct tile *tile, struct http_answer *answer)
{
	size_t n_big = tile->picture.n_big, n_runs = tile->picture.n_runs;
	uint32_t n_rows = rows_with_runs(tile);
	const uint32_t header[] = { SLICES_MAGIC, (uint32_t)n_big, n_rows, (uint32_t)n_runs };
	size_t size = sizeof header + 2 * padded(n_big, 8) + 3 * padded(n_big, 4) + padded(n_big, 2) +
		      2 * padded(n_rows, 4) + padded(n_runs, 4) + 3 * padded(n_runs, 2) + 2 * padded(n_runs, 1);
	struct columns to = { calloc(1, size), 0 };

	if (!to.data) {
		view_say_no_memory(answer);
		return;
	}
	memcpy(column(&to, 1, sizeof header), header, sizeof header);
	put_big(view, tile, &to);
	put_runs(tile, n_rows, &to);
	*answer = (struct http_answer){ 200, "application/octet-stream", to.data, to.size, false };
}

static bool make_room(struct pyramid_picture *picture, size_t n_rows)
{
	size_t n = n_rows * (TILE_PX + 1);

	picture->big = malloc(n * sizeof *picture->big);
	picture->run = malloc(n * sizeof *picture->run);
	return picture->big && picture->run;
}

/* What is asked for by numbers of long ago is something else now; no error, which browsers would note. */
static bool is_of_now(const struct view *view, const struct http_request *request, struct http_answer *answer)
{
	static const uint32_t changed[4] = { CHANGED_MAGIC };
	uint64_t version = view->version;

	if (!http_request_count(request, "version", UINT64_MAX - 1, &version) || version == view->version)
		return true;
	*answer = (struct http_answer){ 200, "application/octet-stream", (void *)changed, sizeof changed, true };
	return false;
}

VIEW_ANSWER(tile)
{
	struct pyramid_range range;
	struct tile tile = { 0 };
	uint32_t first, last;

	if (!is_of_now(view, request, answer) || !find_range(view, request, &range, answer))
		return NULL;
	if (!find_rows(view, request, &first, &last)) {
		http_say(answer, 400, "rows must be A-B, at most %d of the recording's %u rows", MAX_ROWS,
			 pyramid_n_rows(view->pyramid));
		return NULL;
	}
	if (make_room(&tile.picture, last - first + 1)) {
		for (uint32_t row = first; row <= last; row++) {
			tile.rows[tile.n_rows].row = row;
			pyramid_draw(view->pyramid, pyramid_row(view->pyramid, row), &range, &tile.picture);
			tile.n_rows++;
			tile.rows[tile.n_rows].big = tile.picture.n_big;
			tile.rows[tile.n_rows].run = tile.picture.n_runs;
		}
		put_tile(view, &tile, answer);
	} else {
		view_say_no_memory(answer);
	}
	free(tile.picture.big);
	free(tile.picture.run);
	return NULL;
}

static void put_counter(struct view *view, uint32_t id, const struct pyramid_range *range, struct columns *to)
{
	struct pyramid_sample samples[TILE_PX];
	double before;
	uint32_t n = pyramid_draw_counter(view->pyramid, id, range, samples, &before);
	uint32_t *head = column(to, 2, 4);
	double *at_begin;
	float *min, *max, *last;
	uint16_t *x;

	head[0] = id;
	head[1] = n;
	at_begin = column(to, 1, 8);
	*at_begin = before;
	x = column(to, n, 2);
	min = column(to, n, 4);
	max = column(to, n, 4);
	last = column(to, n, 4);
	for (uint32_t i = 0; i < n; i++) {
		x[i] = samples[i].x;
		min[i] = samples[i].min;
		max[i] = samples[i].max;
		last[i] = samples[i].last;
	}
}

/* "1,2,3"; 0: it is no such list. */
static uint32_t find_counters(const struct view *view, const struct http_request *request, uint32_t *ids)
{
	const char *at = http_request_text(request, "ids");
	uint32_t n = 0;
	char *end;

	while (at && n < MAX_COUNTERS) {
		unsigned long id = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;

		if (!id || id > store_n_tracks(view->store))
			return 0;
		ids[n++] = (uint32_t)id;
		if (!*end)
			return n;
		if (*end != ',')
			return 0;
		at = end + 1;
	}
	return 0;
}

VIEW_ANSWER(counter_tile)
{
	const size_t each = 2 * 8 + padded(TILE_PX, 2) + 3 * padded(TILE_PX, 4);
	uint32_t ids[MAX_COUNTERS], n = find_counters(view, request, ids), *head;
	struct pyramid_range range;
	struct columns to = { 0 };

	if (!find_range(view, request, &range, answer))
		return NULL;
	if (!n) {
		http_say(answer, 400, "ids must be numbers of counters with commas between them, at most %d",
			 MAX_COUNTERS);
		return NULL;
	}
	to.data = calloc(1, 8 + n * each);
	if (!to.data) {
		view_say_no_memory(answer);
		return NULL;
	}
	head = column(&to, 2, 4);
	head[0] = COUNTER_MAGIC;
	head[1] = n;
	for (uint32_t i = 0; i < n; i++)
		put_counter(view, ids[i], &range, &to);
	*answer = (struct http_answer){ 200, "application/octet-stream", to.data, to.size, false };
	return NULL;
}
