/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field numbers of the Perfetto trace format that are written or read here. From the protos of Perfetto v59
 * (protos/perfetto/trace/perfetto_trace.proto; the PyPI package perfetto 0.59.1 contains them compiled). Field numbers
 * of a published proto never change.
 */
#ifndef TRACE_PERFETTO_PERFETTO_FIELDS_H
#define TRACE_PERFETTO_PERFETTO_FIELDS_H

enum perfetto_trace { TRACE_PACKET = 1 };

enum perfetto_packet {
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10, /* trusted_packet_sequence_id */
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_STATE_CLEARED = 41, /* incremental_state_cleared: the older form of SEQ_STATE_CLEARED */
	PACKET_PREVIOUS_DROPPED = 42,
	PACKET_THREAD_DESCRIPTOR = 44, /* the older form of a track descriptor */
	PACKET_SYSTEM_INFO = 45,
	PACKET_COMPRESSED = 50, /* packets, deflated */
	PACKET_CLOCK_ID = 58,	/* timestamp_clock_id */
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_PERF_SAMPLE = 66,
	PACKET_FIRST_ON_SEQUENCE = 87,
	PACKET_MACHINE_ID = 98,
	PACKET_ZSTD = 133, /* packets, compressed by zstd */
};

enum perfetto_sequence_flag { SEQ_STATE_CLEARED = 1, SEQ_NEEDS_STATE = 2 };

enum perfetto_defaults { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK_ID = 58 };
enum perfetto_track_event_defaults { EVENT_DEFAULTS_TRACK_UUID = 11 };

enum perfetto_track_event {
	EVENT_DELTA_US = 1, /* timestamp_delta_us */
	EVENT_CATEGORY_IIDS = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_LEGACY = 6,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_ABSOLUTE_US = 16, /* timestamp_absolute_us */
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW_IDS_OLD = 36, /* varints */
	EVENT_TERMINATING_FLOW_IDS_OLD = 42,
	EVENT_DOUBLE_VALUE = 44,
	EVENT_FLOW_IDS = 47, /* fixed64 */
	EVENT_TERMINATING_FLOW_IDS = 48,
};

enum perfetto_event_type { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

enum perfetto_legacy_event {
	LEGACY_NAME_IID = 1,
	LEGACY_PHASE = 2,
	LEGACY_DURATION_US = 3,
	LEGACY_UNSCOPED_ID = 6,
	LEGACY_LOCAL_ID = 10,
	LEGACY_GLOBAL_ID = 11,
	LEGACY_PID = 18, /* pid_override */
	LEGACY_TID = 19, /* tid_override */
};

enum perfetto_annotation {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
	ANNOTATION_STRING_IID = 17,
};

enum perfetto_interned {
	INTERNED_CATEGORIES = 1,
	INTERNED_NAMES = 2,
	INTERNED_ANNOTATION_NAMES = 3,
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_CALLSTACKS = 7,
	INTERNED_MAPPING_PATHS = 17,
	INTERNED_SOURCE_PATHS = 18,
	INTERNED_MAPPINGS = 19,
	INTERNED_ANNOTATION_STRINGS = 29,
};
enum perfetto_interned_entry { ENTRY_IID = 1, ENTRY_TEXT = 2 }; /* the same in all */

/* Numbers above 1000 are our own. */
enum perfetto_mapping { MAPPING_PATHS = 7 };
enum perfetto_frame {
	FRAME_FUNCTION = 2,
	FRAME_MAPPING = 3,
	FRAME_REL_PC = 4,
	FRAME_SOURCE_PATH = 5,
	FRAME_LINE = 6,
	FRAME_KIND = 1001, /* enum frame_kind */
};
enum perfetto_callstack { CALLSTACK_FRAMES = 2 };
enum perfetto_perf_sample {
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_CALLSTACK = 4,
	SAMPLE_STATE_NUMBER = 1001, /* enum sample_state */
	SAMPLE_WEIGHT_NS = 1002,
	SAMPLE_CPU_NS = 1003,
	SAMPLE_QUEUE_NS = 1004,
	SAMPLE_THREAD_NAME = 1005, /* this, the call and the object: texts, as those of annotations */
	SAMPLE_CALL_NAME = 1006,
	SAMPLE_OBJECT = 1007,
	SAMPLE_HOLDER_TID = 1008,
	SAMPLE_HOLDER_CALLSTACK = 1009,
	SAMPLE_FLAG_BITS = 1010,
};

enum perfetto_track {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS_DESCRIPTOR = 3,
	TRACK_THREAD_DESCRIPTOR = 4,
	TRACK_PARENT_UUID = 5,
	TRACK_COUNTER_DESCRIPTOR = 8,
	TRACK_STATIC_NAME = 10,
	TRACK_CHILD_ORDERING = 11,
	TRACK_ORDER_RANK = 12,
	TRACK_ATRACE_NAME = 13,
	TRACK_DESCRIPTION = 14, /* shown by the UI when the track is selected */
	TRACK_SIBLING_MERGE = 15,
};
enum perfetto_child_ordering { ORDER_EXPLICIT = 3 };
enum perfetto_sibling_merge { MERGE_NONE = 2 };

enum perfetto_process {
	PROCESS_PID = 1,
	PROCESS_CMDLINE = 2,
	PROCESS_NAME = 6,
	PROCESS_START_NS = 7,
	/* ProcessTree, ProcessTree.Process */
	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	TREE_PID = 1,
	TREE_CMDLINE = 3,
	/* ProcessTree.Thread */
	TREE_THREAD_TID = 1,
	TREE_THREAD_NAME = 2,
	TREE_THREAD_TGID = 3,
};

enum perfetto_thread {
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	THREAD_REFERENCE_US = 6, /* reference_timestamp_us, for EVENT_DELTA_US */
};

enum perfetto_counter {
	COUNTER_UNIT = 3,
	COUNTER_MULTIPLIER = 4,
	COUNTER_IS_INCREMENTAL = 5,
	COUNTER_UNIT_NAME = 6,
};
enum perfetto_unit { UNIT_NONE, UNIT_TIME_NS, UNIT_COUNT, UNIT_SIZE_BYTES };

enum perfetto_clock_snapshot { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum perfetto_clock {
	CLOCK_ENTRY_ID = 1,
	CLOCK_ENTRY_TIME = 2,
	CLOCK_ENTRY_IS_INCREMENTAL = 3,
	CLOCK_ENTRY_UNIT_NS = 4
};
/* Clocks local to a sequence have the numbers 64..127. */
enum perfetto_clock_id {
	CLOCK_REALTIME_ID = 1,
	CLOCK_MONOTONIC_ID = 3,
	CLOCK_RAW_ID = 5,
	CLOCK_BOOTTIME_ID = 6,
	CLOCK_SEQUENCE_ID = 64,
	CLOCK_SEQUENCE_LAST = 127,
};

enum perfetto_system_info {
	SYSTEM_UTSNAME = 1,
	SYSTEM_VERSION = 4, /* tracing_service_version */
	SYSTEM_PAGE_SIZE = 6,
	SYSTEM_CPUS = 8,
	SYSTEM_RAM_BYTES = 16,
};
enum perfetto_utsname { UTSNAME_SYSNAME = 1, UTSNAME_VERSION = 2, UTSNAME_RELEASE = 3, UTSNAME_MACHINE = 4 };

/*
 * Groups that are in the file alone, for the UI: counters of a process, and of the machine, lie in one. The reader
 * recognises a group by both texts, and leaves it out.
 */
#define PERFETTO_RESOURCES "resources"
#define PERFETTO_RESOURCES_TEXT "inftrace: what the process uses: CPU, memory, devices"
#define PERFETTO_MACHINE "machine"
#define PERFETTO_MACHINE_TEXT "inftrace: what all processes of the machine use together"

/* Our mark in SYSTEM_VERSION, followed by the version. In such a file the events of each track are in order. */
#define PERFETTO_WRITER "inftrace "

#endif
