// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "show/json/json_in.h"

static void put_time(struct json_summary *to, const struct summary_generations *own)
{
	json_object(&to->json, "time");
	json_count(&to->json, "all_ns", own->wall_ns);
	json_count(&to->json, "prefill_ns", own->prefill_ns);
	json_count(&to->json, "encoder_ns", own->encoder_ns);
	json_count(&to->json, "decode_ns", own->decode_ns);
	json_count(&to->json, "others_ns", own->others_ns);
	json_count(&to->json, "outside_ns", own->outside_ns);
	json_count(&to->json, "sampling_ns", own->sampling_ns);
	json_count(&to->json, "text_ns", own->text_ns);
	json_end(&to->json, '}');
}

void json_generations(struct json_summary *to, const struct summary_model *model)
{
	const struct summary_generations *own = &model->generations;

	if (!own->n) {
		json_null(&to->json, "generations");
		return;
	}
	json_object(&to->json, "generations");
	json_count(&to->json, "count", own->n);
	json_count(&to->json, "with_prefill", own->n_whole);
	json_count(&to->json, "prompt_tokens", own->prompt_tokens);
	json_count(&to->json, "cached_tokens", own->cached_tokens);
	json_count(&to->json, "output_tokens", own->output_tokens);
	json_known(&to->json, "seen_tokens", own->seen_tokens ? (int64_t)own->seen_tokens : -1);
	json_known(&to->json, "median_prompt", own->n_whole ? (int64_t)own->median_prompt : -1);
	json_count(&to->json, "longest_cache", own->longest);
	json_known(&to->json, "cache_bytes", own->cache_bytes ? (int64_t)own->cache_bytes : -1);
	json_known(&to->json, "copied_bytes", own->copied_bytes ? (int64_t)own->copied_bytes : -1);
	json_summary_spread(to, "first_token", &own->first);
	json_summary_spread(to, "between_tokens", &own->between);
	json_summary_spread(to, "per_token", &own->per_token);
	json_summary_spread(to, "end_to_end", &own->wall);
	json_real(&to->json, "tokens_per_s", own->tokens_per_s);
	json_real(&to->json, "tokens_per_s_each", own->tokens_per_s_each);
	json_real(&to->json, "at_a_time", own->at_a_time);
	json_known(&to->json, "most_at_a_time", own->most_at_a_time ? (int64_t)own->most_at_a_time : -1);
	json_real(&to->json, "drift", own->drift);
	put_time(to, own);
	json_list(to, "lengths", &columns_token_lengths, own->lengths.first, own->lengths.n);
	json_list(to, "list", &columns_generations, own->rows.first, own->rows.n);
	json_end(&to->json, '}');
}
