/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where to put probes into the file of a runtime so that a process that runs it can be watched from outside.
 * Found in the file alone. Rules that keep the target alive:
 *
 * - a site is an instruction's first byte: decoded from the start of its function;
 * - SITE_RUN, SITE_INITIALIZE and SITE_LOAD may have a return probe, because these functions let no exception out; no
 *   other site may: a return probe on a function that an exception passes terminates the target;
 * - is_cheap says that the kernel emulates the instruction; others are single-stepped, at some 10 us a hit.
 *
 * A family that is not understood in this build has no sites and a line in left_out.
 *
 * An end is not reached by an exception: an open entry whose rsp is not greater than that of a new one was left by one.
 */
#ifndef RUNTIME_PROBE_SITES_H
#define RUNTIME_PROBE_SITES_H

#include "base/err.h"
#include "runtime/image_file.h"
#include "runtime/probe_kinds.h"
#include "runtime/runtimes.h"

struct probe_site {
	uint64_t offset;  /* in the file: what the kernel wants */
	uint64_t address; /* as the file names it */
	uint32_t kind;	  /* enum probe_kind */
	uint32_t index;	  /* which of its kind, from 0 */
	bool is_cheap;
};

/* Plain data, but for `site`: goes through a pipe as it is. */
struct probe_sites {
	struct probe_site *site; /* by kind; malloc */
	size_t n;
	uint32_t runtime;		  /* whose it is: place in runtimes[] */
	uint32_t first[N_SITE_KINDS + 1]; /* those of a kind: site[first[kind]] to before site[first[kind + 1]] */
	char version[32];		  /* "1.22.1"; "" unknown */
	int32_t minor;			  /* 22; 0: unknown */
	bool is_library;    /* a provider's library: has operators and providers, the runtime has the rest */
	bool is_old_string; /* std::string is 8 bytes (text, its length 24 before it), not 32 (text, length ...) */
	char build_id[2 * IMAGE_FILE_BUILD_ID + 1];
	int32_t slot[RUNTIME_FAMILIES];
	uint64_t run_start, run_end; /* addresses of the function of SITE_RUN; 0, 0: not known */
	char left_out[400];	     /* families that are not understood, and why; "" none */
};

/*
 * Asks the runtimes of the table one after the other. host: what was found in the runtime that a provider's library is
 * used with; NULL: the file is a runtime. 0, or -errno and err: ENOENT: neither a runtime nor a provider's library;
 * ENOTSUP: a runtime of which nothing is understood (version, build_id and left_out are filled in). probe_sites_done
 * also after a failure.
 */
int probe_sites_find(struct probe_sites *sites, const struct image_file *file, const struct probe_sites *host,
		     struct err *err);
void probe_sites_done(struct probe_sites *sites);
/* For who finds them: sorts and numbers, and drops what cannot be told apart, one instruction with two meanings. */
void probe_sites_order(struct probe_sites *sites);

static inline size_t probe_sites_count(const struct probe_sites *sites, enum probe_kind kind)
{
	return sites->first[kind + 1] - sites->first[kind];
}

/* May it have a return probe? */
bool probe_kind_returns(enum probe_kind kind);
/* Only needed to see operators, not for inferences and session creation. */
bool probe_kind_is_operator(enum probe_kind kind);
/* What a person calls it: "runs", "operators" ... */
const char *probe_kind_name(enum probe_kind kind);

#endif
