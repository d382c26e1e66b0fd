/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where to put probes into a runtime's file so that processes that run it can be observed from outside. Uses the file
 * alone. Rules that keep the target alive:
 *
 * - A site is the first byte of an instruction, found by decoding from the start of its function.
 * - SITE_RUN, SITE_INITIALIZE and SITE_LOAD may have a return probe, because these functions let no exception out; no
 *   other site may: a return probe on a function that an exception passes terminates the target.
 * - is_cheap: the kernel emulates the instruction; it single-steps others, on x86-64 at about 10 us a hit.
 *
 * A family that is not supported in this build has no sites and a line in left_out.
 *
 * An exception skips the end: an open entry whose stack pointer is not greater than that of a new one was left by it.
 */
#ifndef RUNTIME_PROBE_SITES_H
#define RUNTIME_PROBE_SITES_H

#include "base/err.h"
#include "runtime/find/image_file.h"
#include "runtime/probe_kinds.h"
#include "runtime/runtimes.h"

struct probe_site {
	uint64_t offset;  /* in the file, as the kernel expects it */
	uint64_t address; /* in the file's own address space */
	uint32_t kind;	  /* enum probe_kind */
	uint32_t index;	  /* which of its kind, from 0 */
	uint32_t depth;	  /* bytes by which the stack pointer is below its value at the call */
	bool is_cheap;
};

/* Plain data, except for `site`: it is sent through a pipe as it is. */
struct probe_sites {
	struct probe_site *site; /* by kind; malloc */
	size_t n;
	uint32_t runtime;		  /* index in runtimes[] */
	uint32_t first[N_SITE_KINDS + 1]; /* the sites of a kind: site[first[kind]] to before site[first[kind + 1]] */
	char version[32];		  /* "1.22.1"; "" unknown */
	int32_t minor;			  /* 22; 0: unknown */
	bool is_library;    /* a provider's library: has operators and providers; the runtime has the rest */
	bool is_old_string; /* std::string is 8 bytes (text, its length 24 before it), not 32 (text, length ...) */
	char build_id[2 * IMAGE_FILE_BUILD_ID + 1];
	int32_t slot[RUNTIME_FAMILIES];
	uint64_t run_start, run_end; /* addresses of the function of SITE_RUN; 0, 0: not known */
	char left_out[400];	     /* unsupported families, and why; "" none */
};

/*
 * Asks the runtimes of the table one after the other. host: the result for the runtime that a provider's library is
 * used with; NULL: the file is a runtime. 0, or -errno and err. ENOENT: neither a runtime nor a provider's library.
 * ENOTSUP: a runtime of which no family is supported (version, build_id and left_out are filled in). Call
 * probe_sites_done after a failure, too.
 */
int probe_sites_find(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		     struct err *err);
void probe_sites_done(struct probe_sites *sites);
/* For find_sites: sorts and numbers the sites, and drops instructions that have two meanings. */
void probe_sites_order(struct probe_sites *sites);

static inline size_t probe_sites_count(const struct probe_sites *sites, enum probe_kind kind)
{
	return sites->first[kind + 1] - sites->first[kind];
}

/* Whether it may have a return probe. */
bool probe_kind_returns(enum probe_kind kind);
/* Whether it is only needed for operators, not for inferences and session creation. */
bool probe_kind_is_operator(enum probe_kind kind);
/* Its name for people: "runs", "operators" ... */
const char *probe_kind_name(enum probe_kind kind);

#endif
