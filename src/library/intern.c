// SPDX-License-Identifier: Apache-2.0
/*
 * Names of annotations, each kept once. A chained hash table that only grows; names are never freed, because a program
 * keeps pointers to them for ever.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "library/library_in.h"

enum { N_CHAINS = 1 << 12, MAX_NAMES = 1 << 16, MAX_TEXT = 1000, N_TEXTS = 4 };

static struct {
	pthread_mutex_t mutex;
	struct port_name *chain[N_CHAINS];
	uint32_t n;
} names = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static const enum event_kind kinds[] = {
	[INFTRACE_USER] = KIND_USER,
	[INFTRACE_PROVIDER_READY] = KIND_PROVIDER_READY,
	[INFTRACE_SESSION] = KIND_SESSION,
	[INFTRACE_LOAD] = KIND_LOAD,
	[INFTRACE_SPECIALIZE] = KIND_SPECIALIZE,
	[INFTRACE_SETUP] = KIND_SETUP,
	[INFTRACE_INFERENCE] = KIND_INFERENCE,
	[INFTRACE_OPERATOR] = KIND_OPERATOR,
	[INFTRACE_KERNEL] = KIND_KERNEL,
	[INFTRACE_STAGE] = KIND_STAGE,
};

/* A child of fork must not find the lock taken by a thread that it does not have. */
static void lock(void)
{
	pthread_mutex_lock(&names.mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&names.mutex);
}

__attribute__((constructor)) static void start(void)
{
	pthread_atfork(lock, unlock, unlock);
}

static size_t length(const char *text)
{
	return text ? strnlen(text, MAX_TEXT) : 0;
}

/* The texts of a name, in the order of the members of struct port_name. */
struct texts {
	const char *text[N_TEXTS];
	size_t len[N_TEXTS]; /* 0: none */
};

static uint32_t chain_of(const struct texts *texts, uint32_t kind)
{
	uint64_t hash = kind + 1469598103934665603u;

	for (int i = 0; i < N_TEXTS; i++) {
		hash = (hash ^ texts->len[i]) * 1099511628211u;
		for (size_t at = 0; at < texts->len[i]; at++)
			hash = (hash ^ (unsigned char)texts->text[i][at]) * 1099511628211u;
	}
	return (uint32_t)(hash >> 32) % N_CHAINS;
}

static bool is_text(const char *kept, const char *text, size_t len)
{
	return kept ? strlen(kept) == len && !memcmp(kept, text, len) : !len;
}

static bool is_name(const struct port_name *name, const struct texts *texts, uint32_t kind)
{
	const char *const kept[N_TEXTS] = { name->name, name->model, name->provider, name->detail };

	for (int i = 0; i < N_TEXTS; i++)
		if (!is_text(kept[i], texts->text[i], texts->len[i]))
			return false;
	return name->kind == kind;
}

/* A name and its texts in one piece of memory. */
static struct port_name *make(const struct texts *texts, uint32_t kind)
{
	const char *kept[N_TEXTS] = { NULL };
	size_t size = sizeof(struct port_name);
	struct port_name *name;
	char *at;

	for (int i = 0; i < N_TEXTS; i++)
		size += texts->len[i] + 1;
	name = calloc(1, size);
	if (!name)
		return NULL;
	at = (char *)(name + 1);
	for (int i = 0; i < N_TEXTS; i++) {
		if (!texts->len[i])
			continue;
		kept[i] = memcpy(at, texts->text[i], texts->len[i]);
		at += texts->len[i] + 1;
	}
	name->name = kept[0];
	name->model = kept[1];
	name->provider = kept[2];
	name->detail = kept[3];
	name->kind = kind;
	return name;
}

static struct port_name *find_or_make(const struct texts *texts, uint32_t kind)
{
	struct port_name **chain = &names.chain[chain_of(texts, kind)], *name;

	for (name = *chain; name; name = name->next)
		if (is_name(name, texts, kind))
			return name;
	if (names.n == MAX_NAMES)
		return NULL;
	name = make(texts, kind);
	if (name) {
		name->next = *chain;
		*chain = name;
		names.n++;
	}
	return name;
}

static const struct inftrace_name *intern(const char *const *text, uint32_t kind)
{
	struct texts texts;
	struct port_name *name;
	int saved = errno;

	for (int i = 0; i < N_TEXTS; i++) {
		texts.text[i] = text[i];
		texts.len[i] = length(text[i]);
	}
	lock();
	name = find_or_make(&texts, kind);
	unlock();
	errno = saved;
	return (const struct inftrace_name *)name;
}

const struct inftrace_name *inftrace_intern(const char *name)
{
	return length(name) ? intern((const char *const[N_TEXTS]){ name }, KIND_USER) : NULL;
}

/* model, or model:function. */
static const char *own_name(const struct inftrace_name_opts *opts, char *text)
{
	size_t model = length(opts->model), function = length(opts->function);

	if (length(opts->name) || !function)
		return length(opts->name) ? opts->name : opts->model;
	memcpy(text, opts->model ? opts->model : "", model);
	text[model] = ':';
	memcpy(text + model + 1, opts->function, function);
	text[model + 1 + function] = 0;
	return text;
}

/* The type of an operator, the function of others and the unit of a counter lie where a category does. */
static const char *detail_of(const struct inftrace_name_opts *opts)
{
	if (opts->kind == INFTRACE_OPERATOR)
		return opts->type;
	if (opts->kind != INFTRACE_USER)
		return opts->function;
	return opts->unit ? opts->unit : opts->category;
}

const struct inftrace_name *inftrace_intern_with(const struct inftrace_name_opts *opts)
{
	char text[2 * MAX_TEXT + 2];

	/* the first version has all members; a later one will take what a program of today does not set as 0 */
	if (!opts || opts->size < sizeof *opts || opts->kind >= sizeof kinds / sizeof *kinds ||
	    (!length(opts->name) && !length(opts->model)))
		return NULL;
	return intern(
	    (const char *const[N_TEXTS]){ own_name(opts, text), opts->model, opts->provider, detail_of(opts) },
	    kinds[opts->kind]);
}
