// SPDX-License-Identifier: Apache-2.0
/*
 * Shapes of inputs, by the public API, as texts: "float32[1x3x224x224],int64[8]". A text is made once per
 * set of shapes; afterwards its id is found by a hash of the numbers, without a lock.
 */
#include "agent/ort.h"

#include "runtime/ort_node.h"

#include <errno.h>
#include <string.h>

enum { MAX_DIMS = 8, MAX_INPUTS = 16, MAX_TEXTS = 1 << 16 };

typedef uintptr_t word;
typedef word call(word, word, word);

static struct map texts;	/* hash of types and dimensions -> text id */
static uint32_t n_texts;

struct shape {
	uint32_t type;		/* ONNXTensorElementDataType; 0: not a tensor */
	uint32_t n_dims;
	int64_t dim[MAX_DIMS];
};

static word ask(const struct runtime *runtime, unsigned slot, word a, word b, word c)
{
	void *const *api = (void *const *)runtime->ort.api;
	word status = ((call *)api[slot])(a, b, c);

	if (status)
		((void (*)(word))api[ORT_API_RELEASE_STATUS])(status);
	return status;
}

static void read_shape(const struct runtime *runtime, word value, struct shape *shape)
{
	void *const *api = (void *const *)runtime->ort.api;
	int is_tensor = 0, type = 0;
	word info = 0;
	size_t n = 0;

	shape->type = 0;
	shape->n_dims = 0;
	if (!value || ask(runtime, ORT_API_IS_TENSOR, value, (word)&is_tensor, 0) || !is_tensor ||
	    ask(runtime, ORT_API_GET_TYPE_AND_SHAPE, value, (word)&info, 0))
		return;
	if (!ask(runtime, ORT_API_GET_ELEMENT_TYPE, info, (word)&type, 0) &&
	    !ask(runtime, ORT_API_GET_DIMENSIONS_COUNT, info, (word)&n, 0) && n <= MAX_DIMS &&
	    !ask(runtime, ORT_API_GET_DIMENSIONS, info, (word)shape->dim, n)) {
		shape->type = (uint32_t)type;
		shape->n_dims = (uint32_t)n;
	}
	((void (*)(word))api[ORT_API_RELEASE_TYPE_AND_SHAPE])(info);
}

static char *put_number(char *to, int64_t number)
{
	char digits[24];
	int n = 0;
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	if (number < 0)
		*to++ = '-';
	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* Element types in the order of ONNXTensorElementDataType (onnxruntime_c_api.h). */
static const char *type_name(uint32_t type)
{
	static const char *const names[] = { "?",	"float32", "uint8",	"int8",	     "uint16",	  "int16",  "int32",	 "int64",
					     "string",	"bool",	   "float16",	"float64",   "uint32",	  "uint64", "complex64", "complex128",
					     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
					     "uint4",	"int4",	   "float4e2m1" };

	return type < sizeof names / sizeof *names ? names[type] : "?";
}

static uint32_t make_text(const struct shape *shape, size_t n)
{
	char text[MAX_INPUTS * (16 + MAX_DIMS * 21)], *to = text;

	for (size_t i = 0; i < n; i++) {
		if (i)
			*to++ = ',';
		to = stpcpy(to, shape[i].type ? type_name(shape[i].type) : "-");
		if (!shape[i].type)
			continue;
		*to++ = '[';
		for (uint32_t d = 0; d < shape[i].n_dims; d++) {
			if (d)
				*to++ = 'x';
			to = put_number(to, shape[i].dim[d]);
		}
		*to++ = ']';
	}
	return dict_text(text, (size_t)(to - text));
}

static uint32_t text_of(const struct shape *shape, size_t n)
{
	uint64_t hash = hot->generation * 0x9e3779b97f4a7c15u;
	uint32_t text;

	for (size_t i = 0; i < n; i++) {
		hash = (hash ^ shape[i].type ^ (uint64_t)shape[i].n_dims << 32) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 31;
		for (uint32_t d = 0; d < shape[i].n_dims; d++) {
			hash = (hash ^ (uint64_t)shape[i].dim[d]) * 0xc4ceb9fe1a85ec53u;
			hash ^= hash >> 29;
		}
	}
	hash |= 8;
	text = (uint32_t)(uintptr_t)map_get(&texts, hash);
	if (text || n_texts >= MAX_TEXTS)
		return text;
	text = make_text(shape, n);
	if (!text)
		return 0;
	agent_lock();
	n_texts += map_put(&texts, hash, (void *)(uintptr_t)text);
	agent_unlock();
	return text;
}

uint32_t shape_of_values(const struct runtime *runtime, struct thread *thread, const void *const *values, size_t n,
			 uint64_t *batch)
{
	struct shape shape[MAX_INPUTS];

	if (n > MAX_INPUTS)
		n = MAX_INPUTS;
	for (size_t i = 0; i < n; i++)
		read_shape(runtime, (word)values[i], &shape[i]);
	if (batch)
		*batch = n && shape[0].type && shape[0].n_dims ? (uint64_t)shape[0].dim[0] : 0;
	return n ? text_of(shape, n) : 0;
}

uint32_t shape_of_context(const struct runtime *runtime, struct thread *thread, uintptr_t context)
{
	const void *values[MAX_INPUTS];
	size_t n = 0;

	if (!runtime->ort.api || ask(runtime, ORT_API_INPUT_COUNT, context, (word)&n, 0))
		return 0;
	if (n > MAX_INPUTS)
		n = MAX_INPUTS;
	for (size_t i = 0; i < n; i++) {
		values[i] = NULL;
		ask(runtime, ORT_API_INPUT, context, i, (word)&values[i]);
	}
	return shape_of_values(runtime, thread, values, n, NULL);
}
