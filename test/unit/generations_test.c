// SPDX-License-Identifier: Apache-2.0
/* Generations: found where inferences continue each other, with exact figures; and nowhere else. */
#include "analyze/generation/generations.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>

#include "analyze/generation/inputs.h"
#include "analyze/insight/recorded.h"
#include "cases.h"
#include "findings.h"
#include "stream.h"

struct fixture {
	struct stream s;
	struct summary *summary;
	struct recorded recorded;
	uint32_t process, lane, other_lane;
	int64_t number, session, thread;
	uint64_t us;
	const char *model; /* NULL: "m" */
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .us = 100, .session = 1, .thread = 8 };
	stream_init(&f->s);
	f->process = stream_process(&f->s, 7, "app");
	f->lane = stream_lane(&f->s, f->process, "m");
	f->other_lane = stream_lane(&f->s, f->process, "m");
}

static void infer(struct fixture *f, uint64_t took_us, enum event_key key, const char *text)
{
	stream_text(&f->s, key, text);
	stream_int(&f->s, KEY_TID, f->thread);
	stream_int(&f->s, KEY_FIRST, !f->number);
	stream_inference(&f->s, f->lane, f->us, f->model ? f->model : "m", f->session, ++f->number);
	f->us += took_us;
	stream_text(&f->s, KEY_STATUS, "ok");
	stream_end(&f->s, f->lane, f->us);
}

static void run(struct fixture *f, uint64_t took_us, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void run(struct fixture *f, uint64_t took_us, const char *fmt, ...)
{
	char shapes[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(shapes, sizeof shapes, fmt, args);
	va_end(args);
	infer(f, took_us, KEY_SHAPES, shapes);
}

static void decoder(struct fixture *f, uint64_t took_us, unsigned tokens, unsigned cached)
{
	run(f, took_us, "int64[1x%u],float32[1x4x%ux32],float32[1x4x%ux32]", tokens, cached, cached);
}

/* Of two layers. */
static void deep_decoder(struct fixture *f, uint64_t took_us, unsigned tokens, unsigned cached)
{
	run(f, took_us, "int64[1x%u],float32[1x4x%ux32],float32[1x4x%ux32],float32[1x4x%ux32],float32[1x4x%ux32]",
	    tokens, cached, cached, cached, cached);
}

/* A prompt, and n tokens in all; 10 us between two inferences. */
static void generate(struct fixture *f, unsigned prompt, unsigned n)
{
	decoder(f, 5 * prompt, prompt, 0);
	for (unsigned i = 1; i < n; i++) {
		f->us += 10;
		decoder(f, 100, 1, prompt + i - 1);
	}
}

static const struct summary_generations *found(struct fixture *f)
{
	const struct summary_opts opts = { .with_tokens = true };
	struct summary_file file = { 0 };

	f->summary = stream_summary_of(&f->s, &opts, &file);
	assert_non_null(f->summary);
	assert_int_equal(recorded_init(&f->recorded, f->summary, NULL), 0);
	return &f->summary->models[0].generations;
}

static const struct generation *row(const struct fixture *f, uint32_t i)
{
	assert_true(i < f->summary->n_generations);
	return &f->summary->generations[i];
}

static void end(struct fixture *f)
{
	recorded_done(&f->recorded);
	summary_free(f->summary);
	stream_done(&f->s);
}

static void assert_none(struct fixture *f)
{
	assert_int_equal(found(f)->n, 0);
	assert_int_equal(f->summary->n_generations, 0);
	end(f);
}

#define CASE(name) TEST_OF(name, struct fixture, f, begin(f), end(f))

CASE(a_prompt_and_tokens_have_the_figures_of_their_inferences)
{
	const struct summary_generations *of;
	const struct generation *own;

	generate(f, 16, 5);
	of = found(f);
	own = row(f, 0);
	assert_int_equal(of->n, 1);
	assert_int_equal(own->prompt_tokens, 16);
	assert_int_equal(own->output_tokens, 5);
	assert_int_equal(own->first_token_ns, 80000);
	assert_int_equal(own->prefill_ns, 80000);
	assert_int_equal(own->decode_ns, 400000);
	assert_int_equal(own->outside_ns, 40000);
	assert_int_equal(own->others_ns, 0);
	assert_true(own->per_token_ns == 110000);
	assert_int_equal(own->length, 20);
	assert_int_equal(own->cache_bytes, 19 * 1024);
	assert_int_equal(own->copied_bytes, (16 + 17 + 18 + 19) * 1024);
	assert_int_equal(own->end_ns - own->begin_ns, 520000);
	assert_int_equal(of->wall_ns, of->prefill_ns + of->decode_ns + of->others_ns + of->outside_ns);
	assert_int_equal(of->most_at_a_time, 1);
	assert_int_equal(f->summary->n_tokens, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(f->summary->tokens[i].number, i + 1);
		assert_int_equal(f->summary->tokens[i].inference, i + 1);
		assert_int_equal(f->summary->tokens[i].since_ns, i ? 110000 : 80000);
		assert_int_equal(f->summary->tokens[i].length, 16 + i);
	}
}

/* The second one's cache becomes as long as the first one's was at its end. */
/* Of keys [1 x 4 x length x 32] in order, and as many of a shape behind them. */
static uint64_t bytes_of_many(const char *behind)
{
	static const char first[] = "int64[1x%u],float32[1x4x%ux32]";
	struct fixture f;
	uint64_t bytes;

	begin(&f);
	for (unsigned i = 0; i < 5; i++) {
		char shapes[800], *to = shapes;
		unsigned length = i ? 15 + i : 0;

		to += sprintf(to, first, i ? 1 : 16, length);
		for (int n = 0; n < 14; n++)
			to += sprintf(to, ",float32[1x4x%ux32]", length);
		sprintf(to, behind, length);
		infer(&f, 100, KEY_SHAPES, shapes);
		f.us += 10;
	}
	assert_int_equal(found(&f)->n, 1);
	bytes = row(&f, 0)->cache_bytes;
	end(&f);
	return bytes;
}

TEST(caches_behind_the_first_inputs_count)
{
	enum { ONE = 4 * 19 * 32 * 4 };

	assert_int_equal(bytes_of_many(",float32[1x4x%ux32]*9"), (15 + 9) * ONE);
	assert_int_equal(bytes_of_many(",float32[1x4x%ux32]"), (15 + 1) * ONE);
	assert_int_equal(bytes_of_many(",float32[1x4x%ux32]*4,bool[],float32[2x3]*7"), (15 + 4) * ONE);
	/* a recording of 0.1 ends there; what is of no shape, or grows along another dimension */
	assert_int_equal(bytes_of_many(""), 0);
	assert_int_equal(bytes_of_many(",float32[1x4x%ux32]*9,-*3"), 0);
	assert_int_equal(bytes_of_many(",float32[1x4x32x%u]*9"), 0);
}

CASE(generations_in_a_row_are_told_apart)
{
	const unsigned prompts[] = { 16, 17, 64, 4, 16 };

	for (size_t i = 0; i < 5; i++) {
		generate(f, prompts[i], 60);
		f->us += 1000;
	}
	assert_int_equal(found(f)->n, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, prompts[i]);
		assert_int_equal(row(f, i)->output_tokens, 60);
		assert_int_equal(row(f, i)->outside_ns, 590000);
	}
}

TEST(eight_that_advance_side_by_side_are_told_apart)
{
	struct fixture f;

	for (unsigned step = 0; step < 2; step++) {
		begin(&f);
		for (unsigned i = 0; i < 8; i++)
			decoder(&f, 80, 16 + step * i, 0);
		for (unsigned n = 0; n < 20; n++)
			for (unsigned i = 0; i < 8; i++)
				decoder(&f, 100, 1, 16 + step * i + n);
		assert_int_equal(found(&f)->n, 8);
		assert_int_equal(f.summary->models[0].generations.most_at_a_time, 8);
		for (uint32_t i = 0; i < 8; i++) {
			assert_int_equal(row(&f, i)->prompt_tokens, 16 + step * i);
			assert_int_equal(row(&f, i)->output_tokens, 21);
			assert_int_equal(row(&f, i)->outside_ns, 0);
			assert_int_equal(row(&f, i)->others_ns, (7 - i) * 80000 + i * 100000 + 19 * 700000);
			assert_int_equal(row(&f, i)->max_ns, 800000);
		}
		end(&f);
	}
}

CASE(one_that_has_ended_is_not_continued_by_another_one)
{
	generate(f, 4, 4); /* its next token would go in behind 7 others */
	generate(f, 20, 9);
	for (unsigned i = 0; i < 5; i++) {
		decoder(f, 100, i ? 1 : 6, i ? 5 + i : 0);
		decoder(f, 100, i ? 1 : 9, i ? 8 + i : 0);
	}
	assert_int_equal(found(f)->n, 4);
	assert_int_equal(row(f, 0)->output_tokens, 4);
	assert_int_equal(row(f, 1)->output_tokens, 9);
	assert_int_equal(row(f, 2)->output_tokens, 5);
	assert_int_equal(row(f, 3)->output_tokens, 5);
}

static void seen(struct fixture *f, const char *sequences)
{
	stream_text(&f->s, KEY_SEQUENCES, sequences);
}

CASE(prompts_that_begin_as_earlier_ones_are_counted_where_they_begin)
{
	generate(f, 40, 3);
	seen(f, "~32");
	decoder(f, 100, 48, 0);
	decoder(f, 50, 1, 48);
	seen(f, "~16"); /* goes on behind these: it is no begin */
	decoder(f, 100, 16, 49);
	decoder(f, 50, 1, 65);
	/* without caches, then as a step shows */
	seen(f, "~16");
	run(f, 100, "int64[1x20]");
	decoder(f, 50, 1, 20);
	assert_int_equal(found(f)->seen_tokens, 48);
	assert_int_equal(f->summary->n_generations, 4);
	assert_int_equal(row(f, 0)->seen_tokens, 0);
	assert_int_equal(row(f, 1)->seen_tokens, 32);
	assert_int_equal(row(f, 2)->seen_tokens, 0);
	assert_int_equal(row(f, 3)->seen_tokens, 16);
}

CASE(threads_and_sessions_have_their_own)
{
	decoder(f, 10, 8, 0);
	f->thread = 9;
	decoder(f, 10, 8, 0);
	f->session = 2;
	decoder(f, 10, 8, 0);
	for (unsigned n = 0; n < 30; n++) {
		f->session = 1;
		f->thread = n % 2 ? 8 : 9;
		decoder(f, 10, 1, 8 + n / 2);
		f->session = 2;
		f->thread = 9;
		decoder(f, 10, 1, 8 + n);
	}
	assert_int_equal(found(f)->n, 3);
	assert_int_equal(row(f, 0)->thread, 8);
	assert_int_equal(row(f, 0)->output_tokens, 16);
	assert_int_equal(row(f, 1)->output_tokens, 16);
	assert_int_equal(row(f, 2)->output_tokens, 31);
}

CASE(a_mask_tells_what_is_kept_inside_of_the_model)
{
	for (unsigned prompt = 6; prompt < 8; prompt++) {
		run(f, 100, "int64[1x%u],int64[1x%u],int64[1x%u],int32[1]", prompt, prompt, prompt);
		for (unsigned i = 1; i <= 9; i++)
			run(f, 50, "int64[1x1],int64[1x%u],int64[1x1],int32[1]", prompt + i);
	}
	assert_int_equal(found(f)->n, 2);
	assert_int_equal(row(f, 1)->prompt_tokens, 7);
	assert_int_equal(row(f, 1)->output_tokens, 10);
	assert_int_equal(row(f, 1)->length, 16);
}

CASE(a_batch_is_one_generation_of_several_sequences)
{
	run(f, 100, "int64[3x6],float16[3x4x0x32],float16[3x4x0x32]");
	for (unsigned i = 0; i < 4; i++)
		run(f, 50, "int64[3x1],float16[3x4x%ux32],float16[3x4x%ux32]", 6 + i, 6 + i);
	assert_int_equal(found(f)->output_tokens, 15);
	assert_int_equal(row(f, 0)->batch, 3);
	assert_true(row(f, 0)->per_token_ns == 50000);
}

CASE(prompts_in_parts_in_turns_and_from_another_session)
{
	/* in two parts; then a second turn behind the same cache */
	decoder(f, 100, 16, 0);
	decoder(f, 100, 16, 16);
	for (unsigned i = 0; i < 4; i++)
		decoder(f, 10, 1, 32 + i);
	decoder(f, 70, 10, 36);
	for (unsigned i = 0; i < 3; i++)
		decoder(f, 10, 1, 46 + i);
	/* a decoder without a cache makes the first token, another one with it the rest */
	f->session = 2;
	run(f, 60, "int64[1x9],int64[1x9]");
	f->session = 3;
	for (unsigned i = 0; i < 5; i++)
		deep_decoder(f, 10, 1, 9 + i);
	/* the same in one session, as modules of PyTorch do it */
	f->session = 4;
	for (unsigned turn = 0; turn < 2; turn++) {
		run(f, 60, "int64[1x7]");
		for (unsigned i = 0; i < 5; i++)
			decoder(f, 10, 1, 7 + i);
	}
	assert_int_equal(found(f)->n, 5);
	for (uint32_t i = 3; i < 5; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, 7);
		assert_int_equal(row(f, i)->first_token_ns, 60000);
		assert_int_equal(row(f, i)->output_tokens, 6);
	}
	assert_int_equal(row(f, 0)->n_prefills, 2);
	assert_int_equal(row(f, 0)->prompt_tokens, 32);
	assert_int_equal(row(f, 0)->first_token_ns, 200000);
	assert_int_equal(row(f, 0)->output_tokens, 5);
	assert_int_equal(row(f, 1)->cached_tokens, 36);
	assert_int_equal(row(f, 1)->prompt_tokens, 10);
	assert_int_equal(row(f, 1)->first_token_ns, 70000);
	assert_int_equal(row(f, 2)->prompt_tokens, 9);
	assert_int_equal(row(f, 2)->cached_tokens, 0);
	assert_int_equal(row(f, 2)->first_token_ns, 60000);
	assert_int_equal(row(f, 2)->output_tokens, 6);
}

CASE(one_that_began_before_has_no_first_token)
{
	const struct summary_generations *of;

	for (unsigned i = 0; i < 9; i++) /* of one layer, it could be anything that becomes longer */
		deep_decoder(f, 10, 1, 500 + i);
	of = found(f);
	assert_int_equal(of->n, 1);
	assert_int_equal(of->n_whole, 0);
	assert_int_equal(row(f, 0)->first_token_ns, 0);
	assert_int_equal(row(f, 0)->output_tokens, 9);
	assert_int_equal(row(f, 0)->cached_tokens, 500);
}

CASE(embeddings_go_in_in_place_of_tokens)
{
	run(f, 60, "float32[1x20x64],int64[1x20],float32[1x4x0x16],float32[1x4x0x16]");
	for (unsigned i = 0; i < 3; i++)
		run(f, 10, "float32[1x1x64],int64[1x%u],float32[1x4x%ux16],float32[1x4x%ux16]", 21 + i, 20 + i, 20 + i);
	assert_int_equal(found(f)->n, 1);
	assert_int_equal(row(f, 0)->prompt_tokens, 20);
	assert_int_equal(row(f, 0)->output_tokens, 4);
}

/* As they are exported in one file: caches of what the encoder has made go in, too, empty with the prompt. */
static void decoder_of_an_encoder(struct fixture *f, unsigned tokens, unsigned cached, unsigned heard)
{
	run(f, 100,
	    "int64[1x%u],float32[1x1500x384],float32[1x6x%ux64],float32[1x6x%ux64],float32[1x6x%ux64],"
	    "float32[1x6x%ux64],bool[1]",
	    tokens, cached, cached, heard, heard);
}

CASE(an_encoder_and_its_decoder_make_generations)
{
	for (unsigned i = 0; i < 3; i++) {
		f->session = 1;
		/* with a mask, too */
		run(f, 900, i == 2 ? "int64[1x3000],float32[1x80x3000]" : "float32[1x80x3000]");
		f->session = 2;
		decoder_of_an_encoder(f, 4, 0, 0);
		for (unsigned n = 0; n < 8 + i; n++)
			decoder_of_an_encoder(f, 1, 4 + n, 1500);
	}
	assert_int_equal(found(f)->n, 3);
	assert_int_equal(row(f, 0)->prompt_tokens, 4);
	assert_int_equal(row(f, 0)->output_tokens, 9);
	assert_int_equal(row(f, 2)->output_tokens, 11);
	assert_int_equal(row(f, 2)->length, 14);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(row(f, i)->encoder_ns, 900000);
		assert_int_equal(row(f, i)->prefill_ns, 1000000);
		assert_int_equal(row(f, i)->first_token_ns, 1000000);
		assert_int_equal(row(f, i)->n_prefills, 1);
	}
}

/* A text goes into an encoder, one token into a decoder with its cache, which may be two files. */
static void translate(struct fixture *f, unsigned text, unsigned heard, bool is_split)
{
	f->session = 1;
	run(f, 500, "int64[1x%u],int64[1x%u]", text, text);
	f->us += 20;
	f->session = 2;
	if (is_split)
		run(f, 100, "int64[1x%u],int64[1x1],float32[1x%ux64]", heard, heard);
	else
		run(f, 100,
		    "int64[1x1],float32[1x4x0x16],float32[1x4x0x16],float32[1x4x0x16],float32[1x4x0x16],"
		    "float32[1x%ux64]",
		    heard);
	f->session = is_split ? 3 : 2;
	for (unsigned i = 1; i < 6; i++)
		run(f, 50,
		    "int64[1x1],float32[1x4x%ux16],float32[1x4x%ux16],float32[1x4x%ux16],float32[1x4x%ux16],"
		    "float32[1x%ux64]",
		    i, i, i, i, heard);
}

TEST(an_encoder_of_text_takes_the_prompt)
{
	for (unsigned is_split = 0; is_split < 2; is_split++) {
		struct fixture f;

		begin(&f);
		for (unsigned i = 0; i < 3; i++) {
			/* an encoder needs its whole text, also one that began as an earlier one */
			if (i == 2)
				seen(&f, "~16");
			translate(&f, 12 + i, 12 + i, is_split);
		}
		/* another model that took a text of another length is no encoder */
		translate(&f, 99, 12, is_split);
		assert_int_equal(found(&f)->n, 4);
		for (uint32_t i = 0; i < 4; i++) {
			const struct generation *own = row(&f, i);

			assert_int_equal(own->prompt_tokens, i < 3 ? 12 + i : 1);
			assert_int_equal(own->first_token_ns, i < 3 ? 620000 : 100000);
			assert_int_equal(own->encoder_ns, i < 3 ? 500000 : 0);
			assert_int_equal(own->seen_tokens, 0);
			assert_int_equal(own->output_tokens, 6);
			assert_int_equal(own->length, 6);
			assert_int_equal(own->outside_ns, i < 3 ? 20000 : 0);
			assert_int_equal(own->end_ns - own->begin_ns,
					 own->prefill_ns + own->decode_ns + own->outside_ns);
		}
		end(&f);
	}
}

/* A decoder without one: whatever ran before it is another program part. */
TEST(what_runs_before_a_decoder_without_an_encoder_is_none)
{
	static const char *const others[] = { "float32[1x3x224x224]", "int64[1x16],int64[1x16]", "float32[1x16000]" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct fixture f;

		begin(&f);
		for (unsigned n = 0; n < 3; n++) {
			f.session = 2;
			run(&f, 900, others[i]);
			f.session = 1;
			generate(&f, 16, 5);
		}
		found(&f);
		assert_int_equal(row(&f, 0)->encoder_ns + row(&f, 1)->encoder_ns + row(&f, 2)->encoder_ns, 0);
		assert_int_equal(row(&f, 1)->first_token_ns, 80000);
		end(&f);
	}
}

/* A picture's features and the text's tokens become embeddings, which go in together. */
TEST(pictures_and_embeddings_before_a_prompt_are_parts_of_it)
{
	for (unsigned has_picture = 0; has_picture < 2; has_picture++) {
		struct fixture f;

		begin(&f);
		for (unsigned n = 0; n < 2; n++) {
			f.session = 1;
			run(&f, 700, "float32[1x3x224x224]");
			f.session = 2;
			run(&f, 30, "int64[1x20],float32[%ux64]", has_picture ? 16 : 0);
			f.session = 3;
			run(&f, 60, "float32[1x20x64],int64[1x20],float32[1x4x0x16],float32[1x4x0x16]");
			for (unsigned i = 0; i < 3; i++) {
				f.session = 2;
				run(&f, 5, "int64[1x1],float32[0x64]");
				f.session = 3;
				run(&f, 10, "float32[1x1x64],int64[1x%u],float32[1x4x%ux16],float32[1x4x%ux16]", 21 + i,
				    20 + i, 20 + i);
			}
		}
		assert_int_equal(found(&f)->n, 2);
		for (uint32_t i = 0; i < 2; i++) {
			assert_int_equal(row(&f, i)->prompt_tokens, 20);
			assert_int_equal(row(&f, i)->output_tokens, 4);
			assert_int_equal(row(&f, i)->first_token_ns, has_picture ? 790000 : 90000);
			assert_int_equal(row(&f, i)->encoder_ns, has_picture ? 730000 : 30000);
		}
		end(&f);
	}
}

/* As llama.cpp does: a function of the same context. */
CASE(an_encoder_of_the_same_context_is_told_by_its_sequences)
{
	for (unsigned turn = 0; turn < 2; turn++) {
		infer(f, 400, KEY_SHAPES, "int32[24]");
		infer(f, 100, KEY_SEQUENCES, "0:0+1/1");
		for (unsigned i = 1; i < 5; i++) {
			char text[40];

			snprintf(text, sizeof text, "0:%u+1/1", i);
			infer(f, 50, KEY_SEQUENCES, text);
		}
	}
	assert_int_equal(found(f)->n, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, 24);
		assert_int_equal(row(f, i)->output_tokens, 5);
		assert_int_equal(row(f, i)->first_token_ns, 500000);
		assert_int_equal(row(f, i)->encoder_ns, 400000);
	}
}

CASE(sequences_of_a_batch_are_generations)
{
	static const char *const batches[] = {
		"0:0+8/0",
		"0:8+4/1",
		"0:12+1/1,1:0+6/1",
		"0:13+1/1,1:6+1/1",
		"1:7+1/1",
		"0:0+5/1,1:8+1/1,7:3+1/1",
		"0:5+1/1,1:9+1/1,7:4+1/1",
	};

	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
		infer(f, 100, KEY_SEQUENCES, batches[i]);
		f->us += 10;
	}
	assert_int_equal(found(f)->n, 4);
	assert_int_equal(row(f, 0)->n_prefills, 2);
	assert_int_equal(row(f, 0)->prompt_tokens, 12);
	assert_int_equal(row(f, 0)->first_token_ns, 210000);
	assert_int_equal(row(f, 0)->output_tokens, 3);
	assert_int_equal(row(f, 1)->prompt_tokens, 6);
	assert_int_equal(row(f, 1)->output_tokens, 5);
	assert_int_equal(row(f, 2)->prompt_tokens, 5);
	assert_int_equal(row(f, 2)->output_tokens, 2);
	assert_int_equal(row(f, 3)->first_token_ns, 0);
	assert_int_equal(row(f, 3)->output_tokens, 2);
}

/* They come and go; two prompts are as long, and the third is as long as the first when that has ended. */
CASE(sequences_without_numbers_are_told_apart_by_their_length)
{
	static const char *const batches[] = {
		"?:0+8/1",	    "?:0+8/1,?:8+1/1",	"?:8+1/1,?:9+1/1", "?:9+1/1,?:10+1/1",
		"?:0+4/1,?:10+1/1", "?:4+3/1,?:11+1/1", "?:7+1/1",	   "?:8+1/1",
	};

	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
		infer(f, 100, KEY_SEQUENCES, batches[i]);
		f->us += 10;
	}
	assert_int_equal(found(f)->n, 3);
	assert_int_equal(row(f, 0)->prompt_tokens, 8);
	assert_int_equal(row(f, 0)->output_tokens, 4);
	assert_int_equal(row(f, 1)->prompt_tokens, 8);
	assert_int_equal(row(f, 1)->output_tokens, 5);
	assert_int_equal(row(f, 2)->prompt_tokens, 7);
	assert_int_equal(row(f, 2)->n_prefills, 2);
	assert_int_equal(row(f, 2)->output_tokens, 3);
}

/* Beams of a search: the prompt goes in once. */
CASE(a_prompt_goes_on_as_several_sequences)
{
	for (int n = 0; n < 2; n++) {
		run(f, 100, "int64[1x16],float32[1x4x0x32],float32[1x4x0x32]");
		for (unsigned i = 0; i < 4; i++)
			run(f, 100, "int64[3x1],float32[3x4x%ux32],float32[3x4x%ux32]", 16 + i, 16 + i);
	}
	assert_int_equal(found(f)->n, 2);
	assert_int_equal(found(f)->n_whole, 2);
	assert_int_equal(row(f, 1)->prompt_tokens, 16);
	assert_int_equal(row(f, 1)->output_tokens, 15);
	assert_int_equal(row(f, 1)->batch, 3);
}

/* Of three drafts of four tokens, all, two and one are taken; the last one's are not known. */
CASE(drafts_count_as_many_tokens_as_were_taken)
{
	static const char *const batches[] = { "0:0+8/1", "0:8+4/4", "0:12+4/4", "0:14+4/4", "0:15+1/1", "0:16+4/4" };

	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
		infer(f, 100, KEY_SEQUENCES, batches[i]);
	assert_int_equal(found(f)->n, 1);
	assert_int_equal(row(f, 0)->n_steps, 5);
	assert_int_equal(row(f, 0)->output_tokens, 1 + 4 + 2 + 1 + 1 + 1);
	assert_true(row(f, 0)->per_token_ns == 500000.0 / 9);
}

TEST(sizes_that_merely_change_are_no_generations)
{
	struct fixture f;

	begin(&f); /* a detector */
	for (unsigned i = 0; i < 40; i++)
		run(&f, 100, "float32[1x3x%ux%u]", 320 + i, 320 + 2 * i);
	assert_none(&f);
	begin(&f); /* a batch that grows by one */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[%ux1],float32[%ux4x16x32],float32[%ux4x16x32]", i, i, i);
	assert_none(&f);
	begin(&f); /* an encoder of texts, of any length */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[1x%u],int64[1x%u],int64[1x%u]", i, i, i);
	assert_none(&f);
	begin(&f); /* sound that comes in chunks, with states */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "float32[1x45x80],float32[2x1x192],float32[2x64x1x192],float32[2x64x1x96],int64[2x1]");
	assert_none(&f);
	begin(&f); /* the same, with a history that grows by each chunk */
	for (unsigned i = 0; i < 40; i++)
		run(&f, 100, "float32[1x16x80],float32[1x4x%ux64],float32[1x4x%ux64]", 16 * i, 16 * i);
	assert_none(&f);
	begin(&f); /* pictures beside a table */
	for (unsigned i = 0; i < 40; i++)
		run(&f, 100, "int64[1x4],float32[1x3x%ux224],float32[1x3x%ux224]", 224 + i, 224 + i);
	assert_none(&f);
	begin(&f); /* a list that grows beside one number, for a while */
	for (unsigned i = 0; i < 40; i++)
		run(&f, 100, "int64[1x1],int64[1x%u]", 5 + i % 3);
	assert_none(&f);
	begin(&f); /* what a user has seen, beside what may be shown next */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[1x1],int64[1x%u],int64[1x%u]", i, i);
	assert_none(&f);
	begin(&f); /* the same as embeddings */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[1x1],float32[1x%ux64],float32[1x%ux64]", i, i);
	assert_none(&f);
	begin(&f); /* a film that becomes longer, with the number of its picture */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[1x1],float32[1x3x%ux64x64],float32[1x2x%ux64x64]", i, i);
	assert_none(&f);
	begin(&f); /* two spectra that become longer, with a speaker */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[1x1],float32[1x1x%ux80],float32[1x1x%ux80]", i, i);
	assert_none(&f);
	begin(&f); /* sound in chunks, with a history, whose last chunk is one frame */
	for (unsigned i = 0; i < 40; i++)
		run(&f, 100, "float32[1x%ux80],float32[1x4x%ux64],float32[1x4x%ux64]", i % 8 == 7 ? 1 : 16, i % 8 * 16,
		    i % 8 * 16);
	assert_none(&f);
	begin(&f); /* what may be shown next, ten at first, beside what a user has seen */
	for (unsigned i = 0; i < 40; i++)
		run(&f, 100, "int64[1x%u],int64[1x%u]", i % 10 ? 1 : 10, 12 + i % 10);
	assert_none(&f);
	begin(&f); /* characters one after the other, with a state of one size */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[1x%u],float32[2x1x256],float32[2x1x256]", i == 1 ? 9 : 1);
	assert_none(&f);
	begin(&f); /* speech from text, whose parts are of any length */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "int64[1x%u],int64[1],float32[3],float32[1x1x256]", 40 - i);
	assert_none(&f);
	begin(&f); /* a decoder of sound that steps over what it was given */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "float32[1x80],float32[1x1024],float32[1x1024],float32[1x%ux512],float32[1x%u]", 77, 77);
	assert_none(&f);
	begin(&f); /* positions beside pictures */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "float32[1x3x%ux%u],int64[1x1],float32[1x%ux2],int64[1x%u]", 64 + i, 64, i, i);
	assert_none(&f);
	begin(&f); /* a graph, whose nodes and edges grow */
	for (unsigned i = 1; i < 40; i++)
		run(&f, 100, "float32[%ux16],int64[2x%u],int64[%u]", i, 2 * i, i);
	assert_none(&f);
	begin(&f); /* a cache that is thrown away each time */
	for (unsigned i = 0; i < 40; i++)
		decoder(&f, 100, 8, 0);
	assert_none(&f);
}

TEST(a_longer_cache_is_no_drift)
{
	struct fixture f;

	for (unsigned drifts = 0; drifts < 2; drifts++) {
		begin(&f);
		for (unsigned i = 0; i < 8; i++) {
			infer(&f, 500, KEY_SEQUENCES, "0:0+8/1");
			for (unsigned n = 0; n < 250; n++) {
				char text[40];

				snprintf(text, sizeof text, "0:%u+1/1", 8 + n);
				infer(&f, 100 + (drifts ? i * 250 + n : n) / 4, KEY_SEQUENCES, text);
			}
		}
		/* each generation is slower at its end; only in the second round a later one is slower, too */
		assert_int_equal(found(&f)->n, 8);
		assert_int_equal(findings_of(f.recorded.model, "drifts", 0) != NULL, drifts);
		assert_true((f.summary->models[0].generations.drift > 1.1) == drifts);
		end(&f);
	}
}

static void operator_of(struct fixture *f, uint64_t us, const char *name, const char *type)
{
	stream_operator(&f->s, f->other_lane, f->us, name, type, f->number + 1);
	stream_end(&f->s, f->other_lane, f->us + us);
}

TEST(a_cache_that_is_copied_and_time_between_tokens_are_found)
{
	struct fixture f;

	for (unsigned copies = 0; copies < 2; copies++) {
		begin(&f);
		for (unsigned i = 0; i < 60; i++) {
			operator_of(&f, copies ? 40 : 5, "key", "Concat");
			f.us += 50;
			operator_of(&f, 50, "mix", "MatMul");
			f.us -= 50;
			decoder(&f, 110, i ? 1 : 8, i ? 7 + i : 0);
			f.us += copies ? 5 : 60;
		}
		found(&f);
		assert_int_equal(findings_of(f.recorded.model, "cache_copied", 0) != NULL, copies);
		assert_int_equal(findings_of(f.recorded.model, "between_tokens", 0) != NULL, !copies);
		assert_null(findings_of(f.recorded.model, "whole_sequence", 0));
		end(&f);
	}
}

TEST(turns_and_long_prompts_are_found)
{
	for (unsigned in_turn = 0; in_turn < 2; in_turn++) {
		struct fixture f;

		begin(&f);
		for (unsigned i = 0; in_turn && i < 20; i++)
			for (unsigned of = 0; of < 3; of++)
				decoder(&f, 100, i ? 1 : 8 + 30 * of, i ? 7 + 30 * of + i : 0);
		for (unsigned i = 0; !in_turn && i < 3; i++)
			generate(&f, 400, 10);
		assert_int_equal(found(&f)->n, 3);
		assert_int_equal(findings_of(f.recorded.model, "generations_in_turn", 0) != NULL, in_turn);
		assert_int_equal(findings_of(f.recorded.model, "long_prompts", 0) != NULL, !in_turn);
		assert_null(findings_of(f.recorded.model, "input_sizes", 0));
		end(&f);
	}
}

TEST(prompts_that_begin_as_earlier_ones_are_found)
{
	/* most of the prompts; too few tokens of them; prompts that take no time */
	for (int how = 0; how < 3; how++) {
		const struct finding *again;
		struct fixture f;

		begin(&f);
		for (int i = 0; i < 4; i++) {
			infer(&f, how == 2 ? 1 : 900, KEY_SEQUENCES,
			      !i	 ? "0:0+64/1"
			      : how == 1 ? "0:0+64/1~16"
					 : "0:0+64/1~48");
			for (int k = 0; k < 5; k++) {
				char text[40];

				snprintf(text, sizeof text, "0:%d+1/1", 64 + k);
				infer(&f, 100, KEY_SEQUENCES, text);
			}
		}
		assert_int_equal(found(&f)->n, 4);
		assert_int_equal(row(&f, 0)->seen_tokens, 0);
		assert_int_equal(row(&f, 3)->seen_tokens, how == 1 ? 16 : 48);
		again = findings_of(f.recorded.model, "prompt_again", 0);
		assert_int_equal(again != NULL, how == 0);
		if (again) {
			assert_int_equal(again->a, 3 * 48);
			assert_true(again->value == 3 * 48 / 256.0);
			assert_true(again->low == 3 * 900e3 * 48 / 64);
		}
		end(&f);
	}
}

TEST(generations_that_wait_for_each_other_are_found)
{
	/* three threads, one generation after the other; with a pause between; each thread at its own time */
	for (int how = 0; how < 3; how++) {
		const struct finding *found_it;
		struct fixture f;

		begin(&f);
		for (int i = 0; i < 15; i++) {
			f.thread = 8 + (how < 2 ? i % 3 : i / 5);
			generate(&f, 16, 4);
			f.us += how == 1 ? 4000 : 20;
		}
		assert_int_equal(found(&f)->most_at_a_time, 1);
		found_it = findings_of(f.recorded.model, "requests_queue", 0);
		assert_int_equal(found_it != NULL, how == 0);
		if (found_it) {
			assert_int_equal(found_it->a, 3);
			assert_int_equal(found_it->b, 15);
			/* the others' two of 410 us, and three times 20 us */
			assert_true(found_it->low == 880e3);
			assert_null(findings_of(f.recorded.model, "serialised", 0));
		}
		end(&f);
	}
}

/* A decoder whose prompt goes in without caches. */
static void bare_prompt(struct fixture *f, unsigned tokens)
{
	run(f, 80, "int64[1x%u]", tokens);
}

static void learn_bare(struct fixture *f)
{
	bare_prompt(f, 7);
	for (unsigned i = 0; i < 5; i++)
		decoder(f, 100, 1, 7 + i);
}

TEST(prompts_without_caches_wait_for_their_turn)
{
	static const unsigned prompts[] = { 16, 17, 40, 16, 18 };
	enum { N = sizeof prompts / sizeof *prompts };

	/* in turns, and by as many threads; known before or not */
	for (int how = 0; how < 4; how++) {
		uint32_t first = how & 1;
		struct fixture f;

		begin(&f);
		if (first)
			learn_bare(&f);
		for (unsigned i = 0; i < N; i++) {
			f.thread = how & 2 ? 20 + i : 8;
			bare_prompt(&f, prompts[i]);
		}
		for (unsigned k = 0; k < 9; k++)
			for (unsigned i = 0; i < N; i++) {
				f.thread = how & 2 ? 20 + i : 8;
				decoder(&f, 100, 1, prompts[i] + k);
			}
		assert_int_equal(found(&f)->n, N + first);
		for (unsigned i = 0; i < N; i++) {
			assert_int_equal(row(&f, i + first)->prompt_tokens, prompts[i]);
			assert_int_equal(row(&f, i + first)->output_tokens, 10);
			assert_int_equal(row(&f, i + first)->first_token_ns, 80000);
		}
		end(&f);
	}
}

CASE(prompts_as_long_as_an_earlier_generation_begin_their_own)
{
	enum { N = 40 };

	learn_bare(f);
	/* one after the other, of lengths that come again */
	for (unsigned i = 0; i < N; i++) {
		bare_prompt(f, 12 + i * 7 % 30);
		for (unsigned k = 1; k < 5 + i * 5 % 11; k++)
			decoder(f, 100, 1, 12 + i * 7 % 30 + k - 1);
	}
	assert_int_equal(found(f)->n, N + 1);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(row(f, i + 1)->prompt_tokens, 12 + i * 7 % 30);
		assert_int_equal(row(f, i + 1)->output_tokens, 5 + i * 5 % 11);
		assert_int_equal(row(f, i + 1)->first_token_ns, 80000);
	}
}

CASE(a_thread_for_each_request_has_turns_of_its_own)
{
	enum { AT_ONCE = 8, TOKENS = 12, N = 200 };

	learn_bare(f);
	for (unsigned first = 0; first < N; first += AT_ONCE)
		for (unsigned k = 0; k < TOKENS; k++)
			for (unsigned i = first; i < first + AT_ONCE; i++) {
				f->thread = 100 + i;
				if (!k)
					bare_prompt(f, 20 + i % 7);
				else
					decoder(f, 100, 1, 20 + i % 7 + k - 1);
			}
	assert_int_equal(found(f)->n, N + 1);
	assert_int_equal(f->summary->models[0].generations.n_whole, N + 1);
	assert_int_equal(f->summary->models[0].generations.output_tokens, N * TOKENS + 6);
}

CASE(one_that_the_others_leave_out_has_made_its_last_token)
{
	/* of the first two the caches are as long, in the second round after the end of the first one */
	static const unsigned prompts[] = { 16, 15, 40 }, n_tokens[] = { 5, 20, 20 };

	for (unsigned k = 0; k < 20; k++)
		for (unsigned i = 0; i < 3; i++)
			if (k < n_tokens[i])
				decoder(f, 100, k ? 1 : prompts[i], k ? prompts[i] + k - 1 : 0);
	assert_int_equal(found(f)->n, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, prompts[i]);
		assert_int_equal(row(f, i)->output_tokens, n_tokens[i]);
	}
}

CASE(a_slot_that_is_free_again_takes_a_prompt_as_long_as_an_earlier_cache)
{
	/* beside another slot, that goes on; the third prompt is as long as the cache of the first was at its end */
	static const unsigned prompts[] = { 16, 60, 20 }, n_tokens[] = { 5, 20, 10 };
	unsigned other = 100;

	learn_bare(f);
	bare_prompt(f, other);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < n_tokens[i]; k++) {
			decoder(f, 100, 1, other++);
			k ? decoder(f, 100, 1, prompts[i] + k - 1) : bare_prompt(f, prompts[i]);
		}
	assert_int_equal(found(f)->n, 5);
	assert_int_equal(row(f, 1)->output_tokens, 1 + other - 100);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(row(f, i + 2)->prompt_tokens, prompts[i]);
		assert_int_equal(row(f, i + 2)->output_tokens, n_tokens[i]);
	}
}

CASE(what_is_no_prompt_does_not_wait_for_a_step)
{
	learn_bare(f);
	for (int i = 0; i < 3; i++) {
		bare_prompt(f, 18); /* is not continued */
		bare_prompt(f, 16);
		for (unsigned k = 0; k < 9; k++)
			decoder(f, 100, 1, 16 + k);
	}
	assert_int_equal(found(f)->n, 4);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(row(f, i)->prompt_tokens, 16);
		assert_int_equal(row(f, i)->output_tokens, 10);
	}
}

TEST(a_decoder_without_a_cache_is_named)
{
	struct fixture f;

	for (unsigned steps = 1; steps < 3; steps++) {
		begin(&f);
		for (unsigned i = 0; i < 40; i++)
			run(&f, 100, "int64[1x%u],int64[1x%u]", 8 + steps * i % 30, 8 + steps * i % 30);
		assert_int_equal(found(&f)->n, 0);
		assert_int_equal(findings_of(f.recorded.model, "whole_sequence", 0) != NULL, steps == 1);
		end(&f);
	}
}

/* Memory and time do not grow with what is not kept. */
/* A server of 64 slots: what is kept of a day is what is kept of an hour. */
TEST(a_long_run_takes_no_more_memory)
{
	enum { SLOTS = 64, STEPS = 600000, EARLY = STEPS / 4 };
	struct generations *all = generations_new(true);
	struct generation_run run = { .session = 1, .sequences = NULL };
	static char text[SLOTS * 32];
	size_t early = 0;

	for (uint64_t step = 0; step < STEPS; step++) {
		size_t n = 0;

		/* one slot after the other begins anew; each batch has the steps of four of them */
		for (uint64_t i = 0; i < 4; i++) {
			uint64_t slot = (4 * step + i) % SLOTS, turn = (4 * step + i) / SLOTS + slot, at = turn % 40;

			n += (size_t)snprintf(text + n, sizeof text - n, "%s%u:%u+%u/1", i ? "," : "", (unsigned)slot,
					      at ? (unsigned)at + 11 : 0, at ? 1 : 12);
		}
		run.sequences = text;
		run.begin_ns = 1000 * step;
		run.end_ns = run.begin_ns + 900;
		run.number++;
		assert_int_equal(generations_take(all, &run), 0);
		if (step == EARLY)
			early = mallinfo2().uordblks + mallinfo2().hblkhd;
	}
	assert_int_equal(generations_rows(all)->n, GENERATIONS_LISTED);
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd <= early + 65536);
	assert_int_equal(generations_finish(all), 0);
	assert_in_range(generations_of(all, 0)->n, 60000, 60100);
	generations_free(all);
}

CASE(many_sessions_are_looked_at_in_turn)
{
	for (f->session = 1; f->session <= 600; f->session++)
		generate(f, 4, 3);
	assert_int_equal(found(f)->n, 600);
	assert_int_equal(f->summary->models[0].generations.output_tokens, 1800);
}

TEST(shapes_of_outputs_and_nonsense_are_no_inputs)
{
	static const struct {
		const char *text;
		uint32_t n, n_groups, n_rest;
	} rows[] = {
		{ "int64[1x2],float32[1x2]->float32[3]*7", 2, 0, 0 },
		{ "int64[1x2]->", 1, 0, 0 },
		{ "->float32[3]", 1, 0, 0 },
		{ "*", 1, 0, 0 },
		{ "a*,b*9", 2, 0, 0 },
		{ "-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,float32[2x3]*48,int8[7],-*7->x*5", 16, 3, 56 },
		{ "-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,a*99999999999999999999", 16, 1, UINT32_MAX },
		{ "[[[[,,,x1", 4, 0, 0 },
	};
	struct inputs inputs;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text = strdup(rows[i].text); /* so that what is read behind its end is found */

		inputs_read(&inputs, text);
		assert_int_equal(inputs.n, rows[i].n);
		assert_int_equal(inputs.n_groups, rows[i].n_groups);
		assert_int_equal(inputs.n_rest, rows[i].n_rest);
		free(text);
	}
}

static void hear(struct fixture *f, int64_t session)
{
	f->session = session;
	run(f, 100, "int64[1x4],float32[1x1500x64],float32[1x4x0x16],float32[1x4x0x16]");
	for (unsigned i = 0; i < 5; i++)
		run(f, 50, "int64[1x1],float32[1x1500x64],float32[1x4x%ux16],float32[1x4x%ux16]", 4 + i, 4 + i);
}

TEST(an_encoder_is_of_the_prompt_that_waited_for_it)
{
	/* nothing else of floating-point numbers that ran on the thread, however long ago, of whatever session */
	static const struct {
		int64_t encoder, decoder; /* sessions; -1: not known */
		uint64_t gap_us;
		uint64_t encoder_us, first_us;
	} cases[] = {
		{ 1, 2, 0, 900, 1000 }, { -1, -1, 0, 900, 1000 }, { 1, 2, 50000, 900, 51000 }, { 1, 2, 200000, 0, 100 }
	};
	struct fixture f;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(&f);
		f.session = 5;
		f.model = "detector";
		run(&f, 700, "float32[1x3x64x64]");
		f.us += 5000000;
		f.session = cases[i].encoder;
		f.model = "encoder";
		run(&f, 900, "float32[1x80x3000]");
		f.us += cases[i].gap_us;
		f.model = "decoder";
		hear(&f, cases[i].decoder);
		f.us += 5000;
		hear(&f, cases[i].decoder); /* from the same results */
		found(&f);
		assert_int_equal(f.summary->n_generations, 2);
		assert_in_range(row(&f, 0)->encoder_ns, cases[i].encoder_us * 1000, cases[i].encoder_us * 1000);
		assert_in_range(row(&f, 0)->first_token_ns, cases[i].first_us * 1000, (cases[i].first_us + 100) * 1000);
		assert_int_equal(row(&f, 1)->encoder_ns, 0);
		assert_in_range(row(&f, 1)->first_token_ns, 100000, 200000);
		end(&f);
	}
}

CASE(a_text_that_was_encoded_once_is_of_one_prompt)
{
	char text[40];

	infer(f, 400, KEY_SHAPES, "int32[24]");
	for (unsigned turn = 0; turn < 3; turn++) {
		infer(f, 100, KEY_SEQUENCES, "0:0+1/1");
		for (unsigned i = 1; i < 5; i++) {
			snprintf(text, sizeof text, "0:%u+1/1", i);
			infer(f, 50, KEY_SEQUENCES, text);
		}
		f->us += 7000;
	}
	found(f);
	assert_int_equal(f->summary->n_generations, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(row(f, i)->encoder_ns, i ? 0 : 400000);
		assert_int_equal(row(f, i)->prompt_tokens, i ? 1 : 24);
	}
}

CASE(embeddings_are_of_the_part_or_the_step_that_takes_them)
{
	for (unsigned n = 0; n < 2; n++) {
		f->session = 2;
		run(f, 30, "int64[1x20]");
		f->session = 3;
		run(f, 60, "float32[1x20x64],int64[1x20],float32[1x4x0x16],float32[1x4x0x16]");
		f->session = 2;
		run(f, 30, "int64[1x15]");
		f->session = 3;
		run(f, 60, "float32[1x15x64],int64[1x35],float32[1x4x20x16],float32[1x4x20x16]");
		for (unsigned i = 0; i < 3; i++) {
			f->session = 2;
			run(f, 5, "int64[1x1]");
			f->session = 3;
			run(f, 10, "float32[1x1x64],int64[1x%u],float32[1x4x%ux16],float32[1x4x%ux16]", 36 + i, 35 + i,
			    35 + i);
		}
	}
	found(f);
	assert_int_equal(f->summary->n_generations, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct generation *own = row(f, i);

		assert_int_equal(own->prompt_tokens, 35);
		assert_int_equal(own->n_prefills, 2);
		assert_int_equal(own->encoder_ns, 60000);
		assert_int_equal(own->prefill_ns, 180000);
		assert_int_equal(own->decode_ns, 45000);
		assert_int_equal(own->output_tokens, 4);
	}
}
