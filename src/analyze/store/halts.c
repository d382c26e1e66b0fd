// SPDX-License-Identifier: Apache-2.0
/*
 * Halts are nearly in the order of their begins. Whatever runs began before the halt that hits it, so that a look-up
 * begins at the first that began later.
 */
#include "analyze/store/halts.h"

#include <errno.h>

/* Begins may be put a moment late, after that of another kind. */
#define LATE_NS UINT64_C(1000000000)

enum { MAX_HALTS = 1 << 16 };

static struct halt *at(const struct halts *halts, size_t index)
{
	return (struct halt *)halts->row.data + index;
}

int halts_begin(struct halts *halts, const struct halt *halt)
{
	struct halt *copy;

	if (halts->row.n == MAX_HALTS)
		return 0;
	copy = array_add(&halts->row, sizeof *copy);
	if (!copy)
		return -ENOMEM;
	*copy = *halt;
	copy->end_ns = copy->until_ns = STORE_OPEN;
	if (halt->begin_ns > halts->last_ns)
		halts->last_ns = halt->begin_ns;
	return 0;
}

void halts_end(struct halts *halts, uint32_t track, uint64_t end_ns, uint64_t until_ns)
{
	for (size_t i = halts->row.n; i-- > 0;)
		if (at(halts, i)->track == track) {
			at(halts, i)->end_ns = end_ns;
			at(halts, i)->until_ns = until_ns;
			return;
		}
}

/* Of those that began from then on. */
static size_t first_from(const struct halts *halts, uint64_t time_ns)
{
	size_t first = 0, n = halts->row.n;

	time_ns = time_ns > LATE_NS ? time_ns - LATE_NS : 0;
	while (n) {
		if (at(halts, first + n / 2)->begin_ns < time_ns) {
			first += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return first;
}

static bool is_before(const struct halts *halts, size_t i, uint64_t end_ns)
{
	return i < halts->row.n && (end_ns > STORE_OPEN - LATE_NS || at(halts, i)->begin_ns < end_ns + LATE_NS);
}

bool halts_hit_more(const struct halts *halts, uint64_t begin_ns, uint64_t end_ns)
{
	for (size_t i = first_from(halts, begin_ns); is_before(halts, i, end_ns); i++)
		if (at(halts, i)->begin_ns >= begin_ns && at(halts, i)->begin_ns < end_ns)
			return true;
	return false;
}

static uint64_t part(uint64_t from_ns, uint64_t to_ns, uint64_t begin_ns, uint64_t end_ns)
{
	from_ns = from_ns > begin_ns ? from_ns : begin_ns;
	to_ns = to_ns < end_ns ? to_ns : end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

uint64_t halts_within(const struct halts *halts, uint64_t begin_ns, uint64_t end_ns, uint64_t *most_ns)
{
	uint64_t sum_ns = 0, all_ns = end_ns - begin_ns;

	*most_ns = 0;
	for (size_t i = first_from(halts, begin_ns); is_before(halts, i, end_ns); i++) {
		const struct halt *halt = at(halts, i);

		sum_ns += part(halt->begin_ns, halt->end_ns, begin_ns, end_ns);
		*most_ns += part(halt->from_ns ? halt->from_ns : halt->begin_ns,
				 halt->until_ns != STORE_OPEN ? halt->until_ns : halt->end_ns, begin_ns, end_ns);
	}
	*most_ns = *most_ns < all_ns ? *most_ns : all_ns;
	return sum_ns < all_ns ? sum_ns : all_ns;
}

const struct halt *halts_longest(const struct halts *halts, uint64_t begin_ns, uint64_t end_ns)
{
	const struct halt *longest = NULL;
	uint64_t most_ns = 0;

	for (size_t i = first_from(halts, begin_ns); is_before(halts, i, end_ns); i++) {
		const struct halt *halt = at(halts, i);
		uint64_t ns = part(halt->begin_ns, halt->end_ns, begin_ns, end_ns);

		if (ns > most_ns || (!longest && halt->begin_ns >= begin_ns && halt->begin_ns < end_ns)) {
			longest = halt;
			most_ns = ns;
		}
	}
	return longest;
}

void halts_done(struct halts *halts)
{
	array_done(&halts->row, sizeof(struct halt));
}
