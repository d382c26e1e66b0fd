// SPDX-License-Identifier: Apache-2.0
/* Goes by words of the messages, in the order of the table: what is more special comes first. */
#include "fleet/aggregate/failure.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *words;
	enum failure failure;
} known[] = {
	{ "terminate flag", FAILURE_TERMINATED },
	{ "cancel", FAILURE_TERMINATED },
	{ "out of memory", FAILURE_OUT_OF_MEMORY },
	{ "failed to allocate", FAILURE_OUT_OF_MEMORY },
	{ "bad_alloc", FAILURE_OUT_OF_MEMORY },
	{ "cudnn", FAILURE_DEVICE },
	{ "cublas", FAILURE_DEVICE },
	{ "cuda", FAILURE_DEVICE },
	{ "hip error", FAILURE_DEVICE },
	{ "device lost", FAILURE_DEVICE },
	{ "not implemented", FAILURE_NOT_IMPLEMENTED },
	{ "not_implemented", FAILURE_NOT_IMPLEMENTED },
	{ "invalid feed", FAILURE_INPUT },
	{ "invalid input", FAILURE_INPUT },
	{ "invalid dimensions", FAILURE_INPUT },
	{ "invalid rank", FAILURE_INPUT },
	{ "unexpected input", FAILURE_INPUT },
	{ "missing input", FAILURE_INPUT },
	{ "input shape", FAILURE_INPUT },
	{ "invalid_argument", FAILURE_INPUT },
	{ "invalid_graph", FAILURE_MODEL },
	{ "invalid model", FAILURE_MODEL },
	{ "invalid_protobuf", FAILURE_MODEL },
	{ "while running", FAILURE_OPERATOR },
	{ "op_kernel", FAILURE_OPERATOR },
};

enum failure failure_of(const char *message)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcasestr(message, known[i].words))
			return known[i].failure;
	return FAILURE_OTHER;
}

const char *failure_name(enum failure failure)
{
#define FAILURE_TEXT(name, text) text,
	static const char *const names[] = { FAILURES(FAILURE_TEXT) };

	return failure < N_FAILURES ? names[failure] : names[FAILURE_OTHER];
}
