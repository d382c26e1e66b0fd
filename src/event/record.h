/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an agent and the recorder share: one file ("segment") per recorded process, mapped by both.
 *
 *   0          SEGMENT_DICT        SEGMENT_RINGS                             SEGMENT_SIZE
 *   | header   | dictionary        | ring | ring | ring ...   (taken as needed)        |
 *
 * The file has its full size from the start, but only pages that are used exist. The agent has pages allocated before
 * it writes to them, so that a full file system is an error and never a SIGBUS.
 *
 * A ring belongs to one thread, which alone writes it; only the recorder reads it, and, while it shares, the process
 * itself: a handle of libinftrace. Room is free when both have read it. Records have 32 bytes and stand alone: losing
 * one affects no other. Texts and long-lived facts live in the dictionary, which only grows and counts every entry that
 * does not fit. A record refers to an entry by its id and is published after that entry.
 *
 * Texts of which there is no end (shapes, tags, messages) get a part of the dictionary. Later ones go to a ring of
 * texts, which takes the room of a ring of records and is overwritten without asking: it holds far more than is written
 * between two reads.
 *
 * Facts (all entries but texts and nodes) have no end either, in a program that creates a session for each request. The
 * first go to the dictionary. Later ones go to a ring of facts as long as it has room; if the recorder is late, they go
 * to the dictionary, and to the ring again when the recorder has read those. So each is applied in the order in which
 * it was written: a reader loads dict_end, then facts_end, then dict_end again; it reads the texts and nodes up to the
 * second dict_end, then the ring, then the facts of the dictionary up to the first.
 *
 * Plain fixed-width C: BPF programs and other languages may write the same bytes. The reader trusts none of them: it
 * checks offsets against the mapping each time.
 */
#ifndef EVENT_RECORD_H
#define EVENT_RECORD_H

#include <stdint.h>

#define SEGMENT_MAGIC 0x3330304543415254u /* "TRACE003"; another with each record that is renumbered */
#define SEGMENT_SUFFIX ".segment"	  /* a complete segment is renamed to end in this */

enum {
	SEGMENT_MAX_RINGS = 4096,
	SEGMENT_DICT = 128 << 10,
	SEGMENT_DICT_SIZE = 40 << 20,
	SEGMENT_RINGS = SEGMENT_DICT + SEGMENT_DICT_SIZE,
	SEGMENT_TEXTS_SIZE = 8 << 20,  /* of the ring of texts */
	SEGMENT_MAX_TEXT = 4000,       /* bytes of a text */
	SEGMENT_FACTS_SIZE = 64 << 10, /* of the ring of facts */
	RING_HEADER = 4096,
	RING_MIN = 4 << 10, /* bytes of records */
};
#define SEGMENT_SIZE ((uint64_t)512 << 20)
/*
 * A text in the ring of texts has this id, and the low 31 bits of its position / 8. Positions count all bytes that were
 * ever written there.
 */
#define TEXT_PASSES (1u << 31)
/* Another one for each layout: an agent stays in a process that another version may record later. */
#define SEGMENT_LAYOUT (sizeof(struct segment) + SEGMENT_RINGS + SEGMENT_MAGIC)

enum segment_state {
	SEGMENT_IDLE,  /* the agent is loaded and has seen no runtime yet */
	SEGMENT_ARMED, /* a runtime is hooked */
	SEGMENT_OFF,   /* the agent has switched itself off (segment->reason), or the recorder has ended the
			* recording */
};

/* What an agent does not record in a process under a seccomp filter that would kill it for the calls needed. */
enum filter_cost {
	FILTER_NAMES = 1,     /* names of what is first seen: memory cannot be read safely */
	FILTER_ROOM = 2,      /* more than the rings and names that were laid in */
	FILTER_RUNTIMES = 4,  /* runtimes that are loaded */
	FILTER_FORKS = 8,     /* children of fork */
	FILTER_PROGRAMS = 16, /* programs that it starts */
	FILTER_USAGE = 32,    /* CPU time, waits and faults of inferences */
};

struct ring_slot {
	uint64_t offset; /* of a struct ring, from the start of the segment; 0: not there yet */
	uint64_t size;	 /* bytes of records, a power of two */
};

struct segment {
	uint64_t magic;
	uint32_t header_size;		/* sizeof(struct segment), so that both sides can check that they agree */
	int32_t pid;			/* as the process itself sees it: in pid_namespace */
	uint64_t pid_namespace;		/* inode of /proc/self/ns/pid; 0: not known */
	uint64_t exe_device, exe_inode; /* of /proc/self/exe; 0: not known */
	char command[16];		/* the kernel's name of the process */
	uint64_t started;		/* ticks when the segment was made */
	uint64_t arm_ticks;		/* ticks spent arming runtimes, in total */
	uint32_t state;			/* enum segment_state */
	uint32_t ended;			/* 1: the process ended by a normal exit or exec */
	uint64_t dict_end;		/* complete bytes of the dictionary */
	uint64_t dict_lost;		/* entries that did not fit */
	uint64_t ring_lost;		/* records of threads that got no ring */
	uint32_t n_rings;
	uint32_t n_unseen; /* children of fork that could make no segment, so nothing is recorded in them */
	char reason[256];
	uint64_t texts;	      /* offset of the ring of texts; 0: not there yet */
	uint64_t texts_begun; /* position up to which it is being written */
	uint64_t texts_end;   /* position up to which it is complete */
	uint64_t texts_lost;  /* that got no room */
	uint64_t filtered;    /* ticks when the program set a seccomp filter that can kill it; 0: it has not */
	uint32_t filter_cost; /* enum filter_cost, from then on */
	uint32_t n_filters;   /* seccomp filters that apply to the process, as far as the agent has seen them set */
	uint64_t usage_ticks; /* that reading a thread's usage once takes; 0: not known */
	uint32_t is_confined; /* written by the recorder: there are more, so the agent makes no system call any more */
	uint64_t facts;	      /* offset of the ring of facts; 0: not there yet */
	uint64_t facts_end;   /* entries that were ever completed in it */
	uint64_t dict_read, facts_read; /* written by the recorder: what it has applied of dict_end and facts_end */
	/* the same of the process itself, while it shares (capture/agent/share.h) */
	uint64_t own_dict_read, own_facts_read;
	uint32_t is_shared;
	uint64_t peak_kib, resident_kib; /* at its exit: the most that was resident, and what was then; 0: not known */
	uint64_t heap_at, heap_in_use, heap_kept; /* ticks when malloc was looked at, 0: never; bytes */
	int32_t forked_from; /* pid, in pid_namespace, of the process whose sessions and agent it inherited; 0: none */
	struct ring_slot ring[SEGMENT_MAX_RINGS];
};

/* Writer and reader use cache lines of their own. Positions count records and never wrap. */
struct ring {
	uint64_t head; /* records published */
	uint64_t lost; /* records that did not fit, in total */
	int32_t tid;   /* the thread that it belongs to; 0: none */
	uint8_t pad[108];
	uint64_t tail;	    /* records read */
	uint64_t own_tail;  /* by the process itself, while it shares */
	uint32_t is_shared; /* own_tail holds back */
	uint8_t pad2[108];
};

enum record_type {
	RECORD_NONE,
	RECORD_THREAD,	       /* from here on the ring belongs to thread id; flags: enum thread_role */
	RECORD_OPERATOR,       /* time..value, node id, run, text: shapes or, with FLAG_FAILED, the message */
	RECORD_OPERATOR_BEGIN, /* of one that contains others, or failed: time, node id, run; text if FLAG_SHAPES */
	RECORD_OPERATOR_END,
	RECORD_RUN_BEGIN,   /* time, session id, run, value: see begin_value.h, text: tag or, if FLAG_SHAPES, shapes */
	RECORD_RUN_INPUTS,  /* session id, run, text: shapes, value: batch; for a begin without them */
	RECORD_RUN_USAGE,   /* run; time: thread CPU ns, value: run-queue ns, id: faults, text: switches */
	RECORD_RUN_END,	    /* time, session id, run, value: lane | run it follows << 32, text: of FLAG_FAILED; more */
	RECORD_SETUP,	    /* time..value: inside run; session id, lane in text */
	RECORD_SLICE_BEGIN, /* session creation, its parts: time, flags: kind, session id, text: name, begin_value.h */
	RECORD_SLICE_END, /* time, kind in flags, session id, value: lane; text: message if FLAG_FAILED; run: its key */
	RECORD_SLICE,	  /* a part that contains no others: time..value, kind in flags, session id, text: name, run:
			   * lane | FLAG_* << 16 */
	RECORD_RELEASED,  /* time, session id; FLAG_RELEASES: FLAG_END follows */
	RECORD_LOST,	  /* value records were lost between time and the next record */
	RECORD_MOVED,	  /* the thread continues in ring number id */
	RECORD_COST,	  /* value: ticks of a calibrated empty event times 1000 */
	RECORD_FLOW,	  /* time, value: id of a flow of the process; FLAG_END. Ties the slice of this thread that
			   * contains the time, and comes before that slice's last record. If it precedes a
			   * RECORD_USER_BEGIN or RECORD_USER_INSTANT of the same time, it ties that one */
	RECORD_USER_BEGIN,   /* a slice of a program that annotates itself: time, text: name, id: text of its category,
			      * flags: enum event_kind, 0: KIND_USER. Of others than KIND_USER, id: text of an
			      * operator's type, of others' function; value: text of the model | text of the provider
			      * << 32, run */
	RECORD_USER_END,     /* time, flags: kind; more: FLAG_FAILED, text: message */
	RECORD_USER_INSTANT, /* time, text: name, id: text of its category */
	RECORD_USER_COUNTER, /* time, value: bits of a double, text: name, id: text of its unit */
	RECORD_ALLOC,	     /* time, value: address, id: allocator, bytes: text << more, flags: enum memory_use; run:
			      * node of MEMORY_OPERATOR, else session, 0: none */
	RECORD_FREE,	     /* time, value: address, id: allocator, 0: any */
	RECORD_RUN_READS,    /* run; value: bytes read from disks, id: major faults; before RECORD_RUN_END; time: 0 */
	RECORD_POOL, /* session id; run: pool threads that its creation started, value: their CPU ns; before its END */
	RECORD_RUN_QUEUED,    /* run; value: when it came into a pool's queue; before RECORD_RUN_END; time: 0 */
	RECORD_STAGE,	      /* time..value: work that completes `run` inferences of session id; text: name */
	RECORD_RUN_SEQUENCES, /* run, text: sequences; before RECORD_RUN_END; time: 0 */
	RECORD_CREATION_WAIT, /* session id; value: ns of waits for a CPU in the slice that ends next, not inside it */
	RECORD_RUN_TOKENS,    /* run, 0: the next; id: sequence, text: tokens, value: position | results << 32 */
	RECORD_COMPILE_BEGIN, /* in a run, for it: time, session id, run, value: lane, text: what is compiled */
	RECORD_COMPILE_END,   /* the same; text: why again, or the message if FLAG_FAILED in more; 0: none */
};
/* What memory was taken for. */
enum memory_use {
	MEMORY_OTHER,	 /* outside of the runtime's creations and runs */
	MEMORY_OPERATOR, /* inside an operator of a run */
	MEMORY_RUN,	 /* in a run, outside of its operators */
	MEMORY_WEIGHTS,	 /* when a session's weights are put in place */
	MEMORY_PACKED,	 /* when an operator packs a weight */
	MEMORY_CREATION, /* in the rest of a session's creation */
	N_MEMORY_USES,
	MEMORY_RESERVED = 128, /* flag: for as long as the session lives */
};

enum record_flag {
	FLAG_FAILED = 1,
	FLAG_FIRST = 2,	   /* first run of the session */
	FLAG_RELEASES = 2, /* RECORD_RELEASED */
	FLAG_MODIFIED = 4, /* the graph transformer changed the graph */
	FLAG_UNMODIFIED = 8,
	FLAG_PARTIAL = 16,
	FLAG_SHAPES = 32,    /* text is shapes */
	FLAG_BYTES = 32,     /* value of RECORD_SLICE_END carries a number of bytes in `run` */
	FLAG_NODE = 64,	     /* text is a node id */
	FLAG_SUBNORMAL = 64, /* RECORD_RUN_END: the thread computed with subnormal numbers */
	FLAG_COUNT = 128,    /* value of RECORD_SLICE_END carries a count in `run` */
	FLAG_END = 1,	     /* RECORD_FLOW: the flow ends here */
	/* RECORD_RUN_USAGE: value is not known; told because the inference was slow: text has 16 bits of switches, then
	 * 16 of the time before it that the figures include, in 65,536ths of its own; what it did not run it waited */
	FLAG_NO_WAIT = 1,
	FLAG_OF_SLOW = 2,
	FLAG_PREEMPTED = 4,
	FLAG_AWAKE = 8, /* the thread did not sleep: it ran or waited for a CPU */
};

struct record {
	uint64_t time;	/* ticks */
	uint64_t value; /* by type: end in ticks, lane, count */
	uint32_t id;	/* by type: node, session, thread */
	uint32_t run;	/* number of the inference in the process, from 1; 0: none */
	uint32_t text;	/* id of a dictionary text, 0: none */
	uint16_t type;	/* enum record_type */
	uint8_t flags;	/* enum record_flag; RECORD_SLICE*: enum event_kind */
	uint8_t more;	/* RECORD_SLICE*: enum record_flag; RECORD_RUN_END: enum run_trait */
};

enum dict_kind {
	DICT_TEXT,	/* id, then `size` bytes of text */
	DICT_NODE,	/* id, word: texts of name, type, provider; session */
	DICT_FACT,	/* id: session; word[0]: enum event_key, word[1]: text; value */
	DICT_RUNTIME,	/* word: texts of path, version, armed families, families left out, name of the runtime; value:
			 * ticks, what began before may be missing; 0: nothing is */
	DICT_ROLE,	/* id: thread; word[0]: text, what the thread is for */
	DICT_ALLOCATOR, /* id: from 1; word: texts of device and name; word[2]: session, 0: none or several; word[3]:
			 * 1 if an arena allocates from it: an allocation is then the arena's growth; word[4]: 1 if it
			 * is an arena. A later entry of the same id holds from then on */
	DICT_SESSION,	/* id; word[0..2]: texts of model, path, providers; word[3], word[4]: address of its object, low
			 * half first, 0: not known; value: bytes of a model in memory, 0: none */
	DICT_OTHER,	/* word[0]: text, path of a runtime that is not recorded; word[1]: its title, 0: by that path */
	DICT_MISSING,	/* word[0]: text, what is not recorded of the process; word[1]: why; 0: it is */
};

/* Entries follow each other, each padded to 8 bytes. Those of the ring of facts have no text. */
struct dict_entry {
	uint32_t size; /* of the whole entry with its padding */
	uint16_t kind;
	uint16_t n; /* bytes of text behind a DICT_TEXT */
	uint32_t id;
	uint32_t word[5];
	int64_t value;
};
enum { SEGMENT_MAX_FACTS = SEGMENT_FACTS_SIZE / sizeof(struct dict_entry) }; /* entry k lies at k % this */
/* In the ring of texts; `n` bytes follow. Starts at a multiple of 8, and does not go over the end of the ring. */
struct text_entry {
	uint32_t id, n;
};

_Static_assert(sizeof(struct record) == 32 && sizeof(struct dict_entry) == 40, "their layout is what agents write");
_Static_assert(__builtin_offsetof(struct record, id) == 16 && __builtin_offsetof(struct record, more) == 31,
	       "records have no holes");
_Static_assert(RECORD_COST == 16 && RECORD_FREE == 23 && DICT_OTHER == 7, "numbers are only ever added");
#endif
