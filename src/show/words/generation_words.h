/* SPDX-License-Identifier: Apache-2.0 */
/* Generations in words. "": there are none. */
#ifndef SHOW_WORDS_GENERATION_WORDS_H
#define SHOW_WORDS_GENERATION_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"
#include "base/text/table.h"

/* ": first token 1.49 ms (slowest 4.30 ms), 172 us a token, 5,400 tokens/s": what follows their count and model. */
struct printable generation_speed(const struct summary_generations *of);
/* "3 generations, one at a time; prompts of 16 to 256 tokens, 300 tokens made, caches of up to 355" */
struct printable generation_counts(const struct summary_generations *of);
/* "first after 1.49 ms (median; slowest 4.30 ms); between tokens median 168 us, mean 172 ± 3 us, p99 280 us" */
struct printable generation_times(const struct summary_generations *of, bool is_ascii);
/* "prefill 8.2 %, decode 70 %, outside of the model 22 % of their time; 5,400 tokens/s each, 4,900 in all" */
struct printable generation_shares(const struct summary_generations *of);

/* A row for each generation, n_most of them. Returns how many are left out. */
uint64_t generation_rows(struct table *table, const struct summary *summary, const struct summary_model *model,
			 uint32_t n_most);

#endif
