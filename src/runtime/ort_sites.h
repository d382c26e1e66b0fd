/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where to put probes into the file of an ONNX Runtime so that a process that runs it can be watched from outside.
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
 *
 * What a probe finds in the registers (System V ABI; methods that return a Status get where to put it in rdi, and
 * `this` in rsi). At entries rsp and [rsp], the return address, are as at the call: an entry past endbr64 is no other.
 */
#ifndef RUNTIME_ORT_SITES_H
#define RUNTIME_ORT_SITES_H

#include "base/err.h"
#include "runtime/image_file.h"
#include "runtime/ort.h"

enum ort_site_kind {
	SITE_RUN,	     /* InferenceSession::Run; rsi: session, rdx: RunOptions; return: *rax: Status, 0: ok */
	SITE_INITIALIZE,     /* InferenceSession::Initialize; rsi: session; return as SITE_RUN */
	SITE_LOAD,	     /* model bytes to graph; rsi: session; return as SITE_RUN */
	SITE_SESSION_DELETE, /* destructor; rdi: session */
	SITE_TRANSFORM,	     /* GraphTransformer::Apply; rsi: transformer (name: std::string at + 8) */
	SITE_TRANSFORM_END,  /* in Apply, its work is done: of the innermost open one with a greater rsp */
	SITE_GET_CAPABILITY, /* rsi: provider */
	SITE_COMPILE,	     /* rsi: provider */
	SITE_SAVE_WEIGHTS,   /* weights are put into the session's state: behind partitioning, before PrePack */
	SITE_PREPACK,	     /* rsi: kernel, rdx: const Tensor & */
	SITE_OPERATOR,	     /* OpKernel::Compute; rsi: kernel, rdx: OpKernelContext */
	SITE_OPERATOR_END,   /* Compute has returned: of this thread's entry with this rsp - 8 */
	N_SITE_KINDS
};

struct ort_site {
	uint64_t offset;  /* in the file: what the kernel wants */
	uint64_t address; /* as the file names it */
	uint32_t kind;	  /* enum ort_site_kind */
	uint32_t index;	  /* which of its kind, from 0 */
	bool is_cheap;
};

/* Plain data, but for `site`: goes through a pipe as it is. */
struct ort_sites {
	struct ort_site *site; /* by kind; malloc */
	size_t n;
	uint32_t first[N_SITE_KINDS + 1]; /* those of a kind: site[first[kind]] to before site[first[kind + 1]] */
	char version[32];		  /* "1.22.1"; "" unknown */
	int32_t minor;			  /* 22; 0: unknown */
	bool is_library;    /* a provider's library: has operators and providers, the runtime has the rest */
	bool is_old_string; /* std::string is 8 bytes (text, its length 24 before it), not 32 (text, length ...) */
	char build_id[2 * IMAGE_FILE_BUILD_ID + 1];
	int32_t slot[N_ORT_FAMILIES];
	uint64_t run_start, run_end; /* addresses of the function of SITE_RUN; 0, 0: not known */
	char left_out[400];	     /* families that are not understood, and why; "" none */
};

/*
 * host: what was found in the runtime that a provider's library is used with; NULL: the file is a runtime. 0, or -errno
 * and err: ENOENT: neither a runtime nor a provider's library; ENOTSUP: a runtime of which nothing is understood
 * (version, build_id and left_out are filled in). ort_sites_done also after a failure.
 */
int ort_sites_find(struct ort_sites *sites, const struct image_file *file, const struct ort_sites *host,
		   struct err *err);
void ort_sites_done(struct ort_sites *sites);

static inline size_t ort_sites_count(const struct ort_sites *sites, enum ort_site_kind kind)
{
	return sites->first[kind + 1] - sites->first[kind];
}

/* May it have a return probe? */
bool ort_site_returns(enum ort_site_kind kind);
/* Only needed to see operators, not for inferences and session creation. */
bool ort_site_is_operator(enum ort_site_kind kind);
/* What a person calls it: "runs", "operators" ... */
const char *ort_site_name(enum ort_site_kind kind);

#endif
