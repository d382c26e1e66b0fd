// SPDX-License-Identifier: Apache-2.0
/* Reads the target of a request; see http_request.h. */
#include "show/view/http/http_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_REQUEST = 400, TOO_LONG = 414 };

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Resolves escapes in place; false: one is broken, or means NUL. */
static bool unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		int high, low;

		if (*at == '+') {
			*to++ = ' ';
			continue;
		}
		if (*at != '%') {
			*to++ = *at;
			continue;
		}
		high = hex(at[1]);
		low = high < 0 ? -1 : hex(at[2]);
		if (low < 0 || !(high | low))
			return false;
		*to++ = (char)(high << 4 | low);
		at += 2;
	}
	*to = 0;
	return true;
}

static bool is_plain(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return !text[strspn(text, allowed)] && !strstr(text, "..");
}

static unsigned parse_query(struct http_request *to, char *at)
{
	while (at && *at) {
		char *next = strchr(at, '&'), *value;

		if (next)
			*next++ = 0;
		value = strchr(at, '=');
		if (value)
			*value++ = 0;
		if (to->n_params == HTTP_MAX_PARAMS || !*at || !is_plain(at) || !value || !unescape(value) ||
		    http_request_text(to, at))
			return BAD_REQUEST;
		to->key[to->n_params] = at;
		to->value[to->n_params++] = value;
		at = next;
	}
	return 0;
}

unsigned http_request_parse(struct http_request *to, const char *uri, size_t len)
{
	char *query, *slash;

	to->n_params = 0;
	if (len > HTTP_MAX_URI)
		return TOO_LONG;
	if (!len || *uri != '/')
		return BAD_REQUEST;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)uri[i] <= ' ' || (unsigned char)uri[i] >= 0x7f)
			return BAD_REQUEST;
	memcpy(to->text, uri, len);
	to->text[len] = 0;
	query = strchr(to->text, '?');
	if (query)
		*query++ = 0;
	to->token = to->text + 1;
	slash = strchr(to->text + 1, '/');
	if (slash)
		*slash++ = 0;
	to->name = slash ? slash : to->text + len; /* the NUL behind it all */
	if (!is_plain(to->token) || !is_plain(to->name))
		return BAD_REQUEST;
	return parse_query(to, query);
}

const char *http_request_text(const struct http_request *request, const char *key)
{
	for (size_t i = 0; i < request->n_params; i++)
		if (!strcmp(request->key[i], key))
			return request->value[i];
	return NULL;
}

bool http_request_count(const struct http_request *request, const char *key, uint64_t max, uint64_t *value)
{
	const char *text = http_request_text(request, key);
	uint64_t number = 0;

	if (!text)
		return true;
	if (!*text || strlen(text) > 19)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		number = number * 10 + (uint64_t)(*text - '0');
	}
	if (number > max)
		return false;
	*value = number;
	return true;
}

bool http_request_real(const struct http_request *request, const char *key, double *value)
{
	const char *text = http_request_text(request, key);
	double number;
	char *end;

	if (!text)
		return true;
	if (!*text || text[strspn(text, "+-.0123456789eE")])
		return false;
	number = strtod(text, &end);
	if (*end || !isfinite(number) || fabs(number) >= 0x1p63)
		return false;
	*value = number;
	return true;
}
