// SPDX-License-Identifier: Apache-2.0
/* Methods of Java: their names, and lines of their byte code (method.hpp, constMethod.hpp, constantPool.hpp). */
#include <stdio.h>
#include <string.h>

#include "runtime/hotspot/hotspot.h"

enum { WORD = 8, MOST_LINES = 1 << 16, ESCAPE = 0xff, MOST_NAME = 512 };

/* The class of a method names its pool, or the pool of a later definition, which names the class. */
static bool is_pool_of(const struct hotspot *hotspot, uint64_t pool, uint64_t klass)
{
	uint64_t now = hotspot_part(hotspot, klass, HOTSPOT_KLASS_POOL);

	return now == pool || (!(now & (WORD - 1)) && hotspot_part(hotspot, now, HOTSPOT_POOL_HOLDER) == klass);
}

bool hotspot_read_method(const struct hotspot *hotspot, uint64_t method, struct hotspot_method *to)
{
	*to = (struct hotspot_method){ .method = method };
	to->constant = method ? hotspot_part(hotspot, method, HOTSPOT_METHOD_CONST) : 0;
	to->pool = to->constant ? hotspot_part(hotspot, to->constant, HOTSPOT_CONST_POOL) : 0;
	to->klass = to->pool ? hotspot_part(hotspot, to->pool, HOTSPOT_POOL_HOLDER) : 0;
	if (!to->klass || (to->klass | to->pool | to->constant | method) & (WORD - 1) ||
	    !is_pool_of(hotspot, to->pool, to->klass))
		return false;
	to->name = (uint32_t)hotspot_part(hotspot, to->constant, HOTSPOT_CONST_NAME);
	to->code_size = (uint32_t)hotspot_part(hotspot, to->constant, HOTSPOT_CONST_CODE_SIZE);
	to->flags = (uint32_t)hotspot_part(hotspot, to->constant, HOTSPOT_CONST_FLAGS);
	return to->name && to->name < hotspot_part(hotspot, to->pool, HOTSPOT_POOL_LENGTH);
}

/* False: it is none, or longer. */
static bool read_symbol(const struct hotspot *hotspot, uint64_t symbol, char to[MOST_NAME])
{
	uint64_t length = symbol ? hotspot_part(hotspot, symbol, HOTSPOT_SYMBOL_LENGTH) : 0;

	if (!length || length >= MOST_NAME ||
	    !hotspot_read(hotspot, symbol + (uint64_t)hotspot->at[HOTSPOT_SYMBOL_BODY], to, length))
		return false;
	to[length] = 0;
	return strlen(to) == length;
}

static bool read_pooled(const struct hotspot *hotspot, const struct hotspot_method *method, uint64_t index,
			char to[MOST_NAME])
{
	uint64_t symbol;

	return index < hotspot_part(hotspot, method->pool, HOTSPOT_POOL_LENGTH) &&
	       hotspot_word(hotspot, method->pool + hotspot->size[HOTSPOT_POOL] + index * WORD, &symbol) &&
	       read_symbol(hotspot, symbol, to);
}

/* "com/example/App$$Lambda+0x00007f" is com.example.App$$Lambda/0x00007f in a stack trace. */
static void say_class(char *name)
{
	for (char *at = name; *at; at++)
		*at = *at == '/' ? '.' : *at == '+' ? '/' : *at;
}

bool hotspot_names(const struct hotspot *hotspot, const struct hotspot_method *method, char *name, size_t name_size,
		   char *file, size_t file_size)
{
	bool has_source = hotspot->at[HOTSPOT_POOL_SOURCE] >= 0;
	uint64_t source = has_source ? hotspot_part(hotspot, method->pool, HOTSPOT_POOL_SOURCE)
				     : hotspot_part(hotspot, method->klass, HOTSPOT_KLASS_SOURCE);
	char klass[MOST_NAME], own[MOST_NAME];

	if (!read_symbol(hotspot, hotspot_part(hotspot, method->klass, HOTSPOT_KLASS_NAME), klass) ||
	    !read_pooled(hotspot, method, method->name, own))
		return false;
	say_class(klass);
	snprintf(name, name_size, "%s.%s", klass, own);
	*file = 0;
	if (source && read_pooled(hotspot, method, source, own))
		snprintf(file, file_size, "%s", own);
	return true;
}

static bool read_signed(const struct hotspot *hotspot, uint64_t *at, int32_t *value)
{
	uint32_t zigzag;

	if (!hotspot_unsigned(hotspot, at, &zigzag))
		return false;
	*value = (int32_t)(zigzag >> 1 ^ (0u - (zigzag & 1)));
	return true;
}

/* Steps of { byte code, line }: both in a byte, or both behind one that is 0xff; ended by 0. Behind the byte code. */
uint32_t hotspot_line(const struct hotspot *hotspot, const struct hotspot_method *method, int32_t bci)
{
	uint64_t at = method->constant + hotspot->size[HOTSPOT_CONST] + method->code_size;
	int32_t code = 0, line = 0, found = 0, more_code, more_line;
	uint8_t byte;

	if (!(method->flags & hotspot->has_lines) || bci == HOTSPOT_NO_BCI)
		return 0;
	for (int i = 0; i < MOST_LINES && hotspot_read(hotspot, at++, &byte, 1) && byte; i++) {
		more_code = byte >> 3;
		more_line = byte & 7;
		if (byte == ESCAPE &&
		    (!read_signed(hotspot, &at, &more_code) || !read_signed(hotspot, &at, &more_line)))
			break;
		code = (int32_t)((uint32_t)code + (uint32_t)more_code);
		line = (int32_t)((uint32_t)line + (uint32_t)more_line);
		if (code > (bci < 0 ? 0 : bci))
			break;
		found = line;
	}
	return found > 0 ? (uint32_t)found : 0;
}
