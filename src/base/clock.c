// SPDX-License-Identifier: Apache-2.0
/*
 * Converts ticks to nanoseconds by piecewise lines. A new line starts where the old one is at that moment, so the
 * mapping never jumps by itself. Its slope aims to reach the true clock one second later.
 *
 * After a jump nobody knows at which moment between the last two pairs it happened. What the clock counted between them
 * bounds it: the old line stays valid for as many ticks behind the old pair, the new one begins as many before the new
 * pair. Both map into the time between the pairs, and after a jump that is longer than this time they share no tick.
 */
#include "base/clock.h"

#include <string.h>

/* Lines over which the rate is measured; the shortest line, and the shortest first one, after a jump. */
enum { BASELINE = 8, LINE_NS = 50000000, FIRST_LINE_NS = 10000000 };
static const double drift = 200e-6; /* of a rate, from one measurement to the next */
enum { MAX_RATE = 5 };		    /* one that is so many times another is no rate */

static uint64_t system_ticks(void *ctx)
{
	return clock_ticks();
}

static uint64_t system_ns(void *ctx, clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const struct clock_reader clock_reader_system = { system_ticks, system_ns, NULL };

struct pair {
	uint64_t ticks, ns, width;
};

/* Reads ticks, clock, ticks a few times; keeps the tightest. */
static struct pair read_pair(const struct clock_reader *reader)
{
	struct pair best = { .width = UINT64_MAX };

	for (int i = 0; i < 8; i++) {
		uint64_t before = reader->ticks(reader->ctx), ns = reader->ns(reader->ctx, CLOCK_MONOTONIC);
		uint64_t width = reader->ticks(reader->ctx) - before;
		if (width < best.width)
			best = (struct pair){ before + width / 2, ns, width };
	}
	return best;
}

static const struct clock_line *line_at(const struct clock_map *map, uint32_t number)
{
	return &map->line[number % CLOCK_LINES];
}

static struct clock_line *last_line(struct clock_map *map)
{
	return &map->line[(map->n - 1) % CLOCK_LINES];
}

static uint32_t oldest_line(const struct clock_map *map)
{
	return map->n > CLOCK_LINES ? map->n - CLOCK_LINES : 0;
}

void clock_map_init(struct clock_map *map, const struct clock_reader *reader, unsigned ms)
{
	struct pair first, next;
	struct timespec pause = { 0, 1000000 };
	struct clock_line *line = map->line;

	memset(map, 0, sizeof *map);
	map->reader = reader ? reader : &clock_reader_system;
	first = read_pair(map->reader);
	do {
		nanosleep(&pause, NULL);
		next = read_pair(map->reader);
		if (next.ticks <= first.ticks || next.ns <= first.ns)
			first = next;
	} while (next.ns - first.ns < (uint64_t)ms * 1000000u || next.ticks == first.ticks);
	map->n = 1;
	*line = (struct clock_line){ .ticks = first.ticks,
				     .until = next.ticks,
				     .ns = first.ns,
				     .true_ticks = first.ticks,
				     .true_ns = first.ns,
				     .width = first.width,
				     .slope = (double)(next.ns - first.ns) / (double)(next.ticks - first.ticks),
				     .doubt = (double)(first.width + next.width) / (double)(next.ticks - first.ticks) };
	map->last_ticks = next.ticks;
	map->last_ns = next.ns;
	map->width_ns = (uint64_t)((double)next.width * line->slope);
}

static uint64_t magnitude(int64_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

/* More than what the measured rate may be off by, in the time since the line was drawn. */
static bool is_jump(const struct clock_map *map, const struct clock_line *line, const struct pair *now, int64_t error)
{
	double age_ns = (double)(now->ns - line->true_ns);

	return now->ns < map->last_ns || (double)magnitude(error) > CLOCK_JUMP_NS + (double)now->width * line->slope +
									age_ns * (line->doubt + drift);
}

static void put_line(struct clock_map *map, const struct clock_line *line)
{
	map->line[map->n++ % CLOCK_LINES] = *line;
}

/* Two jumps in a row: the rate may be another one as well (a virtual machine on another host). */
static void set_rate(const struct clock_map *map, struct clock_line *line)
{
	const struct clock_line *old = line_at(map, map->n - 1);
	double rate = (double)(line->true_ns - old->true_ns) / (double)(line->true_ticks - old->true_ticks);

	if (map->n - 1 != map->first || line->true_ticks <= old->true_ticks || line->true_ns <= old->true_ns ||
	    rate > old->slope * MAX_RATE || rate < old->slope / MAX_RATE)
		return;
	line->doubt += rate > old->slope ? rate / old->slope - 1 : old->slope / rate - 1;
	line->ns = line->true_ns - (uint64_t)((double)(line->true_ticks - line->ticks) * rate);
	line->slope = rate;
}

static void jump(struct clock_map *map, const struct pair *now, int64_t error)
{
	struct clock_line *old = last_line(map), line;
	uint64_t between_ns = now->ns > map->last_ns ? now->ns - map->last_ns : 0;
	uint64_t between = (uint64_t)((double)between_ns / old->slope);
	uint64_t begin = now->ticks > between ? now->ticks - between : 0;

	map->n_jumps++;
	map->jump = (struct clock_jump){ map->last_ns, now->ns, -error };
	old->until = map->last_ticks + between;
	if (begin < old->until && now->ticks > map->last_ticks) {
		/* these ticks may be of both: halfway, wrong by the jump at most */
		begin = old->until = map->last_ticks + (now->ticks - map->last_ticks) / 2;
		if (magnitude(error) > map->error_ns)
			map->error_ns = magnitude(error);
	}
	line = (struct clock_line){ .ticks = begin,
				    .until = now->ticks,
				    .ns = now->ns - (uint64_t)((double)(now->ticks - begin) * old->slope),
				    .true_ticks = now->ticks,
				    .true_ns = now->ns,
				    .width = now->width,
				    .slope = old->slope,
				    .doubt = old->doubt };
	set_rate(map, &line);
	map->first = map->n;
	put_line(map, &line);
}

static void turn(struct clock_map *map, const struct pair *now, uint64_t predicted, int64_t error)
{
	uint32_t first = map->n > BASELINE ? map->n - BASELINE : 0;
	const struct clock_line *base = line_at(map, first > map->first ? first : map->first);
	double ticks = (double)(now->ticks - base->true_ticks);
	double rate = (double)(now->ns - base->true_ns) / ticks;

	if (magnitude(error) > map->error_ns)
		map->error_ns = magnitude(error);
	put_line(map, &(struct clock_line){ .ticks = now->ticks,
					    .until = now->ticks,
					    .ns = predicted,
					    .true_ticks = now->ticks,
					    .true_ns = now->ns,
					    .width = now->width,
					    .slope = rate * (1 + (double)error / 1e9),
					    .doubt = (double)(base->width + now->width) / ticks +
						     (double)magnitude(error) / 1e9 });
}

void clock_map_update(struct clock_map *map)
{
	struct pair now = read_pair(map->reader);
	struct clock_line *line = last_line(map);
	uint64_t predicted = clock_line_ns(line, now.ticks);
	int64_t error = (int64_t)(now.ns - predicted);

	bool is_due = now.ns - line->true_ns >= (map->n - 1 == map->first ? FIRST_LINE_NS : LINE_NS);

	if (is_jump(map, line, &now, error) || (is_due && now.ticks <= line->true_ticks)) {
		jump(map, &now, error);
	} else {
		if (now.ticks > line->until)
			line->until = now.ticks;
		if (is_due)
			turn(map, &now, predicted, error);
	}
	map->last_ticks = now.ticks;
	map->last_ns = now.ns;
}

/* How many ticks it lies outside of the line. */
static uint64_t distance(const struct clock_line *line, uint64_t ticks)
{
	return ticks < line->ticks ? line->ticks - ticks : ticks > line->until ? ticks - line->until : 0;
}

/* After a jump the same ticks may be on lines before and behind it: the newest one then. */
static const struct clock_line *find(const struct clock_map *map, uint64_t ticks)
{
	const struct clock_line *newest = line_at(map, map->n - 1), *nearest = newest, *line;
	uint32_t oldest = oldest_line(map);

	if (ticks >= newest->ticks && (map->first <= oldest || ticks <= newest->until))
		return newest;
	for (uint32_t i = map->n - 1; i-- > oldest && distance(nearest, ticks);) {
		line = line_at(map, i);
		if (distance(line, ticks) < distance(nearest, ticks))
			nearest = line;
	}
	return nearest;
}

uint64_t clock_map_old_ns(const struct clock_map *map, uint64_t ticks)
{
	return map->n ? clock_line_ns(find(map, ticks), ticks) : 0;
}

void clock_map_find_span(const struct clock_map *map, uint64_t ticks, struct clock_span *span)
{
	const struct clock_line *line = line_at(map, map->n - 1), *before = line_at(map, map->n - 2);
	uint64_t end = UINT64_MAX;

	*span = (struct clock_span){ 0 };
	if (map->n_jumps)
		return;
	if (ticks < line->ticks && map->n > 1 && ticks >= before->ticks) {
		end = line->ticks;
		line = before;
	}
	if (ticks >= line->ticks && ticks < end)
		*span = (struct clock_span){ line->ticks, end - line->ticks, line->ticks, line->ns, line->slope };
}

bool clock_map_knows(const struct clock_map *map, uint64_t ticks)
{
	const struct clock_line *line = find(map, ticks);

	return (double)distance(line, ticks) * line->slope <= CLOCK_JUMP_NS;
}

uint64_t clock_map_now(const struct clock_map *map)
{
	return map->reader->ns(map->reader->ctx, CLOCK_MONOTONIC);
}
