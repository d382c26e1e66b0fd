// SPDX-License-Identifier: Apache-2.0
/* V8's metadata. Constants that only some versions export are those of all versions that lack them. */
#include "runtime/v8/v8.h"

#include <stdio.h>
#include <string.h>

enum {
	FLAGGED_MAJOR = 14,
	NAMES = 3,
	NAME_LEN = 96,
	LEAST_MAJOR = 8,
	UNWRAPPED_POSITIONS = 32,
	WRAPPED_POSITIONS = 24,
	SIZES = 3,
	MOST = 1 << 16 /* no number of V8's metadata is larger, nor below -MOST */
};
#define V8_FUNCTION_NAME "_ZN2v87Isolate10GetCurrentEv" /* every V8 that addons can use exports it */

#define V8_FIELD_NAMES(name, value, ...) [V8_##name] = { value, { __VA_ARGS__ } },
static const struct {
	int32_t value;
	const char *name[NAMES];
} fields[N_V8_FIELDS] = { V8_FIELDS(V8_FIELD_NAMES) };

static uint64_t address_of(const struct dynamic *module, const char *name, uint64_t bias, uint64_t *size)
{
	uint64_t at = dynamic_lies_at(module, name, size);

	return at ? at + bias : 0;
}

void v8_place_sizes(struct v8_place *place, uint64_t at, uint64_t size)
{
	place->bytecode_sizes = at;
	place->n_bytecodes = at && size % SIZES == 0 && size / SIZES <= 256 ? (uint32_t)size / SIZES : 0;
}

bool v8_find(struct v8_place *place, const struct dynamic *module, uint64_t bias)
{
	char name[NAME_LEN];
	uint64_t sizes, size = 0;

	*place = (struct v8_place){ 0 };
	for (size_t i = 0; i < N_V8_FIELDS; i++) {
		for (size_t j = 0; j < NAMES && fields[i].name[j] && !place->field[i]; j++) {
			snprintf(name, sizeof name, "v8dbg_%s", fields[i].name[j]);
			place->field[i] = address_of(module, name, bias, &size);
		}
		if (i == V8_FP_CONTEXT && !place->field[i])
			return dynamic_function(module, V8_FUNCTION_NAME);
	}
	place->major = address_of(module, "_ZN2v88internal7Version6major_E", bias, &size);
	place->minor = address_of(module, "_ZN2v88internal7Version6minor_E", bias, &size);
	sizes = address_of(module, V8_BYTECODE_SIZES, bias, &size);
	v8_place_sizes(place, sizes, size);
	return true;
}

static bool read_number(const struct v8 *v8, uint64_t at, int32_t *to)
{
	return v8->memory.read(v8->memory.of, at, to, sizeof *to);
}

/* What versions that do not export it have. */
static void fill_in(struct v8 *v8)
{
	int32_t *at = v8->at;
	bool is_wrapped = at[V8_BYTECODE_WRAPPER] > 0, is_old = v8->major == LEAST_MAJOR,
	     is_apart = at[V8_TYPE_STREAM] > 0;

	if (at[V8_FP_BYTECODE] == V8_LATER || at[V8_FP_OFFSET] == V8_LATER) {
		at[V8_FP_BYTECODE] = at[V8_FP_FUNCTION] - (is_old ? 8 : 16); /* then came the count of arguments */
		at[V8_FP_OFFSET] = at[V8_FP_BYTECODE] - 8;
	}
	v8->has_flagged_offsets = v8->major >= FLAGGED_MAJOR;
	v8->bytecode_positions = is_wrapped ? WRAPPED_POSITIONS : UNWRAPPED_POSITIONS;
	v8->code_deopt = is_wrapped ? 8 : 16;
	v8->code_positions = v8->code_deopt + 8;
	if (at[V8_CODE_STREAM] < 0)
		at[V8_CODE_STREAM] = 32;
	if (at[V8_CODE_START] == V8_LATER)
		at[V8_CODE_START] = at[V8_CODE_STREAM] + 8;
	if (at[V8_CODE_FLAGS] == V8_LATER)
		at[V8_CODE_FLAGS] = 48;
	if (at[V8_CODE_SIZE] == V8_LATER)
		at[V8_CODE_SIZE] = is_apart ? 56 : 40;
}

static bool read_sizes(struct v8 *v8, const struct v8_place *place)
{
	v8->n_bytecodes = place->n_bytecodes;
	for (size_t i = 0; i < SIZES && v8->n_bytecodes; i++)
		if (!v8->memory.read(v8->memory.of, place->bytecode_sizes + i * v8->n_bytecodes, v8->bytecode_size[i],
				     v8->n_bytecodes))
			return false;
	return true;
}

static bool has_all(const struct v8_place *place)
{
	for (size_t i = 0; i < N_V8_FIELDS; i++)
		if (!place->field[i] && fields[i].value == V8_MUST)
			return false;
	return true;
}

/* All that is exported. */
static bool read_numbers(struct v8 *v8, const struct v8_place *place)
{
	for (size_t i = 0; i < N_V8_FIELDS; i++) {
		v8->at[i] = fields[i].value;
		if (place->field[i] && !read_number(v8, place->field[i], &v8->at[i]))
			return false;
	}
	return read_number(v8, place->major, &v8->major) && read_number(v8, place->minor, &v8->minor) &&
	       read_sizes(v8, place);
}

/* Offsets are added up. */
static bool are_in_bounds(const struct v8 *v8, const struct v8_place *place)
{
	for (size_t i = 0; i < N_V8_FIELDS; i++)
		if (place->field[i] && (v8->at[i] > MOST || v8->at[i] < -MOST))
			return false;
	return true;
}

const char *v8_open(struct v8 *v8, const struct v8_place *place, const struct v8_memory *memory)
{
	*v8 = (struct v8){ .memory = *memory };
	if (!has_all(place))
		return "its V8 lacks metadata for debuggers (v8dbg_*)";
	if (!place->major || !place->minor)
		return "the version of its V8 is not known";
	v8->is_unread = !read_numbers(v8, place);
	if (v8->is_unread)
		return "the metadata of its V8 cannot be read";
	if (!are_in_bounds(v8, place))
		return "the metadata of its V8 has another form";
	if (v8->major < LEAST_MAJOR)
		return "its V8 is older than 8.0";
	if (v8->at[V8_TAGGED_SIZE] != 8)
		return "its V8 compresses pointers";
	fill_in(v8);
	return NULL;
}

int v8_type(const struct v8 *v8, uint64_t object)
{
	uint64_t map;
	uint16_t type;

	if (!v8_part(v8, object, 0, &map) || (map & 3) != 1 ||
	    !v8->memory.read(v8->memory.of, map - 1 + (uint64_t)v8->at[V8_MAP_TYPE], &type, sizeof type))
		return -1;
	return type;
}
