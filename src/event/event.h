/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event: one fact with a time. Sources make them while recording, importers make them from a file;
 * sinks (the trace writer, the store) take them. Plain bytes: an event owns nothing, its texts are ids of
 * a struct names, its arguments are borrowed for the duration of sink->put.
 *
 * Order: a sink gets the events of one track in the order of their times (parents before children, END
 * in LIFO order); events of different tracks may come in any order. A TRACK event comes before the first
 * event on that track; that of a process comes again when it has become another program (exec): the last
 * one holds. A slice that never gets its END was cut off: no end is invented for it.
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stddef.h>
#include <stdint.h>

enum event_type {
	EVENT_TRACK,   /* defines track `track`: event->def is set */
	EVENT_BEGIN,   /* a slice begins: time_ns, track, kind, name, args */
	EVENT_END,     /* the innermost open slice of the track ends: time_ns, track, args (added to the slice's) */
	EVENT_INSTANT, /* time_ns, track, kind, name, args */
	EVENT_COUNTER, /* time_ns, track, value */
};

/* What a slice or instant is; the text is its category in the file (event_kind_name). */
enum event_kind {
	KIND_NONE,
	KIND_PROVIDER_READY, /* a provider library is registered or prepared */
	KIND_SESSION,	     /* session creation, the whole of it */
	KIND_LOAD,	     /* model bytes to graph */
	KIND_SPECIALIZE,     /* optimise, partition, compile, pre-pack */
	KIND_SETUP,	     /* inputs bound, checked or copied before a run */
	KIND_INFERENCE,	     /* one run */
	KIND_OPERATOR,	     /* one node's kernel */
	KIND_KERNEL,	     /* one device kernel or copy */
	KIND_STAGE,	     /* a host or device stage of one inference */
	KIND_LOST,	     /* instant: events that were dropped; args count, where */
	KIND_NOTE,	     /* instant: a fact about the recording; its name is the topic, see EVENT_NOTE_* */
	N_KINDS
};

/*
 * Topics of KIND_NOTE instants and the arguments they carry (those in brackets are optional):
 *   recording  command, level, interval_ns, version [start_realtime_ns, machine]  once, when recording starts
 *   process    pid, exe [state]                                             state: why no runtime was seen, e.g. "no
 * runtime loaded" runtime    runtime, version, path, text (what was armed), [status]      status: what was left out and
 * why created    model, session, providers, [model_path, bytes, status]      when a session is complete (the summary of
 * its creation) released   model, session                                               when a session is released exit
 * pid, exit_status or signal                                   when a recorded process ends cost       events,
 * recorder_cpu_ns, recorder_peak_bytes, event_ns, arm_ns, lost     our own cost, once, at the end clock      source,
 * error_ns                                             how times were made; largest conversion error unreadable pid,
 * path, text (why)                                        a file of a process that its counters come from, once left
 * out   count, text                                                  what is not recorded of a process, as was asked
 * for or because recording began in its middle stopped    text the reason why recording stopped before the target did
 */
#define EVENT_NOTE_RECORDING "recording"
#define EVENT_NOTE_PROCESS "process"
#define EVENT_NOTE_RUNTIME "runtime"
#define EVENT_NOTE_CREATED "created"
#define EVENT_NOTE_RELEASED "released"
#define EVENT_NOTE_EXIT "exit"
#define EVENT_NOTE_COST "cost"
#define EVENT_NOTE_CLOCK "clock"
/* The source of a clock note where the input has durations only: slices lie end to end, and no rate follows. */
#define EVENT_CLOCK_NONE "none: durations only, laid end to end"
#define EVENT_NOTE_UNREADABLE "unreadable"
#define EVENT_NOTE_LEFT_OUT "left out"
#define EVENT_NOTE_STOPPED "stopped"

/* Argument keys; the text is the debug annotation's name in the file (event_key_name). Only ever added to. */
enum event_key {
	KEY_NONE,
	KEY_MODEL,	   /* text: the model's name */
	KEY_MODEL_PATH,	   /* text: absolute path of the model file */
	KEY_SESSION,	   /* number of the session in its process, from 1 */
	KEY_ID,		   /* number of the inference in its session, from 1 */
	KEY_INFERENCE,	   /* on operators: number of the inference in its process (same key on the inference) */
	KEY_PROVIDER,	   /* text: execution provider, as the runtime names it (CPUExecutionProvider) */
	KEY_PROVIDERS,	   /* text: providers asked for, comma separated, with their options */
	KEY_OP_TYPE,	   /* text */
	KEY_SHAPES,	   /* text: "1x3x224x224,64" inputs, then "->" and outputs where known */
	KEY_BYTES,	   /* bytes that went in and came out of an operator; size of a model */
	KEY_STATUS,	   /* text: "ok", or the runtime's message */
	KEY_FIRST,	   /* 1 on the first inference of a session */
	KEY_BATCH,	   /* first dimension of the first input */
	KEY_TAG,	   /* text: run tag */
	KEY_THREAD_CPU_NS, /* CPU time of the thread during the inference */
	KEY_RUN_QUEUE_NS,  /* time the thread waited for a CPU */
	KEY_FAULTS,	   /* page faults of the thread */
	KEY_SWITCHES,	   /* context switches of the thread */
	KEY_PARTIAL,	   /* 1: arming or disarming cut this one */
	KEY_MODIFIED,	   /* on graph transformers: 1 if the graph was changed, else 0 */
	KEY_COUNT,	   /* lost: how many */
	KEY_WHERE,	   /* text; lost: where */
	KEY_PID,
	KEY_TID,     /* on inferences: the thread it ran on */
	KEY_EXE,     /* text */
	KEY_COMMAND, /* text: the command line */
	KEY_LEVEL,   /* text: inference, operator, detail */
	KEY_INTERVAL_NS,
	KEY_VERSION, /* text */
	KEY_RUNTIME, /* text: onnxruntime */
	KEY_PATH,    /* text */
	KEY_STATE,   /* text */
	KEY_TEXT,    /* text */
	KEY_EXIT_STATUS,
	KEY_SIGNAL,
	KEY_EVENTS,
	KEY_RECORDER_CPU_NS,
	KEY_RECORDER_PEAK_BYTES,
	KEY_EVENT_NS, /* measured cost of one event in the target, nanoseconds (real number) */
	KEY_ARM_NS,   /* time taken to arm the runtime in the target */
	KEY_LOST,
	KEY_SOURCE, /* text */
	KEY_ERROR_NS,
	KEY_START_REALTIME_NS,
	KEY_FLOPS,
	KEY_OPSET,	  /* text */
	KEY_GRAPH,	  /* text: the graph's name inside the model */
	KEY_OPTIONS,	  /* text: session options that differ from the default */
	KEY_CAPABILITIES, /* on partitioning: how many node groups the provider asked for */
	KEY_THREADS,
	KEY_MACHINE,	 /* text: processor, CPUs, memory, kernel */
	KEY_CYCLES,	 /* on kernels: as the provider's profiler counted them */
	KEY_SHARE,	 /* on kernels: of the cycles of all kernels of the same execution (real number) */
	KEY_REPORTED_NS, /* on kernels: duration in the provider's profile, when the slice had to be cut to its operator
			  */
	KEY_SOURCE_OPS,	 /* text; on kernels: nodes of the model that it was made from, ';' between them */
	KEY_IMPLEMENTATION, /* text; on kernels: which of its implementations the provider chose */
	N_KEYS
};

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

/* Track ids are small, dense, from 1; whoever defines tracks takes them from sink_new_track. 0: no track. */
struct track_def {
	enum track_type type;
	uint32_t parent;
	uint32_t name; /* id, 0: none */
	int32_t pid, tid;
	uint32_t unit;	   /* counters: id of "bytes", "%", "count"; 0: none */
	uint64_t start_ns; /* processes: CLOCK_MONOTONIC at which it started, 0: unknown */
	uint32_t command;  /* processes: command line, id, 0: unknown */
	uint64_t
	    uuid; /* that the track has in the file it was read from; 0: in none. Written, it stays the same track */
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
	const struct track_def *def; /* EVENT_TRACK */
};

/* Borrowed static texts; out of range gives "". */
const char *event_kind_name(enum event_kind kind);
const char *event_key_name(enum event_key key);
/* KIND_NONE / KEY_NONE when the text is none of ours; text need not end in NUL. */
enum event_kind event_kind_named(const char *text, size_t len);
enum event_key event_key_named(const char *text, size_t len);

#endif
