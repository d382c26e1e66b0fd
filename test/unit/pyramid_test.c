// SPDX-License-Identifier: Apache-2.0
/* Every answer of a pyramid is compared with a plain scan of the same slices, at many zooms. */
#include "analyze/pyramid/pyramid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "stream.h"

enum { N_PX = 512 };

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return below ? seed % below : 0;
}

static void put(struct stream *s, enum event_type type, uint32_t track, uint64_t ns, const char *op_type)
{
	struct event event = {
		.type = type,
		.kind = op_type ? KIND_OPERATOR : KIND_INFERENCE,
		.track = track,
		.name = stream_name(s, op_type ? op_type : "run"),
		.time_ns = ns,
	};

	if (op_type && type == EVENT_BEGIN)
		stream_text(s, KEY_OP_TYPE, op_type);
	event.args = s->args;
	event.n_args = s->n_args;
	s->n_args = 0;
	assert_int_equal(sink_put(s->sink, &event, NULL), 0);
}

/* Durations from 0 ns to some milliseconds, most of them short. */
static uint64_t random_ns(void)
{
	return next_random(4) ? next_random(UINT64_C(1) << next_random(14))
			      : next_random(UINT64_C(1) << next_random(23));
}

/* Slices that nest at random. Some have no end: the next of their depth ends them. */
static void put_track(struct stream *s, uint32_t track, uint32_t n, unsigned max_depth)
{
	static const char *const types[] = { "Conv", "Relu", "Gemm", "Add", NULL, "Mul", "Softmax" };
	uint64_t ns = 1000000 + random_ns();
	unsigned depth = 0;

	for (uint32_t i = 0; i < n;) {
		ns += random_ns();
		if (depth && (depth == max_depth || !next_random(max_depth > 8 ? 3 : 2))) {
			/* an end that lies before its begin is not believed */
			put(s, EVENT_END, track, next_random(200) ? ns : 1, NULL);
			depth--;
			continue;
		}
		put(s, EVENT_BEGIN, track, ns, types[next_random(sizeof types / sizeof *types)]);
		depth++;
		i++;
		if (!next_random(5)) { /* of no length */
			put(s, EVENT_END, track, ns, NULL);
			depth--;
		}
	}
	while (depth-- > next_random(2)) /* one may stay open */
		put(s, EVENT_END, track, ns += random_ns(), NULL);
}

struct world {
	struct stream stream;
	struct pyramid *pyramid;
	uint32_t counter;
};

static int setup(void **state)
{
	static const struct {
		uint32_t n;
		unsigned depth;
	} tracks[] = { { 1, 1 }, { 16, 1 }, { 17, 1 }, { 5000, 1 }, { 9000, 4 }, { 2000, 40 }, { 70000, 2 }, { 0, 1 } };
	struct world *world = calloc(1, sizeof *world);
	struct stream *s = &world->stream;
	uint32_t process;
	uint64_t ns = 0;

	stream_init(s);
	process = stream_process(s, 42, "program");
	for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++)
		put_track(s, stream_thread(s, process, 43 + (int32_t)i), tracks[i].n, tracks[i].depth);
	world->counter = stream_counter(s, process, "cpu", "%");
	for (int i = 0; i < 30000; i++) {
		struct event event = { .type = EVENT_COUNTER,
				       .track = world->counter,
				       .time_ns = ns += random_ns(),
				       .value = (double)next_random(1000) };

		assert_int_equal(sink_put(s->sink, &event, NULL), 0);
	}
	world->pyramid = pyramid_new(s->store);
	assert_non_null(world->pyramid);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	pyramid_free(world->pyramid);
	stream_done(&world->stream);
	free(world);
	return 0;
}

/* What one pixel should show. */
struct pixel {
	uint32_t count;
	uint64_t covered_ns, longest_ns;
	double of_class[64];
};

static uint64_t length(const struct pyramid_row *row, uint32_t slice)
{
	return pyramid_slice_end(row, slice) - pyramid_slice_begin(row, slice);
}

/* The pixels, and how many slices are big. */
static uint32_t scan(const struct pyramid *pyramid, const struct pyramid_row *row, const struct pyramid_range *range,
		     struct pixel *pixels)
{
	uint64_t end_ns = range->from_ns + range->n_px * range->px_ns;
	uint32_t n_big = 0;

	memset(pixels, 0, range->n_px * sizeof *pixels);
	for (uint32_t i = 0; i < row->n; i++) {
		uint64_t begin_ns = pyramid_slice_begin(row, i), ns = length(row, i);
		struct pixel *pixel;

		if (begin_ns >= end_ns || (begin_ns + ns <= range->from_ns && begin_ns < range->from_ns))
			continue;
		if (ns >= range->px_ns) {
			n_big++;
			continue;
		}
		if (begin_ns < range->from_ns)
			continue;
		pixel = &pixels[(begin_ns - range->from_ns) / range->px_ns];
		pixel->count++;
		pixel->covered_ns += ns;
		pixel->longest_ns = ns > pixel->longest_ns ? ns : pixel->longest_ns;
		pixel->of_class[pyramid_class_of(pyramid, &row->track->slices, pyramid_at(row, i))] += (double)ns + 1;
	}
	return n_big;
}

/* A class that has nearly all of the time must be the one that is shown, and no class may be shown that is not there.
 */
static void check_class(const struct pixel *pixel, uint16_t class)
{
	double all = 0;

	for (size_t i = 0; i < 64; i++)
		all += pixel->of_class[i];
	assert_true(pixel->of_class[class] > 0);
	for (uint16_t i = 0; i < 64; i++)
		if (pixel->of_class[i] > 0.9 * all)
			assert_int_equal(class, i);
}

static uint8_t fill_of(const struct pixel *pixel, uint64_t px_ns)
{
	double steps = floor(1 + (double)pixel->covered_ns / (double)px_ns * 15 + 0.5);

	return (uint8_t)(fmin(steps, 15) * 255 / 15);
}

static void check_runs(const struct pyramid_picture *picture, const struct pixel *pixels, uint64_t px_ns)
{
	uint32_t x = 0;

	for (size_t r = 0; r < picture->n_runs; r++) {
		const struct pyramid_run *run = &picture->run[r];
		uint64_t longest_ns = 0;
		uint32_t count = 0;

		for (; x < run->x; x++)
			assert_int_equal(pixels[x].count, 0);
		assert_true(run->length > 0 && run->x + run->length <= N_PX);
		for (; x < (uint32_t)run->x + run->length; x++) {
			assert_true(pixels[x].count > 0);
			assert_int_equal(fill_of(&pixels[x], px_ns), run->fill);
			check_class(&pixels[x], run->class);
			count += pixels[x].count;
			longest_ns = pixels[x].longest_ns > longest_ns ? pixels[x].longest_ns : longest_ns;
		}
		assert_int_equal(run->count, count);
		assert_int_equal(run->longest, (int)(4 * log2f((float)longest_ns + 1)));
	}
	for (; x < N_PX; x++)
		assert_int_equal(pixels[x].count, 0);
}

static void check_big(const struct pyramid_row *row, const struct pyramid_picture *picture,
		      const struct pyramid_range *range)
{
	for (size_t i = 0; i < picture->n_big; i++) {
		const struct pyramid_big *big = &picture->big[i];

		assert_true(!i || big->slice > picture->big[i - 1].slice);
		assert_int_equal(big->begin_ns, pyramid_slice_begin(row, big->slice));
		assert_int_equal(big->end_ns, pyramid_slice_end(row, big->slice));
		assert_true(big->end_ns - big->begin_ns >= range->px_ns);
		assert_int_equal(big->name, row->track->slices.name[pyramid_at(row, big->slice)]);
		assert_int_equal(big->is_open, pyramid_is_open(row, big->slice));
	}
}

static void check(const struct pyramid *pyramid, const struct pyramid_row *row, const struct pyramid_range *range)
{
	static struct pixel pixels[N_PX];
	struct pyramid_big big[N_PX + 1];
	struct pyramid_run run[N_PX + 1];
	struct pyramid_picture picture = { .big = big, .run = run };

	pyramid_draw(pyramid, row, range, &picture);
	assert_true(picture.n_big <= N_PX + 1 && picture.n_runs <= N_PX);
	assert_int_equal(picture.n_big, scan(pyramid, row, range, pixels));
	check_big(row, &picture, range);
	check_runs(&picture, pixels, range->px_ns);
}

#define CASE(name) TEST_FROM(name, struct world, world, setup, teardown)

CASE(every_picture_is_that_of_a_plain_scan)
{
	const struct pyramid *pyramid = world->pyramid;
	uint64_t all_ns = pyramid_end(pyramid) - pyramid_begin(pyramid);

	assert_true(pyramid_n_rows(pyramid) > 40);
	assert_true(store_counts(world->stream.store)->n_open > 100);
	for (uint32_t row = 0; row < pyramid_n_rows(pyramid); row++) {
		for (int i = 0; i < 20; i++) {
			struct pyramid_range range = { .px_ns = UINT64_C(1) << next_random(24), .n_px = N_PX };

			range.from_ns = pyramid_begin(pyramid) + next_random(all_ns) / range.px_ns * range.px_ns;
			check(pyramid, pyramid_row(pyramid, row), &range);
		}
	}
}

CASE(borders_that_are_begins_and_ends_count_no_slice_twice)
{
	const struct pyramid *pyramid = world->pyramid;

	for (uint32_t number = 0; number < pyramid_n_rows(pyramid); number++) {
		const struct pyramid_row *row = pyramid_row(pyramid, number);

		for (int i = 0; i < 8 && row->n; i++) {
			uint32_t slice = (uint32_t)next_random(row->n);
			uint64_t px_ns = 1 + next_random(3000);

			check(pyramid, row, &(struct pyramid_range){ pyramid_slice_begin(row, slice), px_ns, N_PX });
			check(pyramid, row, &(struct pyramid_range){ pyramid_slice_end(row, slice), px_ns, N_PX });
			/* a pixel exactly as wide as the slice */
			if (length(row, slice))
				check(pyramid, row,
				      &(struct pyramid_range){ pyramid_slice_begin(row, slice), length(row, slice),
							       N_PX });
		}
	}
}

/* The last slice of a node is as wide as the pixel, and the next node begins where both end. */
TEST(a_slice_that_fills_its_pixel_is_no_part_of_a_node)
{
	const struct pyramid_range range = { 1000, 1000, N_PX };
	struct stream s;
	struct pyramid *pyramid;
	uint32_t track;

	stream_init(&s);
	track = stream_thread(&s, stream_process(&s, 42, "program"), 43);
	for (int i = 0; i < 64; i++) {
		put(&s, EVENT_BEGIN, track, i <= 15 ? 1000 : 2000, NULL);
		put(&s, EVENT_END, track, i < 15 ? 1000 : 2000, NULL);
	}
	pyramid = pyramid_new(s.store);
	check(pyramid, pyramid_row(pyramid, 0), &range);
	pyramid_free(pyramid);
	stream_done(&s);
}

CASE(tiles_side_by_side_have_each_slice_once)
{
	const struct pyramid *pyramid = world->pyramid;

	for (int level = 12; level < 26; level += 3) {
		struct pyramid_range range = { .px_ns = UINT64_C(1) << level, .n_px = N_PX };

		for (uint32_t number = 0; number < pyramid_n_rows(pyramid); number++) {
			const struct pyramid_row *row = pyramid_row(pyramid, number);
			uint64_t n = 0, n_big = 0;

			for (range.from_ns = pyramid_begin(pyramid); range.from_ns <= pyramid_end(pyramid);
			     range.from_ns += range.px_ns * N_PX) {
				struct pyramid_big big[N_PX + 1];
				struct pyramid_run run[N_PX + 1];
				struct pyramid_picture picture = { .big = big, .run = run };

				pyramid_draw(pyramid, row, &range, &picture);
				for (size_t i = 0; i < picture.n_runs; i++)
					n += run[i].count;
				for (size_t i = 0; i < picture.n_big; i++)
					n_big += big[i].begin_ns >= range.from_ns;
			}
			assert_int_equal(n + n_big, row->n);
		}
	}
}

CASE(rows_hold_every_slice_of_their_track)
{
	const struct pyramid *pyramid = world->pyramid;

	for (uint32_t id = 1; id <= store_n_tracks(world->stream.store); id++) {
		const struct store_track *track = store_track(world->stream.store, id);
		uint32_t n_rows, first = pyramid_rows_of(pyramid, id, &n_rows);
		size_t n = 0;

		for (uint32_t depth = 0; depth < n_rows; depth++) {
			const struct pyramid_row *row = pyramid_row(pyramid, first + depth);

			assert_ptr_equal(row->track, track);
			for (uint32_t i = 0; i < row->n; i++) {
				assert_int_equal(track->slices.depth[pyramid_at(row, i)], depth);
				assert_int_equal(pyramid_slice_at(row, pyramid_at(row, i)), i);
				assert_true(!i || pyramid_slice_end(row, i - 1) <= pyramid_slice_begin(row, i));
			}
			n += row->n;
		}
		assert_int_equal(n, track->slices.n);
	}
}

CASE(covered_time_is_the_sum_of_slices)
{
	for (uint32_t number = 0; number < pyramid_n_rows(world->pyramid); number++) {
		const struct pyramid_row *row = pyramid_row(world->pyramid, number);
		uint32_t first = (uint32_t)next_random(row->n + 1),
			 end = first + (uint32_t)next_random(row->n - first + 1);
		uint64_t sum_ns = 0;

		for (uint32_t i = first; i < end; i++)
			sum_ns += length(row, i);
		assert_int_equal(pyramid_covered(row, first, end), sum_ns);
		sum_ns = 0;
		for (uint32_t i = 0; i < row->n; i++)
			sum_ns += length(row, i);
		assert_int_equal(pyramid_covered(row, 0, row->n), sum_ns);
	}
}

CASE(a_slice_is_found_by_a_time)
{
	for (uint32_t number = 0; number < pyramid_n_rows(world->pyramid); number++) {
		const struct pyramid_row *row = pyramid_row(world->pyramid, number);

		for (int k = 0; k < 20; k++) {
			uint64_t ns = pyramid_begin(world->pyramid) + next_random(pyramid_end(world->pyramid));
			uint32_t after = 0, from = 0;

			while (after < row->n && pyramid_slice_end(row, after) <= ns &&
			       pyramid_slice_begin(row, after) < ns)
				after++;
			while (from < row->n && pyramid_slice_begin(row, from) < ns)
				from++;
			assert_int_equal(pyramid_first_after(row, ns), after);
			assert_int_equal(pyramid_first_from(row, ns), from);
		}
	}
}

CASE(counters_have_the_extremes_of_each_pixel)
{
	const struct store_samples *samples = &store_track(world->stream.store, world->counter)->samples;

	for (int k = 0; k < 200; k++) {
		struct pyramid_range range = { .px_ns = UINT64_C(1) << next_random(26), .n_px = N_PX };
		struct pyramid_sample got[N_PX];
		double before, expected = NAN;
		uint32_t n, at = 0;
		size_t i = 0;

		range.from_ns = next_random(pyramid_end(world->pyramid));
		n = pyramid_draw_counter(world->pyramid, world->counter, &range, got, &before);
		for (; i < samples->n && samples->time_ns[i] < range.from_ns; i++)
			expected = samples->value[i];
		assert_true(isnan(expected) ? isnan(before) : before == expected);
		while (i < samples->n && samples->time_ns[i] < range.from_ns + range.px_ns * N_PX) {
			uint64_t x = (samples->time_ns[i] - range.from_ns) / range.px_ns;
			struct pyramid_sample pixel = { INFINITY, -INFINITY, 0, (uint16_t)x };

			for (; i < samples->n && (samples->time_ns[i] - range.from_ns) / range.px_ns == x; i++) {
				pixel.min = fminf(pixel.min, (float)samples->value[i]);
				pixel.max = fmaxf(pixel.max, (float)samples->value[i]);
				pixel.last = (float)samples->value[i];
			}
			assert_true(at < n);
			assert_int_equal(got[at].x, x);
			assert_true(got[at].min == pixel.min && got[at].max == pixel.max && got[at].last == pixel.last);
			at++;
		}
		assert_int_equal(at, n);
	}
}

/* Files may have any times. */
TEST(pictures_end_where_time_does)
{
	const struct pyramid_range range = { UINT64_MAX - 600000, 1024, N_PX };
	struct pyramid_sample samples[N_PX];
	struct stream s;
	struct pyramid *pyramid;
	uint32_t thread, counter;
	double before;

	stream_init(&s);
	thread = stream_thread(&s, stream_process(&s, 42, "program"), 43);
	counter = stream_counter(&s, 1, "cpu", "%");
	for (uint64_t i = 0; i < 100; i++) {
		struct event sample = { .type = EVENT_COUNTER, .track = counter, .time_ns = UINT64_MAX - 99 + i };

		put(&s, EVENT_BEGIN, thread, UINT64_MAX - 100 + i, NULL);
		put(&s, EVENT_END, thread, UINT64_MAX - 100 + i, NULL);
		assert_int_equal(sink_put(s.sink, &sample, NULL), 0);
	}
	pyramid = pyramid_new(s.store);
	for (uint64_t px_ns = 1; px_ns <= range.px_ns; px_ns *= 2) {
		struct pyramid_big big[N_PX + 1];
		struct pyramid_run run[N_PX + 1];
		struct pyramid_picture picture = { .big = big, .run = run };

		pyramid_draw(pyramid, pyramid_row(pyramid, 0), &(struct pyramid_range){ range.from_ns, px_ns, N_PX },
			     &picture);
		pyramid_draw(pyramid, pyramid_row(pyramid, 0),
			     &(struct pyramid_range){ pyramid_begin(pyramid), px_ns, N_PX }, &picture);
		assert_true(picture.n_runs > 0);
		assert_true(pyramid_draw_counter(pyramid, counter,
						 &(struct pyramid_range){ pyramid_begin(pyramid), px_ns, N_PX },
						 samples, &before) > 0);
	}
	pyramid_free(pyramid);
	stream_done(&s);
}

TEST(nothing_is_no_rows)
{
	struct stream s;
	struct pyramid *pyramid;
	double before;

	stream_init(&s);
	pyramid = pyramid_new(s.store);
	assert_non_null(pyramid);
	assert_int_equal(pyramid_n_rows(pyramid), 0);
	assert_null(pyramid_row(pyramid, 0));
	assert_int_equal(pyramid_begin(pyramid), 0);
	assert_int_equal(pyramid_end(pyramid), 0);
	assert_int_equal(pyramid_draw_counter(pyramid, 1, &(struct pyramid_range){ 0, 1, 1 }, NULL, &before), 0);
	pyramid_free(pyramid);
	stream_done(&s);
}
