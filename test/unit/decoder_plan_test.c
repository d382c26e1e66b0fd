// SPDX-License-Identifier: Apache-2.0
#include "model/run/decoder_plan.h"

#include <errno.h>
#include <string.h>

#include "cases.h"

/* A declaration: n dimensions, by number, or by the letter of a symbol. */
struct declared {
	const char *name;
	enum tensor_type type;
	const char *dims; /* "b4p8" */
};

static const char *symbol_of(char letter)
{
	return letter == 'b' ? "batch" : letter == 's' ? "seq" : letter == 'p' ? "past" : letter == 't' ? "total" : "";
}

static struct run_value value_of(const struct declared *from)
{
	struct run_value to = { .name = (char *)from->name, .kind = ORT_TENSOR, .type = from->type };

	for (const char *at = from->dims; *at; at++, to.n_dims++) {
		bool is_number = *at >= '0' && *at <= '9';

		to.dim[to.n_dims] = is_number ? *at - '0' : -1;
		to.symbol[to.n_dims] = (char *)(is_number ? "" : symbol_of(*at));
	}
	return to;
}

enum { MOST = 12 };

static int plan_of(struct decoder_plan *plan, const struct declared *in, const struct declared *out, struct err *err)
{
	static struct run_value input[MOST], output[MOST];
	static const struct run_opts opts = { .model = "m.onnx" };
	struct run run = { .opts = &opts, .input = input, .output = output };

	for (; in->name; in++)
		input[run.n_inputs++] = value_of(in);
	for (; out->name; out++)
		output[run.n_outputs++] = value_of(out);
	return decoder_plan_make(plan, &run, err);
}

static const struct declared usual_out[] = { { "logits", TENSOR_FLOAT, "bs9" },
					     { "present.0.key", TENSOR_FLOAT, "b4t8" },
					     { "present.0.value", TENSOR_FLOAT, "b4t8" },
					     { NULL } };

TEST(inputs_are_recognised_by_names_and_caches_by_their_outputs)
{
	const struct declared in[] = { { "input_ids", TENSOR_INT64, "bs" },
				       { "attention_mask", TENSOR_INT64, "bt" },
				       { "position_ids", TENSOR_INT64, "bs" },
				       { "past_key_values.0.value", TENSOR_FLOAT, "b4p8" },
				       { "past_key_values.0.key", TENSOR_FLOAT, "b4p8" },
				       { "use_cache_branch", TENSOR_BOOL, "1" },
				       { "num_logits_to_keep", TENSOR_INT64, "" },
				       { NULL } };
	const enum decoder_role roles[] = { DECODER_IDS,   DECODER_MASK,      DECODER_POSITIONS,  DECODER_CACHE,
					    DECODER_CACHE, DECODER_USE_CACHE, DECODER_KEEP_LOGITS };
	struct decoder_plan plan;
	struct err err = { 0 };

	assert_int_equal(plan_of(&plan, in, usual_out, &err), 0);
	for (int i = 0; i < 7; i++)
		assert_int_equal(plan.input[i].role, roles[i]);
	assert_int_equal(plan.input[3].output, 2);
	assert_int_equal(plan.input[4].output, 1);
	assert_int_equal(plan.input[3].batch_axis, 0);
	assert_int_equal(plan.input[3].length_axis, 2);
	assert_int_equal(plan.n_caches, 2);
	assert_int_equal(plan.logits, 0);
	assert_int_equal(plan.ids, 0);
	decoder_plan_done(&plan);
}

TEST(keys_and_values_in_one_cache_and_lengths_of_group_query_attention_are_known)
{
	const struct declared in[] = { { "past_0", TENSOR_FLOAT16, "2b4p8" },
				       { "input_ids", TENSOR_INT32, "bs" },
				       { "seqlens_k", TENSOR_INT32, "b" },
				       { "total_sequence_length", TENSOR_INT32, "" },
				       { "past_sequence_length", TENSOR_INT32, "1" },
				       { NULL } };
	const struct declared out[] = { { "logits", TENSOR_FLOAT16, "bs9" },
					{ "present_0", TENSOR_FLOAT16, "2b4t8" },
					{ NULL } };
	struct decoder_plan plan;
	struct err err = { 0 };

	assert_int_equal(plan_of(&plan, in, out, &err), 0);
	assert_int_equal(plan.input[0].role, DECODER_CACHE);
	assert_int_equal(plan.input[0].batch_axis, 1);
	assert_int_equal(plan.input[0].length_axis, 3);
	assert_int_equal(plan.input[2].role, DECODER_LAST_LENGTH);
	assert_int_equal(plan.input[3].role, DECODER_TOTAL_LENGTH);
	assert_int_equal(plan.input[4].role, DECODER_PAST_LENGTH);
	decoder_plan_done(&plan);
}

TEST(a_batch_of_one_and_a_state_of_a_fixed_size_have_no_free_axes_for_them)
{
	const struct declared in[] = { { "inputs_embeds", TENSOR_FLOAT, "1s8" },
				       { "past_key_values.0.key", TENSOR_FLOAT, "14p8" },
				       { "past_conv.0", TENSOR_FLOAT, "b84" },
				       { NULL } };
	const struct declared out[] = { { "logits", TENSOR_FLOAT, "1s9" },
					{ "present.0.key", TENSOR_FLOAT, "14t8" },
					{ "present_conv.0", TENSOR_FLOAT, "b84" },
					{ NULL } };
	struct decoder_plan plan;
	struct err err = { 0 };

	assert_int_equal(plan_of(&plan, in, out, &err), 0);
	assert_int_equal(plan.input[0].role, DECODER_EMBEDDINGS);
	assert_int_equal(plan.input[1].batch_axis, -1);
	assert_int_equal(plan.input[1].length_axis, 2);
	assert_int_equal(plan.input[2].role, DECODER_CACHE);
	assert_int_equal(plan.input[2].batch_axis, 0);
	assert_int_equal(plan.input[2].length_axis, -1);
	decoder_plan_done(&plan);
}

TEST(numbers_in_names_stay_apart)
{
	const struct declared in[] = { { "input_ids", TENSOR_INT64, "bs" },
				       { "past.1.11.key", TENSOR_FLOAT, "b4p8" },
				       { "past.11.1.key", TENSOR_FLOAT, "b4p8" },
				       { NULL } };
	const struct declared out[] = { { "logits", TENSOR_FLOAT, "bs9" },
					{ "present_11_1_key", TENSOR_FLOAT, "b4t8" },
					{ "present_1_11_key", TENSOR_FLOAT, "b4t8" },
					{ NULL } };
	struct decoder_plan plan;
	struct err err = { 0 };

	assert_int_equal(plan_of(&plan, in, out, &err), 0);
	assert_int_equal(plan.input[1].output, 2);
	assert_int_equal(plan.input[2].output, 1);
	decoder_plan_done(&plan);
}

static void refuses(const struct declared *in, const struct declared *out, const char *why)
{
	struct decoder_plan plan;
	struct err err = { 0 };

	assert_int_equal(plan_of(&plan, in, out, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, why));
	decoder_plan_done(&plan);
}

TEST(what_is_no_decoder_is_refused_with_the_reason)
{
	const struct declared image[] = { { "x", TENSOR_FLOAT, "b388" }, { NULL } };
	const struct declared plain[] = { { "input_ids", TENSOR_INT64, "bs" }, { NULL } };
	const struct declared odd[] = { { "input_ids", TENSOR_INT64, "bs" },
					{ "past_key_values.0.key", TENSOR_FLOAT, "b4p8" },
					{ "pixels", TENSOR_FLOAT, "b388" },
					{ NULL } };
	const struct declared continued[] = { { "input_ids", TENSOR_INT64, "bs" },
					      { "past_key_values.0.key", TENSOR_FLOAT, "b4p8" },
					      { "encoder_hidden_states", TENSOR_FLOAT, "bs8" },
					      { NULL } };
	const struct declared no_logits[] = { { "present.0.key", TENSOR_FLOAT, "b4t8" }, { NULL } };
	const struct declared cached[] = { { "input_ids", TENSOR_INT64, "bs" },
					   { "past_key_values.0.key", TENSOR_FLOAT, "b4p8" },
					   { NULL } };

	const struct declared deep[] = { { "ids", TENSOR_INT64, "9bs" },
					 { "past_key_values.0.key", TENSOR_FLOAT, "b4p8" },
					 { NULL } };
	const struct declared twins[] = { { "input_ids", TENSOR_INT64, "bs" },
					  { "past_key_values.0.key", TENSOR_FLOAT, "b4p8" },
					  { "past_key_values_0_key", TENSOR_FLOAT, "b4p8" },
					  { NULL } };

	refuses(deep, usual_out, "no input takes token ids");
	refuses(twins, usual_out, "that of two caches");
	refuses(image, usual_out, "no input takes token ids");
	refuses(plain, usual_out, "export it with a cache");
	refuses(odd, usual_out, "'pixels'");
	refuses(continued, usual_out, "what an encoder made");
	refuses(cached, no_logits, "no output looks like logits");
}
