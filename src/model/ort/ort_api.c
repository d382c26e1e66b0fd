// SPDX-License-Identifier: Apache-2.0
/* Opens a runtime and fills the table of its functions. Does not search for runtimes: ort_find.c does. */
#include "model/ort/ort_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ort/ort_wheel.h"

struct function {
	const char *name;
	size_t offset;
	uint16_t slot, since;
};

static const struct function functions[] = {
#define ORT_ROW(result, name, parameters, slot, since) { #name, offsetof(struct ort_api, name), slot, since },
	ORT_FUNCTIONS(ORT_ROW)
#undef ORT_ROW
};

struct api_base {
	void *const *(*get_api)(uint32_t version);
	const char *(*get_version)(void);
};

static unsigned read_minor(const char *version)
{
	unsigned long minor;
	char *end;

	if (strncmp(version, "1.", 2))
		return 0;
	minor = strtoul(version + 2, &end, 10);
	return end > version + 2 && minor < 1000 ? (unsigned)minor : 0;
}

/* n_slots: the number of slots the table surely has. */
static void fill(struct ort_api *api, void *const *table, unsigned n_slots)
{
	for (const struct function *function = functions; function < functions + sizeof functions / sizeof *functions;
	     function++) {
		bool is_there = function->since <= api->minor && function->slot < n_slots;
		void *entry = is_there ? table[function->slot] : NULL;

		memcpy((char *)api + function->offset, &entry, sizeof entry);
	}
}

static int open_library(struct ort_api *api, const char *path, void **get_base, struct err *err)
{
	Dl_info info;

	api->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!api->library)
		return err_set(err, ENOENT, "cannot load %s: %s", path, dlerror());
	*get_base = dlsym(api->library, "OrtGetApiBase");
	if (!*get_base)
		return err_set(err, ENOTSUP,
			       "cannot use %s as the runtime: it exports no OrtGetApiBase; pass libonnxruntime.so of a "
			       "release, of onnxruntime-node or of a Python wheel",
			       path);
	if (!dladdr(*get_base, &info) || !info.dli_fname || !realpath(info.dli_fname, api->path))
		snprintf(api->path, sizeof api->path, "%s", path);
	return 0;
}

static int check_version(struct ort_api *api, const char *path, struct err *err)
{
	api->minor = read_minor(api->version);
	if (api->minor >= ORT_OLDEST)
		return 0;
	return err_set(err, ENOTSUP,
		       "cannot use %s as the runtime: version %s is too old; 1.%d is the oldest supported", path,
		       api->version, ORT_OLDEST);
}

static int open_wheel(struct ort_api *api, const char *path, struct err *err)
{
	struct ort_wheel wheel;
	int rc = ort_wheel_open(&wheel, path, err);

	if (rc)
		return rc;
	api->library = wheel.library;
	snprintf(api->path, sizeof api->path, "%s", path);
	snprintf(api->version, sizeof api->version, "%s", wheel.version);
	rc = check_version(api, path, err);
	if (!rc)
		fill(api, wheel.table, wheel.n_slots);
	return rc;
}

int ort_api_open(struct ort_api *api, const char *path, struct err *err)
{
	const struct api_base *(*get_base)(void);
	const struct api_base *base;
	void *const *table;
	void *symbol;
	int rc;

	memset(api, 0, sizeof *api);
	if (ort_wheel_is_module(path))
		return open_wheel(api, path, err);
	rc = open_library(api, path, &symbol, err);
	if (rc)
		return rc;
	*(void **)&get_base = symbol;
	base = get_base();
	if (!base)
		return err_set(err, EPROTO, "cannot use %s as the runtime: OrtGetApiBase returns NULL", path);
	snprintf(api->version, sizeof api->version, "%s", base->get_version());
	rc = check_version(api, path, err);
	if (rc)
		return rc;
	table = base->get_api(api->minor);
	if (!table)
		return err_set(err, EPROTO, "cannot use %s as the runtime: version %s does not return its own API",
			       path, api->version);
	fill(api, table, UINT_MAX);
	return 0;
}

/* Makes one line of the runtime's message of several lines. */
static void flatten(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if ((unsigned char)*from > ' ')
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = 0;
}

/* The end of "/path/file.cc:232 type name(arguments) const "; NULL: text does not start like this. */
static const char *skip_place(const char *text)
{
	size_t path = strcspn(text, " "), digits = 0;
	const char *at = text + path;
	int depth = 0;

	while (digits < path && at[-1 - (ptrdiff_t)digits] >= '0' && at[-1 - (ptrdiff_t)digits] <= '9')
		digits++;
	if (*text != '/' || !digits || digits == path || at[-1 - (ptrdiff_t)digits] != ':')
		return NULL;
	at = strchr(at, '(');
	if (!at)
		return NULL;
	/* to the first space behind the arguments; a lambda has more brackets there */
	for (; *at && (depth || *at != ' '); at++)
		depth += (*at == '(') - (*at == ')');
	if (!strncmp(at, " const ", 7))
		at += 6;
	return *at ? at + 1 : NULL;
}

/*
 * "Non-zero status code returned while running Pad node. Name:'p' Status Message: why" becomes "Pad node 'p': why".
 * When nested operators fail, each adds this text: the innermost is the one that failed.
 */
static void name_node(char *text)
{
	static const char said[] = "Non-zero status code returned while running ", name[] = " node. Name:'";
	static const char why[] = "' Status Message: ";
	char *first = strstr(text, said), *last = first, *from, *to, *end;

	for (char *at = first; at; at = strstr(at + 1, said))
		last = at;
	if (!first)
		return;
	memmove(first, last, strlen(last) + 1);
	from = strstr(first, name);
	end = from ? strstr(from, why) : NULL;
	if (!end)
		return;
	to = first;
	for (const char *at = first + strlen(said); at < from;)
		*to++ = *at++;
	to += sprintf(to, " node '");
	for (const char *at = from + strlen(name); at < end;)
		*to++ = *at++;
	to += sprintf(to, "': ");
	memmove(to, end + strlen(why), strlen(end + strlen(why)) + 1);
}

void ort_api_plain(char *text)
{
	char *to = text;

	flatten(text);
	for (const char *from = text; *from;) {
		const char *behind = from > text && from[-1] != ' ' && from[-1] != ':' ? NULL : skip_place(from);

		if (behind)
			from = behind;
		else
			*to++ = *from++;
	}
	*to = 0;
	name_node(text);
}

int ort_api_check(const struct ort_api *api, struct ort_status *status, struct err *err, const char *what, ...)
{
	char doing[200], words[4096];
	va_list args;

	if (!status)
		return 0;
	va_start(args, what);
	vsnprintf(doing, sizeof doing, what, args);
	va_end(args);
	snprintf(words, sizeof words, "%s", api->get_error_message(status));
	api->release_status(status);
	ort_api_plain(words);
	return err_set(err, EIO, "cannot %s: %s", doing, words);
}

int ort_api_needs_at(const struct ort_api *api, size_t offset, const char *what, struct err *err)
{
	void *entry;

	memcpy(&entry, (const char *)api + offset, sizeof entry);
	if (entry)
		return 0;
	for (const struct function *function = functions; function < functions + sizeof functions / sizeof *functions;
	     function++)
		if (function->offset == offset)
			return err_set(err, ENOTSUP, "cannot %s: this needs ONNX Runtime 1.%u, and this is %s", what,
				       function->since, api->version);
	return err_set(err, ENOTSUP, "cannot %s: ONNX Runtime %s lacks it", what, api->version);
}
