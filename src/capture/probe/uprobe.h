/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the BPF program (uprobe.bpf.c) and the recorder share: the meaning of a site's cookie, the state of each armed
 * copy of a runtime, and the records in the ring buffer. Plain fixed-width C, included by both.
 *
 * A record's place in the ring is taken before its time is read. So whoever has seen the ring empty at a time T has
 * seen everything that bears a time before T.
 */
#ifndef CAPTURE_PROBE_UPROBE_H
#define CAPTURE_PROBE_UPROBE_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u64 uint64_t;
typedef __u32 uint32_t;
typedef __u16 uint16_t;
typedef __u8 uint8_t;
#else
#include <stdint.h>
#endif

#include "runtime/probe_kinds.h"

enum {
	UPROBE_MAX_ARMED = 2048, /* copies of the runtime in living processes */
	UPROBE_RING_BYTES = 8 << 20,
	UPROBE_NAME = 512,
	UPROBE_LONG_NAME = 4096, /* of the few that are longer than that */
	UPROBE_TYPE = 64,
	UPROBE_CONTEXT_WORDS = 5,
	UPROBE_RUN_WORDS = 7,
	UPROBE_SESSION_BYTES = 3400, /* in which a session has its names; and providers theirs: */
	UPROBE_PROVIDER_BYTES = 256,
	UPROBE_MAX_TEXTS = 24, /* of one object */
};

/* What a record is of: enum probe_kind, which is the low byte of a site's cookie, or one that is of no site. */
enum uprobe_kind {
	UPROBE_KERNEL = N_SITE_KINDS, /* a struct uprobe_named before the first operator of a kernel */
	UPROBE_TEXT, /* a struct uprobe_named for each std::string in a session or provider, before the first hit with
			it */
	N_UPROBE_KINDS
};

/*
 * The index of the armed copy lies above the kind; above it, how many bytes the stack pointer is below its value at the
 * call.
 */
#define UPROBE_COOKIE(kind, armed, depth) ((uint64_t)(kind) | (uint64_t)(armed) << 8 | (uint64_t)(depth) << 32)
#define UPROBE_COOKIE_ARMED(cookie) ((uint32_t)(cookie) >> 8)
#define UPROBE_COOKIE_DEPTH(cookie) ((cookie) >> 32)

/*
 * In place of that index: the number of a file whose probes are those of all processes. The copy is that of the process
 * that has come there: the element of the map `places` that has this key.
 */
#define UPROBE_SHARED (1u << 23)
#define UPROBE_PLACE(file, tgid) ((uint64_t)(file) << 32 | (uint32_t)(tgid))

/* What is counted of processes that are not watched. Run ends: begins and ends of inferences, both. */
enum stranger_count { STRANGERS_MET, STRANGERS_RUN_ENDS, N_STRANGER_COUNTS };

/*
 * One armed copy of the runtime: an element of the map `armed`, which the recorder has mapped. The recorder writes the
 * settings before the gate is opened; the counts are the program's.
 */
struct uprobe_armed {
	uint32_t is_open;	     /* the gate: nothing is recorded before every site is in, nor while they go */
	uint32_t is_old_string;	     /* names are std::strings of the ABI of the C++ library before 5 */
	uint32_t tgid;		     /* other processes are not recorded; 0: the kernel keeps them apart */
	uint32_t sample;	     /* every how many inferences one is recorded; 0 and 1: each */
	uint32_t has_operators;	     /* there are probes on them */
	uint32_t has_gaps;	     /* not every inference is recorded */
	uint32_t is_run_out;	     /* inferences that begin now are not recorded */
	uint32_t is_operator_out;    /* and the operators of those that begin now are not */
	uint32_t window, padding;    /* counts the times that probes came in: what threads were in before is over */
	uint64_t run_start, run_end; /* where the function of SITE_RUN lies in the process; 0, 0: not known */
	/* Where objects of this runtime keep names: bytes from their start (struct runtime_layout). */
	uint16_t kernel_info, info_node, info_provider, node_index, node_name, node_type, part_name, status_message,
	    context_options, is_info_inside, unused[2];
	uint64_t min_gap_ns; /* one inference is recorded in so many nanoseconds, in the mean; 0: no limit */
	uint64_t generation; /* counts creations and releases: objects at known addresses may be new ones */
	uint64_t n_runs;     /* seen, recorded or not; only with has_gaps */
	uint64_t n_skipped;  /* not recorded because of `sample` or `min_gap_ns` */
	uint64_t next_ns;    /* the next inference is not recorded before */
	uint64_t n_lost;     /* records that found no room in the ring */
};

/* In place of the address of a run's options: its operators are not recorded. No address is that large. */
#define UPROBE_NO_OPERATORS (1ull << 63)

struct uprobe_record {
	uint64_t time;	 /* CLOCK_MONOTONIC */
	uint64_t object; /* kernel, session or transformer; at a return: what was returned (0: well) */
	uint64_t stack;	 /* the stack pointer at the entry; behind a call 8 more, on every processor */
	uint32_t tid;
	uint8_t kind; /* enum uprobe_kind */
	uint8_t is_return;
	uint16_t armed;
};

/* What the words of a run's struct uprobe_joined are. */
enum uprobe_run_word {
	UPROBE_OPTIONS, /* the address of its options; not at its end */
	/* The usage of its thread so far; 0: not known. The kernel sums a thread's CPU time up when it is switched, and
	 * at each tick:
	 */
	UPROBE_CPU,  /* sum - time at which it was summed up, on the scheduler's clock + record.time; differences count
		      */
	UPROBE_RAN,  /* the sum, nanoseconds */
	UPROBE_WAIT, /* for a CPU, nanoseconds; UINT64_MAX: this kernel does not count it */
	UPROBE_FAULTS_SWITCHES, /* page faults << 32 | context switches, 32 bits of each */
	UPROBE_MAJOR,		/* page faults that needed a disk */
	UPROBE_READ,		/* bytes read from disks; 0: this kernel does not count them */
};
_Static_assert(UPROBE_READ + 1 == (int)UPROBE_RUN_WORDS && UPROBE_CONTEXT_WORDS < UPROBE_RUN_WORDS, "each has a word");

/*
 * SITE_RUN at its entry and, if it ended well, at its return: its words. SITE_OPERATOR on a thread that is in no run:
 * those words of its context that may lead to the options of a run, 0 in a run that began unseen.
 */
struct uprobe_joined {
	struct uprobe_record record;
	uint64_t word[UPROBE_RUN_WORDS];
};

/*
 * UPROBE_KERNEL; UPROBE_TEXT (name alone, index: its offset in the object); SITE_TRANSFORM (name alone); a return
 * with an error (its message, as name). Texts end in NUL; "" was not readable.
 */
struct uprobe_named {
	struct uprobe_record record;
	uint64_t index;	   /* of the node in its graph; or the text's offset */
	uint64_t provider; /* the IExecutionProvider; or the generation in which the text was read */
	char type[UPROBE_TYPE], name[UPROBE_NAME];
};

/* The same for a name that has no room in that one; one that is longer is cut. */
struct uprobe_long_named {
	struct uprobe_record record;
	uint64_t index, provider;
	char type[UPROBE_TYPE], name[UPROBE_LONG_NAME];
};

#endif
