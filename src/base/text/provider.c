// SPDX-License-Identifier: Apache-2.0
#include "base/text/provider.h"

#include <ctype.h>
#include <string.h>

enum { NAME = 60 };

static const char suffix[] = "ExecutionProvider";

enum deferral { AT_ONCE, AT_TIMES, ALWAYS };

static const struct {
	const char *name;
	enum deferral deferral;
} known[] = {
	{ "cuda", ALWAYS }, { "rocm", ALWAYS },		 { "migraphx", ALWAYS },   { "webgpu", ALWAYS },
	{ "js", ALWAYS },   { "webnn", ALWAYS },	 { "dml", ALWAYS },	   { "cann", ALWAYS },
	{ "xpu", ALWAYS },  { "mps", ALWAYS },		 { "hip", ALWAYS },	   { "xla", ALWAYS },
	{ "hpu", ALWAYS },  { "privateuseone", ALWAYS }, { "tensorrt", AT_TIMES }, { "nvtensorrtrtx", AT_TIMES },
};

size_t provider_length(const char *name, size_t len)
{
	const size_t tail = sizeof suffix - 1;

	return len > tail && !memcmp(name + len - tail, suffix, tail) ? len - tail : len;
}

bool provider_is(const char *asked, const char *name)
{
	size_t i = 0, k = 0, n_asked, n_name;

	if (!asked || !name)
		return false;
	n_asked = provider_length(asked, strlen(asked));
	n_name = provider_length(name, strlen(name));
	while (i < n_asked && k < n_name) {
		if (!isalnum((unsigned char)asked[i]))
			i++;
		else if (!isalnum((unsigned char)name[k]))
			k++;
		else if (tolower((unsigned char)asked[i++]) != tolower((unsigned char)name[k++]))
			return false;
	}
	return n_asked && i == n_asked && k == n_name;
}

/* A device may have a number: "cuda:0". */
static enum deferral deferral_of(const char *name)
{
	char device[NAME];
	size_t len = name ? strcspn(name, ":") : 0;

	if (len < sizeof device) {
		memcpy(device, name ? name : "", len);
		device[len] = 0;
		name = device;
	}
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (provider_is(known[i].name, name))
			return known[i].deferral;
	return AT_ONCE;
}

bool provider_is_deferred(const char *name)
{
	return deferral_of(name) != AT_ONCE;
}

struct printable provider_deferred_words(const char *name, bool is_ascii)
{
	enum deferral deferral = deferral_of(name);
	struct printable to = { "" };

	if (deferral == AT_ONCE)
		return to;
	printable_add(&to, "operators of %s ",
		      printable_text(name, provider_length(name, strlen(name)), NAME, is_ascii).s);
	if (deferral == ALWAYS)
		printable_add(&to, "only start work on the device: their time is that of starting it, and waiting for "
				   "the device is in no operator");
	else
		printable_add(&to, "can end before the device has computed them: their time is then that of starting "
				   "the work, and waiting for the device is in no operator");
	return to;
}
