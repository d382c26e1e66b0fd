// SPDX-License-Identifier: Apache-2.0
/* HotSpot's tables of its objects' parts. */
#include "runtime/hotspot/hotspot.h"

#include <string.h>

enum { NAMES = 4, TEXT = 48, MOST_ENTRIES = 8192, LEAST_MAJOR = 11, EXCLUDES_ZERO = 20, LONGEST_NUMBER = 5 };

#define PART_NAMES(name, is_needed, ...) [HOTSPOT_##name] = { is_needed, { __VA_ARGS__ } },
static const struct {
	bool is_needed;
	const char *name[NAMES]; /* class and part, twice */
} parts[N_HOTSPOT_PARTS] = { HOTSPOT_PARTS(PART_NAMES) };

static const char *const sizes[N_HOTSPOT_SIZES] = { "HeapBlock", "ConstMethod", "ConstantPool", "PcDesc" };
static const char *const flags[] = { "ConstMethod::_has_linenumber_table",
				     "ConstMethodFlags::_misc_has_linenumber_table" };

static const char *const numbers[N_HOTSPOT_NUMBERS] = {
	[HOTSPOT_STRUCTS] = "gHotSpotVMStructs",
	[HOTSPOT_STRUCT_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[HOTSPOT_STRUCT_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[HOTSPOT_STRUCT_FIELD] = "gHotSpotVMStructEntryFieldNameOffset",
	[HOTSPOT_STRUCT_TEXT] = "gHotSpotVMStructEntryTypeStringOffset",
	[HOTSPOT_STRUCT_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[HOTSPOT_STRUCT_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[HOTSPOT_STRUCT_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[HOTSPOT_TYPES] = "gHotSpotVMTypes",
	[HOTSPOT_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[HOTSPOT_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[HOTSPOT_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
	[HOTSPOT_INTS] = "gHotSpotVMIntConstants",
	[HOTSPOT_INT_STRIDE] = "gHotSpotVMIntConstantEntryArrayStride",
	[HOTSPOT_INT_NAME] = "gHotSpotVMIntConstantEntryNameOffset",
	[HOTSPOT_INT_VALUE] = "gHotSpotVMIntConstantEntryValueOffset",
};

/* The tables of one machine, as it is opened. */
struct tables {
	struct hotspot *hotspot;
	uint64_t number[N_HOTSPOT_NUMBERS];
};

bool hotspot_find(struct hotspot_place *place, const struct dynamic *module, uint64_t bias)
{
	uint64_t size;

	for (int i = 0; i < N_HOTSPOT_NUMBERS; i++) {
		uint64_t at = dynamic_lies_at(module, numbers[i], &size);

		if (!at)
			return false;
		place->number[i] = at + bias;
	}
	return true;
}

/* "": there is none. */
static void read_text(const struct tables *tables, uint64_t entry, enum hotspot_number offset, char text[TEXT])
{
	uint64_t at;

	*text = 0;
	if (!hotspot_word(tables->hotspot, entry + tables->number[offset], &at) ||
	    !hotspot_read(tables->hotspot, at, text, TEXT))
		*text = 0;
	text[TEXT - 1] = 0;
}

/* Bytes of a part, by its type as HotSpot writes it: addresses, and what is no number, have 8. */
static uint8_t width_of(const char *type)
{
	static const struct {
		const char *name;
		uint8_t width;
	} types[] = { { "int", 4 },	{ "jint", 4 },	  { "u4", 4 },	     { "unsigned int", 4 },
		      { "uint", 4 },	{ "int32_t", 4 }, { "uint32_t", 4 }, { "u2", 2 },
		      { "int16_t", 2 }, { "short", 2 },	  { "uint16_t", 2 }, { "unsigned short", 2 },
		      { "u1", 1 },	{ "bool", 1 },	  { "int8_t", 1 },   { "uint8_t", 1 } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(type, types[i].name))
			return types[i].width;
	return 8;
}

static int part_of(const char *type, const char *field)
{
	for (int i = 0; i < N_HOTSPOT_PARTS; i++)
		for (int j = 0; j < NAMES && parts[i].name[j]; j += 2)
			if (!strcmp(type, parts[i].name[j]) && !strcmp(field, parts[i].name[j + 1]))
				return i;
	return -1;
}

static bool is_class_of_parts(const char *type)
{
	for (int i = 0; i < N_HOTSPOT_PARTS; i++)
		for (int j = 0; j < NAMES && parts[i].name[j]; j += 2)
			if (!strcmp(type, parts[i].name[j]))
				return true;
	return false;
}

static bool read_parts(const struct tables *tables)
{
	const uint64_t *number = tables->number;
	struct hotspot *hotspot = tables->hotspot;
	char type[TEXT], field[TEXT];

	for (uint64_t i = 0; i < MOST_ENTRIES; i++) {
		uint64_t entry = number[HOTSPOT_STRUCTS] + i * number[HOTSPOT_STRUCT_STRIDE], at;
		uint32_t is_static;
		int part;

		read_text(tables, entry, HOTSPOT_STRUCT_TYPE, type);
		if (!*type)
			return true;
		if (!is_class_of_parts(type))
			continue;
		read_text(tables, entry, HOTSPOT_STRUCT_FIELD, field);
		part = part_of(type, field);
		if (part < 0)
			continue;
		read_text(tables, entry, HOTSPOT_STRUCT_TEXT, type);
		if (!hotspot_read(hotspot, entry + number[HOTSPOT_STRUCT_STATIC], &is_static, sizeof is_static) ||
		    !hotspot_word(hotspot, entry + number[is_static ? HOTSPOT_STRUCT_ADDRESS : HOTSPOT_STRUCT_OFFSET],
				  &at))
			return false;
		hotspot->at[part] = (int64_t)at;
		hotspot->width[part] = width_of(type);
	}
	return false;
}

static bool read_sizes(const struct tables *tables)
{
	const uint64_t *number = tables->number;
	char type[TEXT];

	for (uint64_t i = 0; i < MOST_ENTRIES; i++) {
		uint64_t entry = number[HOTSPOT_TYPES] + i * number[HOTSPOT_TYPE_STRIDE], size;

		read_text(tables, entry, HOTSPOT_TYPE_NAME, type);
		if (!*type)
			return true;
		for (int j = 0; j < N_HOTSPOT_SIZES; j++)
			if (!strcmp(type, sizes[j]) &&
			    hotspot_word(tables->hotspot, entry + number[HOTSPOT_TYPE_SIZE], &size))
				tables->hotspot->size[j] = (uint32_t)size;
	}
	return false;
}

static bool read_flags(const struct tables *tables)
{
	const uint64_t *number = tables->number;
	char name[TEXT];

	for (uint64_t i = 0; i < MOST_ENTRIES; i++) {
		uint64_t entry = number[HOTSPOT_INTS] + i * number[HOTSPOT_INT_STRIDE];

		read_text(tables, entry, HOTSPOT_INT_NAME, name);
		if (!*name)
			return true;
		for (size_t j = 0; j < sizeof flags / sizeof *flags; j++)
			if (!strcmp(name, flags[j]))
				hotspot_read(tables->hotspot, entry + number[HOTSPOT_INT_VALUE],
					     &tables->hotspot->has_lines, sizeof tables->hotspot->has_lines);
	}
	return false;
}

uint64_t hotspot_part(const struct hotspot *hotspot, uint64_t object, enum hotspot_part part)
{
	uint64_t value = 0;

	if (hotspot->at[part] < 0 ||
	    !hotspot_read(hotspot, object + (uint64_t)hotspot->at[part], &value, hotspot->width[part]))
		return 0;
	return value;
}

/* What is there once the machine runs. */
static bool has_begun(struct hotspot *hotspot)
{
	uint64_t queue = hotspot_part(hotspot, 0, HOTSPOT_INTERPRETER);

	hotspot->low = hotspot_part(hotspot, 0, HOTSPOT_LOW);
	hotspot->high = hotspot_part(hotspot, 0, HOTSPOT_HIGH);
	if (!queue || hotspot->low >= hotspot->high || !hotspot_part(hotspot, 0, HOTSPOT_HEAPS))
		return false;
	hotspot->interpreter = hotspot_part(hotspot, queue, HOTSPOT_QUEUE_BUFFER);
	hotspot->interpreter_end = hotspot->interpreter + hotspot_part(hotspot, queue, HOTSPOT_QUEUE_LIMIT);
	return hotspot->interpreter;
}

const char *hotspot_open(struct hotspot *hotspot, const struct hotspot_place *place,
			 const struct hotspot_memory *memory)
{
	struct tables tables = { .hotspot = hotspot };

	*hotspot = (struct hotspot){ .memory = *memory };
	for (int i = 0; i < N_HOTSPOT_PARTS; i++)
		hotspot->at[i] = -1;
	for (int i = 0; i < N_HOTSPOT_NUMBERS; i++)
		if (!hotspot_word(hotspot, place->number[i], &tables.number[i])) {
			hotspot->is_unread = true;
			return "the tables of its objects cannot be read";
		}
	if (!read_parts(&tables) || !read_sizes(&tables) || !read_flags(&tables)) {
		hotspot->is_unread = true;
		return "the tables of its objects cannot be read";
	}
	for (int i = 0; i < N_HOTSPOT_PARTS; i++)
		if (parts[i].is_needed && hotspot->at[i] < 0)
			return "its objects have other parts than those of OpenJDK 11 to 25";
	for (int i = 0; i < N_HOTSPOT_SIZES; i++)
		if (!hotspot->size[i])
			return "its objects have other parts than those of OpenJDK 11 to 25";
	hotspot->major = (uint32_t)hotspot_part(hotspot, 0, HOTSPOT_MAJOR);
	if (hotspot->major < LEAST_MAJOR)
		return "it is older than OpenJDK 11";
	hotspot->is_unread = !has_begun(hotspot);
	return hotspot->is_unread ? "it has not begun yet" : NULL;
}

bool hotspot_unsigned(const struct hotspot *hotspot, uint64_t *at, uint32_t *value)
{
	const unsigned excluded = hotspot->major >= EXCLUDES_ZERO, last = 192;
	uint8_t byte = 0;

	*value = 0;
	for (unsigned i = 0; i < LONGEST_NUMBER; i++) {
		if (!hotspot_read(hotspot, (*at)++, &byte, 1) || byte < excluded)
			return false;
		*value += (uint32_t)(byte - excluded) << 6 * i;
		if (byte < last)
			break;
	}
	return true;
}
