// SPDX-License-Identifier: Apache-2.0
/* Finds the probe site of TensorFlow Lite's inferences in its file: Subgraph::Invoke. Operators have none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/find/function.h"
#include "runtime/litert/litert.h"
#include "runtime/probe_sites.h"

static int put_site(struct probe_sites *sites, const struct image_file *file, const struct rtti *rtti, struct err *err)
{
	uint64_t function[N_LITERT_FUNCTIONS];
	struct function_site at;
	struct eh_frame frames;
	int code = eh_frame_open(&frames, rtti->image, file->frames, file->frames_end, err);

	if (code)
		return code;
	litert_find_functions(function, &frames);
	if (!function[LITERT_INVOKE] || !function_entry(&frames, function[LITERT_INVOKE], &at)) {
		snprintf(sites->left_out, sizeof sites->left_out, "everything (not recognised in this version)");
		return err_set(err, ENOTSUP, "cannot analyse it: its function that runs models was not found");
	}
	snprintf(sites->left_out, sizeof sites->left_out, "operators, session creation and names of models");
	sites->site = calloc(1, sizeof *sites->site);
	if (!sites->site)
		return err_no_memory(err, "cannot analyse it");
	sites->n = 1;
	*sites->site = (struct probe_site){ .kind = SITE_RUN, .address = at.address, .is_cheap = at.is_cheap };
	image_file_offset(file, at.address, &sites->site->offset);
	probe_sites_order(sites);
	return 0;
}

int litert_find_sites(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		      struct err *err)
{
	struct arena arena = { 0 };
	struct rtti rtti;
	int code = rtti_scan(&rtti, image_file_image(file), &file->set, &arena);

	image_file_build_id(file, sites->build_id);
	if (code)
		err_no_memory(err, "cannot analyse it");
	else if (!runtime_litert.is_in(&rtti))
		code = err_set(err, ENOENT, "cannot analyse it: it does not contain LiteRT");
	else
		code = put_site(sites, file, &rtti, err);
	arena_done(&arena);
	return code;
}
