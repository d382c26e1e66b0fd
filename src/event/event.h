/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event: one fact with a time. Sources make events while recording, importers make them from a file; sinks (the
 * trace writer, the store) take them. An event is plain bytes and owns nothing: its texts are ids of a struct names,
 * its arguments are borrowed for the duration of sink->put.
 *
 * Order: a sink gets the events of one track in the order of their times (parents before children, END in LIFO order);
 * events of different tracks may come in any order. A TRACK event comes before the first event on that track. A
 * process's TRACK event comes again after each exec; the last one holds. A slice without END was cut off.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/clock_note.h"
#include "event/memory_note.h"
#include "event/phase.h"
#include "event/process_note.h"

enum event_type {
	EVENT_TRACK,	 /* defines track `track`: event->def is set */
	EVENT_BEGIN,	 /* a slice begins: time_ns, track, kind, name, args */
	EVENT_END,	 /* ends the innermost open slice of the track: time_ns, track, args (added to the slice's) */
	EVENT_INSTANT,	 /* time_ns, track, kind, name, args */
	EVENT_COUNTER,	 /* time_ns, track, value */
	EVENT_TRACK_END, /* in live streams alone: nothing names it, or one below, any more; its number may come again
			  */
	EVENT_SAMPLE,	 /* what a thread of process `track` did until time_ns: event->sample (event/sample.h) */
};

/* What a slice or instant is: F(KIND_<NAME>, category in the file). Agents write the numbers: add at the end. */
#define EVENT_KINDS(F) \
	F(NONE, "") \
	F(PROVIDER_READY, "provider_ready") /* a provider library is registered or prepared */ \
	F(SESSION, "session")		    /* session creation, the whole of it */ \
	F(LOAD, "load")			    /* from model bytes to graph */ \
	F(SPECIALIZE, "specialize")	    /* optimise, partition, compile, pre-pack */ \
	F(SETUP, "setup")		    /* inputs are bound, checked or copied before a run */ \
	F(INFERENCE, "inference")	    /* one run */ \
	F(OPERATOR, "operator")		    /* one node's kernel */ \
	F(KERNEL, "kernel")		    /* one device kernel or copy */ \
	F(STAGE, "stage")		    /* of one inference; with session and count: completes so many of it */ \
	F(LOST, "lost")			    /* instant: events that were dropped; args count, where */ \
	F(NOTE, "note")		    /* instant: a fact about the recording; its name is the topic, EVENT_NOTE_* */ \
	F(USER, "user")		    /* slice or instant of a program that annotates itself; arg category */ \
	F(ALLOCATION, "allocation") /* instant: memory taken by an allocator; args bytes, device, session */ \
	F(PHASE, "phase")	    /* a phase of session creation that lies between known functions */ \
	F(HALT, "halt")		    /* a process was held: EVENT_HALT_* */ \
	F(CALL, "call")		    /* of a device's library, on a thread: launches, copies, waits; overhead of it */ \
	F(JOB, "job")		    /* what the kernel handed to a ring of a device, for a process */ \
	F(TOKENS, "tokens")	    /* a call that makes a request's tokens: event/generator_call.h */

#define EVENT_KIND_ENUM(name, text) KIND_##name,
enum event_kind { EVENT_KINDS(EVENT_KIND_ENUM) N_KINDS };

/* Topics of KIND_NOTE instants, each with the arguments it carries; those in brackets are optional. */
/* command, level, interval_ns, version [start_realtime_ns, machine, count: its CPUs]: once, when recording starts */
#define EVENT_NOTE_RECORDING "recording"
/* pid, exe [state, count]; state: why no runtime was seen; count: processes whose inferences were not, therefore */
#define EVENT_NOTE_PROCESS "process"
/*
 * runtime, version, path, text (what was armed) [arm_ns; usage_ns; status: what was left out and why; from_ns: what
 * began before may be missing, because the agent came into a running program]
 */
#define EVENT_NOTE_RUNTIME "runtime"
/* model, session, providers [runtime, model_path, model_file, bytes, status]: a session is complete; its creation */
#define EVENT_NOTE_CREATED "created"
/*
 * model, session [from_ns: when, exactly; state, tid: of one from before a fork, which is told twice:
 * EVENT_STATE_BEGUN, and once it is over]: when a session is released
 */
#define EVENT_NOTE_RELEASED "released"
#define EVENT_STATE_BEGUN "begun"
#define EVENT_STATE_ENDED "ended"
/* pid, exit_status or signal [count: processes that go on; peak_bytes, see process_note.h]: a recorded process ends */
#define EVENT_NOTE_EXIT "exit"
/* events, recorder_cpu_ns, recorder_peak_bytes, event_ns, arm_ns, lost [moved, fault_ns]: the cost, once, at the end;
 * moved: events that were earlier than the one before them on their track, and are written with its time */
#define EVENT_NOTE_COST "cost"
/* pid, path, text (why): a file that a process's counters should come from cannot be read; once */
#define EVENT_NOTE_UNREADABLE "unreadable"
/* count, text: events of a process that are not recorded, because recording began halfway through them */
#define EVENT_NOTE_LEFT_OUT "left out"
/* count: inferences that --sample or --rate left out since the process's last such note */
#define EVENT_NOTE_SAMPLED_OUT "sampled out"
/* level: what probes see from now on; count [session]: inferences unseen since then. Of no process: of those not met */
#define EVENT_NOTE_PACED "paced"
/*
 * text (how much, as "10m" or "2G"), count, events, by_ns: a recording that keeps only its newest part; how many of its
 * segments were dropped so far, slices and instants in them, and their duration. The last one holds
 */
#define EVENT_NOTE_KEPT "kept"
/* text (why), count [path]: a dump of a recording that keeps its newest part was asked for, and begins at the oldest
 * segment; count: of those asked for so far and not made. Without path: none is made, and the last count holds */
#define EVENT_NOTE_DUMP "dump"
/* count: from here on, the operators of one inference in so many are kept */
#define EVENT_NOTE_THINNED "thinned"
/* text: why recording stopped before the target did */
#define EVENT_NOTE_STOPPED "stopped"

/*
 * Argument keys: F(KEY_<NAME>, name of the debug annotation in the file). A new key is one row, at the end: agents
 * write these numbers into their dictionaries, and the file has the same numbers.
 *
 * Flows tie slices. A slice or instant that has KEY_FLOW with an id is tied to the next one, in the order of time, that
 * has KEY_FLOW or KEY_FLOW_END with this id, on any track. Ids are unique in the recording, not per process. They are
 * integers on BEGIN, INSTANT and END events, any number of each; in the file they are flow_ids, not annotations. A flow
 * that starts in the middle of a slice (an operator launches a kernel) is an INSTANT there, or goes with its BEGIN.
 */
#define EVENT_KEYS(F) \
	F(NONE, "") \
	F(MODEL, "model")	    /* text: the model's name */ \
	F(MODEL_PATH, "model_path") /* text: absolute path of the model file */ \
	F(SESSION, "session")	    /* number of the session in its process, from 1 */ \
	F(ID, "id")		    /* number of the inference in its session, from 1; on tokens: of its generator */ \
	F(INFERENCE, "inference")   /* number of the inference in its process; on its operators, too */ \
	F(PROVIDER, "provider")	    /* text: execution provider, as the runtime names it (CPUExecutionProvider) */ \
	F(PROVIDERS, "providers")   /* text: requested providers, comma separated, with their options */ \
	F(OP_TYPE, "op_type")	    /* text */ \
	F(SHAPES, "shapes")	    /* text: "1x3x224x224,64" inputs, then "->" and outputs where known; shape.c */ \
	F(BYTES, "bytes")   /* bytes that went in and came out of an operator; size of a model, of an allocation */ \
	F(STATUS, "status") /* text: "ok", or the runtime's message */ \
	F(FIRST, "first")   /* 1 on the first inference of a session */ \
	F(BATCH, "batch")   /* first dimension of the first input */ \
	F(TAG, "tag")	    /* text: run tag */ \
	F(THREAD_CPU_NS, "thread_cpu_ns") /* CPU time of the thread during the inference */ \
	F(RUN_QUEUE_NS, "run_queue_ns")	  /* time the thread waited for a CPU */ \
	F(FAULTS, "faults")		  /* page faults of the thread */ \
	F(SWITCHES, "switches")		  /* context switches of the thread */ \
	F(PARTIAL, "partial")		  /* 1: cut short by arming or disarming */ \
	F(MODIFIED, "modified")		  /* on graph transformers: 1 if the graph was changed, else 0 */ \
	F(COUNT, "count")		  /* lost: how many */ \
	F(WHERE, "where")		  /* text; lost: where */ \
	F(PID, "pid")			  /* of a process */ \
	F(TID, "tid")			  /* on inferences and session creations: the thread */ \
	F(EXE, "exe")			  /* text */ \
	F(COMMAND, "command")		  /* text: the command line */ \
	F(LEVEL, "level")		  /* text: inference, operator, detail */ \
	F(INTERVAL_NS, "interval_ns") \
	F(VERSION, "version") /* text */ \
	F(RUNTIME, "runtime") /* text: onnxruntime */ \
	F(PATH, "path")	      /* text */ \
	F(STATE, "state")     /* text */ \
	F(TEXT, "text")	      /* text */ \
	F(EXIT_STATUS, "exit_status") \
	F(SIGNAL, "signal") \
	F(EVENTS, "events") \
	F(RECORDER_CPU_NS, "recorder_cpu_ns") \
	F(RECORDER_PEAK_BYTES, "recorder_peak_bytes") \
	F(EVENT_NS, "event_ns") /* measured cost of one event in the target, nanoseconds (real number) */ \
	F(ARM_NS, "arm_ns")	/* time taken to arm the runtime in the target */ \
	F(LOST, "lost") \
	F(SOURCE, "source") /* text */ \
	F(ERROR_NS, "error_ns") \
	F(START_REALTIME_NS, "start_realtime_ns") \
	F(DEVICE, "device")		/* text: where memory was allocated: cpu, cuda:0 */ \
	F(ALLOCATOR, "allocator")	/* text: as the runtime names it */ \
	F(CATEGORY, "category")		/* text: what a program calls the kind of its own slices and instants */ \
	F(OPTIONS, "options")		/* text: session options that differ from the default */ \
	F(CAPABILITIES, "capabilities") /* on partitioning: how many node groups the provider asked for */ \
	F(ALLOCATED, "allocated")	/* on operators: bytes that it took from allocators, all calls together */ \
	F(MACHINE, "machine")		/* text: processor, CPUs, memory, kernel */ \
	F(CYCLES, "cycles")		/* on kernels: as the provider's profiler counted them */ \
	F(SHARE, "share") /* on kernels: of the cycles of all kernels of the same execution (real number) */ \
	F(REPORTED_NS, "reported_ns") /* on kernels: as the profile says, if the slice was cut to its operator */ \
	F(SOURCE_OPS, "source_ops") /* text; on kernels: nodes of the model that it was made from, ';' between them */ \
	F(IMPLEMENTATION, "implementation") /* text; on kernels: which of its implementations the provider chose */ \
	F(ALLOCATIONS, "allocations")	    /* on operators: calls that took memory from allocators */ \
	F(FLOW, "flow")			    /* id of a flow that starts here or goes on: see above */ \
	F(FLOW_END, "flow_end")		    /* id of a flow that ends here */ \
	F(FROM_NS, "from_ns")		    /* CLOCK_MONOTONIC: where the stretch that a note is about begins */ \
	F(BY_NS, "by_ns")		    /* how far a clock was off, signed */ \
	F(MOVED, "moved")		    /* how many events were moved behind the one before them */ \
	F(CONTINUED, "continued") /* 1: the event stands in an earlier segment of the recording, too; see rotate.h */ \
	F(WEIGHT, "weight")	  /* on inferences: how many ones its operators stand for; 0: left out; absent: 1 */ \
	F(USAGE_NS, "usage_ns")	  /* what reading a thread's CPU time, faults and switches once takes in the target */ \
	F(MAJOR_FAULTS, "major_faults") /* of the faults, those that waited for a disk; absent: none, or not known */ \
	F(READ_BYTES, "read_bytes")	/* that the thread read from disks; absent: the same */ \
	F(FAULT_NS, "fault_ns")		/* what a page fault without a disk takes here, as measured (real number) */ \
	EVENT_MEMORY_KEYS(F) \
	F(SUBNORMAL, "subnormal")	  /* on inferences: 1: the thread computed with subnormal numbers */ \
	F(USAGE_OF_SLOW, "usage_of_slow") /* on inferences: 1: its usage is known only because it was slow */ \
	F(OPERATOR, "operator")		  /* text; on kernels: the node whose operator launched it */ \
	EVENT_CREATION_KEYS(F) \
	F(ARGUMENTS, "arguments") /* text: arguments of another program's event that have no key here, as JSON */ \
	F(FUNCTION, "function")	  /* text: the function of the model, where a model has several */ \
	EVENT_PROCESS_KEYS(F)

#define EVENT_KEY_ENUM(name, text) KEY_##name,
enum event_key { EVENT_KEYS(EVENT_KEY_ENUM) N_KEYS };

enum arg_type { ARG_INT, ARG_REAL, ARG_NAME };

struct arg {
	uint16_t key;  /* enum event_key */
	uint16_t type; /* enum arg_type */
	union {
		int64_t integer;
		double real;
		uint32_t name; /* id in the sink's names */
	};
};

enum track_type {
	TRACK_PROCESS, /* pid; name: the program */
	TRACK_THREAD,  /* pid, tid; parent: the process; name may be 0 */
	TRACK_GROUP,   /* a line that holds others: "models", one model */
	TRACK_LANE,    /* a line for slices, below a group: one lane per concurrent inference */
	TRACK_COUNTER, /* values; parent: process track, or 0 for the machine; unit */
};

/* Track ids are small, dense, from 1; sink_new_track gives out new ones. 0: no track. */
struct track_def {
	enum track_type type;
	uint32_t parent;
	uint32_t name; /* id, 0: none */
	int32_t pid, tid;
	uint32_t unit;	   /* counters: id of "bytes", "%", "count"; 0: none */
	uint64_t start_ns; /* processes: CLOCK_MONOTONIC at which it started, 0: unknown */
	uint32_t command;  /* processes: command line, id, 0: unknown */
	uint64_t uuid;	   /* the track's uuid in the file it was read from; 0: none. Writing keeps it */
	uint64_t serial;   /* unlike that of any other track; 0: it is the track's number, which is given out once */
};

struct event {
	enum event_type type;
	enum event_kind kind;
	uint32_t track;
	uint32_t name;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	double value;	  /* EVENT_COUNTER */
	const struct arg *args;
	size_t n_args;
	const struct track_def *def;	   /* EVENT_TRACK */
	const struct event_sample *sample; /* EVENT_SAMPLE; borrowed, like args */
};

/* Static texts; "" when out of range. */
const char *event_kind_name(enum event_kind kind);
const char *event_key_name(enum event_key key);
/* KIND_NONE / KEY_NONE for an unknown text; text need not end in NUL. */
enum event_kind event_kind_named(const char *text, size_t len);
enum event_key event_key_named(const char *text, size_t len);
/* Why no inference of a runtime is seen, up to a bracket; NULL: they are. status: that of its note; NULL: none. */
const char *event_why_no_runs(const char *status);

#endif
