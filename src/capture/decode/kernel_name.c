// SPDX-License-Identifier: Apache-2.0
/*
 * Reads names as the Itanium C++ ABI mangles them, as far as a short name needs: nested names, their template
 * arguments, types of the language, numbers. Other types are written as what they are called, without their arguments.
 * Parameters of the function are not read. Input is hostile: depth and length have limits.
 */
#include "capture/decode/kernel_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 24, ARGS_MAX = 60 };

struct out {
	char *text;
	size_t n, size;
};

struct reader {
	const char *at;
	unsigned depth;
};

static void put(struct out *out, const char *text, size_t len)
{
	if (!out)
		return;
	for (size_t i = 0; i < len && out->n + 1 < out->size; i++)
		out->text[out->n++] = text[i];
	out->text[out->n] = 0;
}

static void put_text(struct out *out, const char *text)
{
	put(out, text, strlen(text));
}

static const char *builtin(char letter)
{
	static const char letters[] = "vwbcahstijlmxynofdegz";
	static const char *const names[] = { "void",   "wchar_t", "bool",  "char",   "int8",	"uint8",    "short",
					     "ushort", "int",	  "uint",  "long",   "ulong",	"int64",    "uint64",
					     "int128", "uint128", "float", "double", "ldouble", "float128", "..." };
	const char *found = letter ? strchr(letters, letter) : NULL;

	return found ? names[found - letters] : NULL;
}

static bool read_type(struct reader *reader, struct out *out);
static bool read_arguments(struct reader *reader, struct out *out);
static bool read_nested(struct reader *reader, struct out *out);

/* "6kernel". The compiler's name of a namespace without one is told as such. */
static bool read_source_name(struct reader *reader, struct out *out)
{
	size_t len = 0;

	while (isdigit((unsigned char)*reader->at) && len < 4096)
		len = len * 10 + (size_t)(*reader->at++ - '0');
	if (!len || strnlen(reader->at, len) < len)
		return false;
	if (!strncmp(reader->at, "_GLOBAL__N_", 11) || !strncmp(reader->at, "_INTERNAL", 9))
		put_text(out, "(anonymous)");
	else
		put(out, reader->at, len);
	reader->at += len;
	return true;
}

/* "S_", "S1_", "St", "T_", "T0_". */
static bool read_substitution(struct reader *reader, struct out *out)
{
	bool is_std = reader->at[0] == 'S' && islower((unsigned char)reader->at[1]);

	reader->at++;
	if (is_std) {
		put_text(out, "std");
		reader->at++;
		return true;
	}
	while (isdigit((unsigned char)*reader->at) || isupper((unsigned char)*reader->at))
		reader->at++;
	if (*reader->at != '_')
		return false;
	reader->at++;
	put_text(out, "_");
	return true;
}

/* "Li3E", "Lb1E", "LN3fooE2E". */
static bool read_literal(struct reader *reader, struct out *out)
{
	char type = reader->at[1];

	reader->at++;
	if (type == '_' || !read_type(reader, NULL))
		return false;
	if (type == 'b' && (*reader->at == '0' || *reader->at == '1')) {
		put_text(out, *reader->at == '1' ? "true" : "false");
		reader->at++;
	} else {
		if (*reader->at == 'n') {
			put_text(out, "-");
			reader->at++;
		}
		while (isalnum((unsigned char)*reader->at) && *reader->at != 'E')
			put(out, reader->at++, 1);
	}
	return *reader->at++ == 'E';
}

/* Up to the end of an expression or a function's type: only its nesting counts. */
static bool skip_to_end(struct reader *reader)
{
	while (*reader->at && *reader->at != 'E')
		if (*reader->at == 'L' ? !read_literal(reader, NULL) : !read_type(reader, NULL))
			return false;
	return *reader->at++ == 'E';
}

static bool read_known_type(struct reader *reader, struct out *out)
{
	const char *name;

	switch (*reader->at) {
	case 'N':
		return read_nested(reader, out);
	case 'L':
		return read_literal(reader, out);
	case 'S':
	case 'T':
		if (!read_substitution(reader, out))
			return false;
		if (isdigit((unsigned char)*reader->at) && reader->at[-1] == 't') {
			put_text(out, "::");
			if (!read_source_name(reader, out))
				return false;
		}
		return *reader->at != 'I' || read_arguments(reader, NULL);
	case 'I':
	case 'J':
		return read_arguments(reader, out);
	case 'F':
	case 'X':
		reader->at++;
		put_text(out, "...");
		return skip_to_end(reader);
	case 'D':
		reader->at += reader->at[1] ? 2 : 1;
		put_text(out, "...");
		return reader->at[-1] != 'T' && reader->at[-1] != 't' ? reader->at[-1] != 'p' || read_type(reader, NULL)
								      : skip_to_end(reader);
	}
	name = builtin(*reader->at);
	if (!name)
		return false;
	put_text(out, name);
	reader->at++;
	return true;
}

static bool read_plain_type(struct reader *reader, struct out *out)
{
	bool is_pointer = false, is_done;

	/* pointers, references, qualifiers */
	while (*reader->at && strchr("PROKVr", *reader->at)) {
		is_pointer |= *reader->at == 'P';
		reader->at++;
	}
	if (isdigit((unsigned char)*reader->at))
		is_done = read_source_name(reader, out) && (*reader->at != 'I' || read_arguments(reader, NULL));
	else
		is_done = read_known_type(reader, out);
	if (is_pointer)
		put_text(out, "*");
	return is_done;
}

static bool read_type(struct reader *reader, struct out *out)
{
	bool is_done = false;

	if (++reader->depth <= MAX_DEPTH && *reader->at)
		is_done = read_plain_type(reader, out);
	reader->depth--;
	return is_done;
}

/* "Ifi...E", or a pack. The list is cut where it gets long. */
static bool read_arguments(struct reader *reader, struct out *out)
{
	char text[ARGS_MAX + 8] = "";
	struct out list = { text, 0, ARGS_MAX };
	bool is_first = true;

	reader->at++;
	while (*reader->at && *reader->at != 'E') {
		if (!is_first)
			put_text(&list, ", ");
		if (!read_type(reader, &list))
			return false;
		is_first = false;
	}
	if (*reader->at != 'E')
		return false;
	reader->at++;
	if (list.n + 1 >= list.size)
		memcpy(text + list.n, "...", 4);
	put_text(out, "<");
	put_text(out, text);
	put_text(out, ">");
	return true;
}

/* "N4test6kernelIfEE". */
static bool read_nested(struct reader *reader, struct out *out)
{
	bool is_first = true;

	if (++reader->depth > MAX_DEPTH)
		return false;
	reader->at++;
	while (*reader->at && strchr("rVKRO", *reader->at))
		reader->at++;
	while (*reader->at && *reader->at != 'E') {
		bool is_part = *reader->at != 'I', is_read;

		if (is_part && !is_first)
			put_text(out, "::");
		if (!is_part)
			is_read = !is_first && read_arguments(reader, out);
		else if (isdigit((unsigned char)*reader->at))
			is_read = read_source_name(reader, out);
		else
			is_read = (*reader->at == 'S' || *reader->at == 'T') && read_substitution(reader, out);
		if (!is_read)
			return false;
		is_first = false;
	}
	reader->depth--;
	return *reader->at++ == 'E';
}

bool kernel_name_shorten(const char *mangled, char to[KERNEL_NAME_MAX])
{
	struct reader reader = { .at = mangled + 2 };
	struct out out = { to, 0, KERNEL_NAME_MAX };
	bool is_read = false;

	*to = 0;
	if (!strncmp(mangled, "_Z", 2)) {
		if (*reader.at == 'L')
			reader.at++;
		if (*reader.at == 'N')
			is_read = read_nested(&reader, &out);
		else if (isdigit((unsigned char)*reader.at))
			is_read =
			    read_source_name(&reader, &out) && (*reader.at != 'I' || read_arguments(&reader, &out));
	}
	if (!is_read)
		snprintf(to, KERNEL_NAME_MAX, "%s", mangled);
	return is_read;
}
