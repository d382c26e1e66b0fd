// SPDX-License-Identifier: Apache-2.0
/*
 * Any file as a runtime: every site found lies in the file, in order, at the first byte of an instruction of a
 * function.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "runtime/find/x86_insn.h"
#include "runtime/probe_sites.h"

static void check(const struct probe_sites *sites, const struct image_file *file, size_t size)
{
	if (sites->first[0] || sites->first[N_SITE_KINDS] != sites->n)
		abort();
	for (size_t i = 0; i < sites->n; i++) {
		const struct probe_site *site = &sites->site[i];
		struct x86_insn insn;
		uint64_t offset;
		if (site->offset >= size || !image_file_offset(file, site->address, &offset) || offset != site->offset)
			abort();
		if (i &&
		    (site->kind < site[-1].kind || (site->kind == site[-1].kind && site->address <= site[-1].address)))
			abort();
		if (!x86_insn_decode(&insn, file->data + site->offset, size - site->offset) ||
		    insn.is_emulated != site->is_cheap)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct probe_sites sites, library;
	struct image_file file;
	struct err err;
	void *copy;

	if (posix_memalign(&copy, 4096, size ? size : 1))
		abort();
	memcpy(copy, data, size);
	if (!image_file_parse(&file, copy, size, "it", &err)) {
		if (!probe_sites_find(&sites, &file, NULL, &err))
			check(&sites, &file, size);
		if (!probe_sites_find(&library, &file, &sites, &err))
			check(&library, &file, size);
		probe_sites_done(&library);
		probe_sites_done(&sites);
	}
	image_file_close(&file);
	free(copy);
	return 0;
}
