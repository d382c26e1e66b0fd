// SPDX-License-Identifier: Apache-2.0
/*
 * Pairs the inferences of two files. A session's inferences have the same order in both, but one file may begin later
 * or end sooner, so every shift that leaves half of the shorter sequence is tried on a sample of its pairs. The spread
 * of the differences tells the right one from others: there it is what the two profilers measure differently, elsewhere
 * what one inference differs from the next.
 */
#include <stdlib.h>

#include "trace/merge/merge_in.h"

enum {
	SAMPLE = 64,
	FEW = 8,
	MAX_COMPARED = 4096,
	PRIOR_SLACK_NS = 2000000,
	AMBIGUOUS_NS = 1000,
	LEAST_ERROR_NS = 1000
};
#define FAR_NS INT64_C(10000000)
#define ZONE_NS (INT64_C(900) * 1000000000)
#define ZONES_NS (INT64_C(26) * 3600 * 1000000000)

struct pairing {
	const struct merge_run *here, *there; /* the first pair */
	size_t n;
	bool is_whole;	   /* all inferences of both */
	int64_t offset_ns; /* median, of the sample */
	uint64_t spread_ns;
};

struct search {
	const struct merge_prior *prior;
	struct pairing best;
	uint64_t next_spread_ns; /* of the second best */
	bool has_best, has_next;
};

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static int64_t begins_apart(const struct pairing *pairing, size_t i)
{
	return (int64_t)(pairing->there[i].begin_ns - pairing->here[i].begin_ns);
}

static int64_t ends_apart(const struct pairing *pairing, size_t i)
{
	return (int64_t)(pairing->there[i].end_ns - pairing->here[i].end_ns);
}

/*
 * How far the middles are apart: one of the two may be longer at both ends, as the call of a program in Python is
 * longer than what the runtime itself takes for an inference.
 */
static int64_t middles_apart(const struct pairing *pairing, size_t i)
{
	int64_t begins = begins_apart(pairing, i);

	return begins + (ends_apart(pairing, i) - begins) / 2;
}

/* Of n sorted values. */
static uint64_t spread_of(const int64_t *value, size_t n)
{
	return distance(value[n * 3 / 4], value[n / 4]);
}

/* false: no use to look closer. */
static bool measure(struct pairing *pairing)
{
	int64_t begins[SAMPLE], ends[SAMPLE];
	size_t n = pairing->n < SAMPLE ? pairing->n : SAMPLE;

	for (size_t i = 0; i < FEW && i + 1 < pairing->n; i++)
		if (i > FEW / 2 &&
		    distance(begins_apart(pairing, i), begins_apart(pairing, FEW / 2)) > (uint64_t)FAR_NS &&
		    distance(begins_apart(pairing, i), begins_apart(pairing, 0)) > (uint64_t)FAR_NS)
			return false;
	for (size_t i = 0; i < n; i++) {
		begins[i] = begins_apart(pairing, i * pairing->n / n);
		ends[i] = ends_apart(pairing, i * pairing->n / n);
	}
	qsort(begins, n, sizeof *begins, compare);
	qsort(ends, n, sizeof *ends, compare);
	pairing->offset_ns = begins[n / 2];
	pairing->spread_ns = spread_of(begins, n) > spread_of(ends, n) ? spread_of(begins, n) : spread_of(ends, n);
	return pairing->spread_ns <= MERGE_SPREAD_NS && distance(begins[n / 2], ends[n / 2]) <= MERGE_SPREAD_NS;
}

/* Whether what was known before allows the offset. */
static bool agrees(const struct merge_prior *prior, int64_t offset_ns)
{
	uint64_t apart = distance(offset_ns, prior->offset_ns), rest = apart % (uint64_t)ZONE_NS;

	if (!prior->is_known)
		return true;
	rest = rest < (uint64_t)ZONE_NS - rest ? rest : (uint64_t)ZONE_NS - rest;
	return apart < (uint64_t)ZONES_NS && rest <= prior->error_ns + PRIOR_SLACK_NS;
}

/* All of both is more likely than a part, unless the part fits much better. */
static bool is_better(const struct pairing *a, const struct pairing *b)
{
	if (a->is_whole != b->is_whole)
		return a->is_whole ? a->spread_ns <= b->spread_ns * 2 + AMBIGUOUS_NS
				   : a->spread_ns * 2 + AMBIGUOUS_NS < b->spread_ns;
	return a->spread_ns < b->spread_ns;
}

static void offer(struct search *search, struct pairing *pairing)
{
	if (!measure(pairing) || !agrees(search->prior, pairing->offset_ns))
		return;
	if (!search->has_best || is_better(pairing, &search->best)) {
		search->has_next = search->has_best;
		search->next_spread_ns = search->best.spread_ns;
		search->best = *pairing;
		search->has_best = true;
	} else if (!search->has_next || pairing->spread_ns < search->next_spread_ns) {
		search->has_next = true;
		search->next_spread_ns = pairing->spread_ns;
	}
}

static void compare_sequences(struct search *search, const struct merge_sequence *here,
			      const struct merge_sequence *there)
{
	const struct merge_run *a = here->runs.data, *b = there->runs.data;
	size_t n = here->runs.n, m = there->runs.n, least = n < m ? (n + 1) / 2 : (m + 1) / 2;

	if (least < MERGE_MIN_PAIRS)
		least = MERGE_MIN_PAIRS;
	if (n < least || m < least)
		return;
	for (size_t skipped = n - least + 1; skipped-- > 0;) { /* of here */
		struct pairing pairing = {
			a + skipped, b, n - skipped < m ? n - skipped : m, !skipped && n == m, 0, 0
		};

		offer(search, &pairing);
	}
	for (size_t skipped = 1; skipped <= m - least; skipped++) { /* of there */
		struct pairing pairing = { a, b + skipped, m - skipped < n ? m - skipped : n, false, 0, 0 };

		offer(search, &pairing);
	}
}

/* Whether both have a sequence of the same process: others are not compared then. */
static bool has_common_pid(const struct merge_facts *here, const struct merge_facts *there)
{
	const struct merge_sequence *a = here->sequences.data, *b = there->sequences.data;

	for (size_t i = 0; i < here->sequences.n && i < SAMPLE; i++)
		for (size_t k = 0; k < there->sequences.n; k++)
			if (a[i].pid && a[i].pid == b[k].pid)
				return true;
	return false;
}

/* From all pairs. false: out of memory. */
static bool conclude(const struct pairing *pairing, struct merge_match *match)
{
	int64_t *apart = malloc(2 * pairing->n * sizeof *apart), *longer = apart + pairing->n;
	uint64_t more;

	if (!apart)
		return false;
	for (size_t i = 0; i < pairing->n; i++) {
		apart[i] = middles_apart(pairing, i);
		longer[i] = (int64_t)distance(ends_apart(pairing, i), begins_apart(pairing, i));
	}
	qsort(apart, pairing->n, sizeof *apart, compare);
	qsort(longer, pairing->n, sizeof *longer, compare);
	match->offset_ns = apart[pairing->n / 2];
	for (size_t i = 0; i < pairing->n; i++)
		apart[i] = (int64_t)distance(apart[i], match->offset_ns);
	qsort(apart, pairing->n, sizeof *apart, compare);
	match->error_ns = (uint64_t)apart[pairing->n * 9 / 10];
	more = (uint64_t)longer[pairing->n / 2];
	if (more > match->error_ns)
		match->error_ns = more;
	if (match->error_ns < LEAST_ERROR_NS)
		match->error_ns = LEAST_ERROR_NS;
	match->n_pairs = pairing->n;
	free(apart);
	return true;
}

bool merge_match(const struct merge_facts *here, const struct merge_facts *there, const struct merge_prior *prior,
		 struct merge_match *match)
{
	const struct merge_sequence *a = here->sequences.data, *b = there->sequences.data;
	bool is_same_process = has_common_pid(here, there);
	struct search search = { .prior = prior };
	size_t n_compared = 0;

	for (size_t i = 0; i < here->sequences.n; i++)
		for (size_t k = 0; k < there->sequences.n && n_compared < MAX_COMPARED; k++) {
			if (is_same_process && a[i].pid != b[k].pid)
				continue;
			n_compared++;
			compare_sequences(&search, &a[i], &b[k]);
		}
	if (!search.has_best)
		return false;
	if (!prior->is_known && !is_same_process && search.best.n < MERGE_SURE_PAIRS)
		return false;
	if (search.has_next && !search.best.is_whole &&
	    search.next_spread_ns < search.best.spread_ns * 3 / 2 + AMBIGUOUS_NS)
		return false;
	return conclude(&search.best, match);
}
