// SPDX-License-Identifier: Apache-2.0
/* The texts of event kinds and argument keys, as they stand in a recording. */
#include "event/event.h"

#include <string.h>

static const char *const kind_names[N_KINDS] = {
	[KIND_NONE] = "",
	[KIND_PROVIDER_READY] = "provider_ready",
	[KIND_SESSION] = "session",
	[KIND_LOAD] = "load",
	[KIND_SPECIALIZE] = "specialize",
	[KIND_SETUP] = "setup",
	[KIND_INFERENCE] = "inference",
	[KIND_OPERATOR] = "operator",
	[KIND_KERNEL] = "kernel",
	[KIND_STAGE] = "stage",
	[KIND_LOST] = "lost",
	[KIND_NOTE] = "note",
};

static const char *const key_names[N_KEYS] = {
	[KEY_NONE] = "",
	[KEY_MODEL] = "model",
	[KEY_MODEL_PATH] = "model_path",
	[KEY_SESSION] = "session",
	[KEY_ID] = "id",
	[KEY_INFERENCE] = "inference",
	[KEY_PROVIDER] = "provider",
	[KEY_PROVIDERS] = "providers",
	[KEY_OP_TYPE] = "op_type",
	[KEY_SHAPES] = "shapes",
	[KEY_BYTES] = "bytes",
	[KEY_STATUS] = "status",
	[KEY_FIRST] = "first",
	[KEY_BATCH] = "batch",
	[KEY_TAG] = "tag",
	[KEY_THREAD_CPU_NS] = "thread_cpu_ns",
	[KEY_RUN_QUEUE_NS] = "run_queue_ns",
	[KEY_FAULTS] = "faults",
	[KEY_SWITCHES] = "switches",
	[KEY_PARTIAL] = "partial",
	[KEY_MODIFIED] = "modified",
	[KEY_COUNT] = "count",
	[KEY_WHERE] = "where",
	[KEY_PID] = "pid",
	[KEY_TID] = "tid",
	[KEY_EXE] = "exe",
	[KEY_COMMAND] = "command",
	[KEY_LEVEL] = "level",
	[KEY_INTERVAL_NS] = "interval_ns",
	[KEY_VERSION] = "version",
	[KEY_RUNTIME] = "runtime",
	[KEY_PATH] = "path",
	[KEY_STATE] = "state",
	[KEY_TEXT] = "text",
	[KEY_EXIT_STATUS] = "exit_status",
	[KEY_SIGNAL] = "signal",
	[KEY_EVENTS] = "events",
	[KEY_RECORDER_CPU_NS] = "recorder_cpu_ns",
	[KEY_RECORDER_PEAK_BYTES] = "recorder_peak_bytes",
	[KEY_EVENT_NS] = "event_ns",
	[KEY_ARM_NS] = "arm_ns",
	[KEY_LOST] = "lost",
	[KEY_SOURCE] = "source",
	[KEY_ERROR_NS] = "error_ns",
	[KEY_START_REALTIME_NS] = "start_realtime_ns",
	[KEY_MACHINE] = "machine",
	[KEY_CYCLES] = "cycles",
	[KEY_SHARE] = "share",
	[KEY_REPORTED_NS] = "reported_ns",
	[KEY_SOURCE_OPS] = "source_ops",
	[KEY_IMPLEMENTATION] = "implementation",
	[KEY_FLOPS] = "flops",
	[KEY_OPSET] = "opset",
	[KEY_GRAPH] = "graph",
	[KEY_OPTIONS] = "options",
	[KEY_CAPABILITIES] = "capabilities",
	[KEY_THREADS] = "threads",
};

const char *event_kind_name(enum event_kind kind)
{
	return (unsigned)kind < N_KINDS ? kind_names[kind] : "";
}

const char *event_key_name(enum event_key key)
{
	return (unsigned)key < N_KEYS ? key_names[key] : "";
}

static int is(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

enum event_kind event_kind_named(const char *text, size_t len)
{
	for (unsigned i = 1; i < N_KINDS; i++)
		if (is(kind_names[i], text, len))
			return i;
	return KIND_NONE;
}

enum event_key event_key_named(const char *text, size_t len)
{
	for (unsigned i = 1; i < N_KEYS; i++)
		if (is(key_names[i], text, len))
			return i;
	return KEY_NONE;
}
