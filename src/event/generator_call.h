/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of a runtime that makes the tokens of a request itself, by a handle (onnxruntime-genai's generators): a slice
 * of KIND_TOKENS on its thread, with id (the generator's number), count (inferences inside), batch (tokens of all
 * sequences that went in, 0: not known; of a rewind, how many a sequence has then), tid, sequences ("~48": an earlier
 * prompt of the model began with these 48 tokens). Inferences inside name the generator in their sequences: "g5".
 *
 * An engine makes tokens of several requests in one call. It has a number, too, by which the inferences inside name it,
 * and each request another one. What a call has made follows it: a slice without length at its end for each token.
 */
#ifndef EVENT_GENERATOR_CALL_H
#define EVENT_GENERATOR_CALL_H

#include "event/record.h"

enum generator_record {
	RECORD_RUN_GENERATOR = RECORD_COMPILE_END + 1, /* run, id: its generator; between its begin and its end */
	/* time..value, id: generator, flags: enum generator_call, more: inferences in it, at most 255, text: tokens of
	 * all sequences that went in, 0: not known; of a rewind, of how many tokens a sequence is then; run: of a
	 * prompt, tokens at its begin with which an earlier one of the model began */
	RECORD_GENERATOR_CALL,
};

/* F(GENERATOR_<NAME>, name of the slice). Agents write the numbers. */
#define GENERATOR_CALLS(F) \
	F(PROMPT, "append tokens") /* a part of a prompt went in */ \
	F(NEXT, "next token")	   /* a token was made, of each sequence */ \
	F(LOGITS, "logits")	   /* of the last token, which went in here */ \
	F(REWIND, "rewind")	   /* the sequences are shorter */ \
	F(TEXT, "decode text")	   /* tokens became text */ \
	F(FAILED, "failed call")   /* of whatever kind */ \
	F(RELEASED, "release")	   /* there will be no more */ \
	F(REQUEST, "new request")  /* of an engine, whose number is in place of the tokens */ \
	F(QUEUED, "begin turn")	   /* a prompt waits for its engine */ \
	F(BATCH, "run engine")	   /* of an engine: tokens of requests went in */ \
	F(TOKEN, "token")	   /* of a request, by the batch before; its engine's number in place of the tokens */ \
	F(CACHED, "cached prompt") /* of a request: so many tokens of its prompt did not go in, at its end */

#define GENERATOR_CALL_ENUM(name, text) GENERATOR_##name,
enum generator_call { GENERATOR_CALLS(GENERATOR_CALL_ENUM) N_GENERATOR_CALLS };

#endif
