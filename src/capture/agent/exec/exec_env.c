// SPDX-License-Identifier: Apache-2.0
/* Compares and copies texts; starts no program. What the program itself set is kept as it is. */
#include "capture/agent/exec/exec_env.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 8192, N_PLAIN = 8, FILTERS = 4 };

static const char *const plain[N_PLAIN] = { "INFTRACE_DIR",	     "INFTRACE_LEVEL",	       "INFTRACE_RING",
					    "INFTRACE_CLOCK",	     "INFTRACE_FILTERS",       "INFTRACE_KERNELS",
					    "CUDA_INJECTION64_PATH", "ZE_ENABLE_TRACING_LAYER" };
static const char link_order[] = "verify_asan_link_order=0";

static struct {
	char text[N_PLAIN][320]; /* "NAME=value"; "": it was not set */
	char path[512];		 /* of the agent; "": nothing is put back */
	bool has_link_order;
} kept;

void exec_env_keep(const char *own)
{
	const char *asan = getenv("ASAN_OPTIONS");

	for (int i = 0; i < N_PLAIN; i++) {
		const char *value = getenv(plain[i]);
		size_t len = strlen(plain[i]);

		if (!value || len + strlen(value) + 2 > sizeof kept.text[i])
			continue;
		memcpy(kept.text[i], plain[i], len);
		kept.text[i][len] = '=';
		strcpy(kept.text[i] + len + 1, value);
	}
	kept.has_link_order = asan && strstr(asan, link_order);
	if (*kept.text[0] && strlen(own) < sizeof kept.path)
		strcpy(kept.path, own);
}

void exec_env_filters(unsigned n)
{
	char text[sizeof kept.text[FILTERS]], digits[16];
	char *to = stpcpy(stpcpy(text, plain[FILTERS]), "=");
	int n_digits = 0;

	do
		digits[n_digits++] = (char)('0' + n % 10);
	while (n /= 10);
	while (n_digits)
		*to++ = digits[--n_digits];
	*to = 0;
	memcpy(kept.text[FILTERS], text, (size_t)(to + 1 - text));
}

static bool is_variable(const char *entry, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(entry, name, len) && entry[len] == '=';
}

/* The value of a variable; NULL: not set. */
static const char *find(char *const *envp, const char *name)
{
	for (; envp && *envp; envp++)
		if (is_variable(*envp, name))
			return *envp + strlen(name) + 1;
	return NULL;
}

/* Where the agent is in a list of libraries; NULL: nowhere. */
static const char *own_item(const char *list)
{
	size_t len = strlen(kept.path);

	while (list && *list) {
		size_t item = strcspn(list, ": ");

		if (item == len && !memcmp(list, kept.path, len))
			return list;
		list += item;
		list += *list != 0;
	}
	return NULL;
}

/* Whether another recorder, or none, is wanted in the next program. */
static bool is_left_alone(char *const *envp)
{
	const char *dir = find(envp, plain[0]);

	return !*kept.path || find(envp, "INFTRACE_DISABLE") || (dir && strcmp(dir, strchr(kept.text[0], '=') + 1));
}

/* The one variable that changes; a program that is started anew must not believe the old number. */
static bool is_outdated(char *const *envp)
{
	const char *filters = find(envp, plain[FILTERS]);

	return *kept.text[FILTERS] && filters && strcmp(filters, strchr(kept.text[FILTERS], '=') + 1);
}

/* Nothing of ours is missing. */
static bool has_all(char *const *envp)
{
	return own_item(find(envp, "LD_PRELOAD")) && find(envp, plain[0]) && !is_outdated(envp) &&
	       (!*kept.text[FILTERS] || find(envp, plain[FILTERS]));
}

size_t exec_env_size(char *const *envp, bool suits)
{
	const char *preload = find(envp, "LD_PRELOAD"), *asan = find(envp, "ASAN_OPTIONS");
	bool has_own = own_item(preload) != NULL;
	size_t n = 0;

	while (envp && envp[n] && n < MAX_ENTRIES)
		n++;
	if (n == MAX_ENTRIES || is_left_alone(envp) || (suits ? has_all(envp) : !has_own))
		return 0;
	n += N_PLAIN + 3;
	return n * sizeof(char *) + sizeof "LD_PRELOAD=:" + strlen(kept.path) + (preload ? strlen(preload) : 0) +
	       sizeof "ASAN_OPTIONS=:" + sizeof link_order + (asan ? strlen(asan) : 0);
}

/* "LD_PRELOAD=": the agent first, then what was there. */
static char *put_with(char *to, const char *preload)
{
	to = stpcpy(stpcpy(to, "LD_PRELOAD="), kept.path);
	return preload && *preload ? stpcpy(stpcpy(to, ":"), preload) : to;
}

/* The same without the agent. */
static char *put_without(char *to, const char *preload)
{
	const char *own = own_item(preload), *rest = own + strlen(kept.path);

	to = stpcpy(to, "LD_PRELOAD=");
	to = mempcpy(to, preload, (size_t)(own - preload));
	return stpcpy(to, *rest ? rest + 1 : rest);
}

char **exec_env_make(void *place, char *const *envp, bool suits)
{
	const char *preload = find(envp, "LD_PRELOAD"), *asan = find(envp, "ASAN_OPTIONS");
	bool has_asan = !suits || !kept.has_link_order || (asan && strstr(asan, link_order));
	bool changes_preload = !suits || !own_item(preload), changes_filters = suits && is_outdated(envp);
	char **to = place, *text;
	size_t n = 0;

	while (envp && envp[n])
		n++;
	text = (char *)(to + n + N_PLAIN + 3);
	for (size_t i = 0; i < n; i++)
		if (!(changes_preload && is_variable(envp[i], "LD_PRELOAD")) &&
		    !(!has_asan && is_variable(envp[i], "ASAN_OPTIONS")) &&
		    !(changes_filters && is_variable(envp[i], plain[FILTERS])))
			*to++ = envp[i];
	if (changes_preload) {
		*to = text;
		text = (suits ? put_with(text, preload) : put_without(text, preload)) + 1;
		to += (*to)[sizeof "LD_PRELOAD=" - 1] != 0;
	}
	if (!has_asan) {
		*to++ = text;
		text = stpcpy(stpcpy(text, "ASAN_OPTIONS="), asan ? asan : "");
		stpcpy(stpcpy(text, asan && *asan ? ":" : ""), link_order);
	}
	for (int i = 0; i < N_PLAIN && suits; i++)
		if (*kept.text[i] && (!find(envp, plain[i]) || (changes_filters && i == FILTERS)))
			*to++ = kept.text[i];
	*to = NULL;
	return place;
}
