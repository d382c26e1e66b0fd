// SPDX-License-Identifier: Apache-2.0
/* Generations, their tokens, and tokens by the length of the cache. */
#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct generation, field)

static const struct column generations[] = {
	{ NULL, "id", "number of the row, from 1", COLUMN_ROW },
	{ NULL, "model", "name of the model", COLUMN_MODEL_NAME, AT(model) },
	{ NULL, "model_id", "models.id", COLUMN_MODEL, AT(model) },
	{ NULL, "process_id", "processes.id", COLUMN_PROCESS, AT(process) },
	{ "session", "session", "number of its session in its process", COLUMN_KNOWN, AT(session) },
	{ "tid", "tid", "thread of its first inference", COLUMN_KNOWN, AT(thread) },
	{ "found_by", "found_by",
	  "the rule that joined its inferences: cache inputs, length of a mask, sequences of batches, calls of the "
	  "runtime",
	  COLUMN_TEXT, AT(way) },
	{ "begin_ns", "begin_ns", "begin of its prefill, CLOCK_MONOTONIC, or of its first recorded step", COLUMN_TIME,
	  AT(begin_ns) },
	{ "end_ns", "end_ns", "its last token", COLUMN_TIME, AT(end_ns) },
	{ "duration_ns", "duration_ns", "end_ns - begin_ns", COLUMN_BETWEEN, AT(begin_ns) },
	{ "prompt_tokens", "prompt_tokens",
	  "tokens that went in with the prefill, of one sequence; into a text's encoder, if it has one", COLUMN_COUNT,
	  AT(prompt_tokens), .if_any = AT(n_prefills) },
	{ "cached_tokens", "cached_tokens", "tokens that the cache had before", COLUMN_COUNT, AT(cached_tokens) },
	{ "seen_tokens", "seen_tokens",
	  "of prompt_tokens, in whole blocks of 16: those with which an earlier prompt began; null: none, or not known",
	  COLUMN_COUNT, AT(seen_tokens), .if_any = AT(seen_tokens) },
	{ "output_tokens", "output_tokens", "tokens that it made, of all its sequences", COLUMN_COUNT,
	  AT(output_tokens) },
	{ "batch", "batch", "sequences that it makes at a time", COLUMN_COUNT, AT(batch) },
	{ "prefills", "prefills", "inferences that took the prompt in", COLUMN_COUNT, AT(n_prefills) },
	{ "steps", "steps", "inferences that took a token in", COLUMN_COUNT, AT(n_steps) },
	{ "first_token_ns", "first_token_ns", "from its begin to its first token", COLUMN_COUNT, AT(first_token_ns),
	  .if_any = AT(first_token_ns) },
	{ "per_token_ns", "per_token_ns", "mean time between tokens", COLUMN_REAL, AT(per_token_ns) },
	{ "between_p50_ns", "between_p50_ns", "median time between tokens", COLUMN_COUNT, AT(p50_ns),
	  .if_any = AT(p50_ns) },
	{ "between_p99_ns", "between_p99_ns", "99th percentile", COLUMN_COUNT, AT(p99_ns), .if_any = AT(p99_ns) },
	{ "between_max_ns", "between_max_ns", "longest", COLUMN_COUNT, AT(max_ns), .if_any = AT(max_ns) },
	{ "tokens_per_s", "tokens_per_s", "output_tokens by duration", COLUMN_REAL, AT(tokens_per_s) },
	{ "prefill_ns", "prefill_ns", "its time in inferences of the prefill", COLUMN_COUNT, AT(prefill_ns) },
	{ "encoder_ns", "encoder_ns", "of prefill_ns: inferences of encoders, which other sessions ran before it",
	  COLUMN_COUNT, AT(encoder_ns) },
	{ "decode_ns", "decode_ns", "its time in the other inferences", COLUMN_COUNT, AT(decode_ns) },
	{ "others_ns", "others_ns", "its time between them, while its thread ran other generations", COLUMN_COUNT,
	  AT(others_ns) },
	{ "outside_ns", "outside_ns", "its other time between them, outside of the model", COLUMN_COUNT,
	  AT(outside_ns) },
	{ "cache_length", "cache_length", "tokens in the cache at its end", COLUMN_COUNT, AT(length) },
	{ "cache_bytes", "cache_bytes", "of the caches that went into its last inference, where they are inputs",
	  COLUMN_COUNT, AT(cache_bytes), .if_any = AT(cache_bytes) },
	{ "copied_bytes", "copied_bytes",
	  "of the caches that went into all its inferences: each of these makes longer ones of them", COLUMN_COUNT,
	  AT(copied_bytes), .if_any = AT(copied_bytes) },
	{ "sampling_ns", "sampling_ns", "of outside_ns: in calls of the runtime that made its tokens", COLUMN_COUNT,
	  AT(sampling_ns) },
	{ "text_ns", "text_ns", "of outside_ns: in calls of the runtime that made texts of its tokens", COLUMN_COUNT,
	  AT(text_ns) },
};

const struct column_list columns_generations = { COLUMN_ROWS(generations), COLUMN_LIST(generations) };

#undef AT
#define AT(field) offsetof(struct generation_token, field)

static const struct column tokens[] = {
	{ NULL, "id", "number of the row, from 1", COLUMN_ROW },
	{ NULL, "generation_id", "generations.id", COLUMN_ORDINAL, AT(generation) },
	{ NULL, "model", "name of the model", COLUMN_MODEL_NAME, AT(model) },
	{ NULL, "process_id", "processes.id", COLUMN_PROCESS, AT(process) },
	{ NULL, "number", "of the token in its generation, from 1", COLUMN_COUNT, AT(number) },
	{ NULL, "time_ns", "end of the inference, or of the runtime's call, that made it, CLOCK_MONOTONIC", COLUMN_TIME,
	  AT(time_ns) },
	{ NULL, "is_first", "1: of a prompt; else 0", COLUMN_FLAG, AT(is_first) },
	{ NULL, "since_ns", "since the token before; for a first one, since the start of the prefill", COLUMN_COUNT,
	  AT(since_ns), .if_any = AT(since_ns) },
	{ NULL, "inference", "number of that inference in its process: inferences.inference", COLUMN_COUNT,
	  AT(inference), .if_any = AT(inference) },
	{ NULL, "inference_ns", "how long that took; of a prompt in several parts, the last one", COLUMN_COUNT,
	  AT(inference_ns) },
	{ NULL, "cache_length", "tokens in the cache after it", COLUMN_COUNT, AT(length) },
};

const struct column_list columns_tokens = { COLUMN_ROWS(tokens), COLUMN_LIST(tokens) };

#undef AT
#define AT(field) offsetof(struct summary_length, field)

static const struct column lengths[] = {
	{ NULL, "id", "number of the row, from 1", COLUMN_ROW },
	{ NULL, "model", "name of the model", COLUMN_MODEL_NAME, AT(model) },
	{ NULL, "model_id", "models.id", COLUMN_MODEL, AT(model) },
	{ "cache_length", "cache_length", "tokens in the cache, on average", COLUMN_COUNT, AT(length) },
	{ "tokens", "tokens", "tokens made at this length, without first ones", COLUMN_COUNT, AT(n) },
	{ "p50_ns", "p50_ns", "median time between tokens", COLUMN_COUNT, AT(p50_ns) },
	{ "p90_ns", "p90_ns", "90th percentile", COLUMN_COUNT, AT(p90_ns) },
	{ "p99_ns", "p99_ns", "99th percentile", COLUMN_COUNT, AT(p99_ns) },
	{ "inference_p50_ns", "inference_p50_ns", "median of the inferences alone", COLUMN_COUNT,
	  AT(inference_p50_ns) },
};

const struct column_list columns_token_lengths = { COLUMN_ROWS(lengths), COLUMN_LIST(lengths) };
