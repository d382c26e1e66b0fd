// SPDX-License-Identifier: Apache-2.0
/*
 * Asks each runtime of the table for the sites of a file, and sorts the result. The search itself is in
 * <runtime>_sites.c.
 */
#include "runtime/probe_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/file_runtime.h"

#define KIND(id, name, returns, is_operator) [SITE_##id] = { name, returns, is_operator },
static const struct {
	const char *name;
	bool returns, is_operator;
} kinds[N_SITE_KINDS] = { PROBE_KINDS(KIND) };

bool probe_kind_returns(enum probe_kind kind)
{
	return kinds[kind].returns;
}

bool probe_kind_is_operator(enum probe_kind kind)
{
	return kinds[kind].is_operator;
}

const char *probe_kind_name(enum probe_kind kind)
{
	return kinds[kind].name;
}

static int by_kind(const void *a, const void *b)
{
	const struct probe_site *left = a, *right = b;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return left->address < right->address ? -1 : left->address > right->address;
}

void probe_sites_order(struct probe_sites *sites)
{
	size_t n = 0;

	for (size_t i = 0; i < sites->n; i++) {
		size_t k = 0;
		while (k < n && sites->site[k].address != sites->site[i].address)
			k++;
		if (k == n)
			sites->site[n++] = sites->site[i];
	}
	sites->n = n;
	if (n)
		qsort(sites->site, n, sizeof *sites->site, by_kind);
	memset(sites->first, 0, sizeof sites->first);
	for (size_t i = 0; i < n; i++) {
		uint32_t kind = sites->site[i].kind;
		sites->site[i].index = sites->first[kind + 1]++;
	}
	for (int kind = 0; kind < N_SITE_KINDS; kind++)
		sites->first[kind + 1] += sites->first[kind];
}

/* -ENOENT, or -ENOTSUP if it contains one that only the agent records. */
static int find_none(const struct image_file *file, struct err *err)
{
	struct file_runtime in;
	int code = file_runtime_find(&in, file, err);

	if (!code && in.runtime && !in.runtime->find_sites && !in.found.is_part)
		code = err_set(err, ENOTSUP, "probes cannot record %s; use --inject", in.runtime->title);
	else if (!code)
		code = err_set(err, ENOENT, "cannot analyse %s: it contains no runtime that inftrace records",
			       image_file_image(file)->path);
	file_runtime_done(&in);
	return code;
}

int probe_sites_find(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		     struct err *err)
{
	int code = -ENOENT;

	memset(sites, 0, sizeof *sites);
	for (uint32_t i = 0; runtimes[i] && code == -ENOENT; i++) {
		if (!runtimes[i]->find_sites || (host && host->runtime != i))
			continue;
		probe_sites_done(sites);
		sites->runtime = i;
		code = runtimes[i]->find_sites(sites, file, host, err);
	}
	return code == -ENOENT ? find_none(file, err) : code;
}

void probe_sites_done(struct probe_sites *sites)
{
	free(sites->site);
	memset(sites, 0, sizeof *sites);
}
