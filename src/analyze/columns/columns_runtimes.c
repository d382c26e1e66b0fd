// SPDX-License-Identifier: Apache-2.0
/* Runtimes in processes: those that are recorded, and others; and the clocks of their devices. */
#include "analyze/columns/columns.h"

#define AT(field) offsetof(struct summary_runtime, field)

static const struct column runtimes[] = {
	{ "pid", "process_id", "the process that it is in: processes.id", COLUMN_PROCESS, AT(process) },
	{ "runtime", "runtime", "its name: `onnxruntime`", COLUMN_TEXT, AT(runtime) },
	{ "version", "version", "its version", COLUMN_TEXT, AT(version) },
	{ "path", "path", "the file", COLUMN_TEXT, AT(path) },
	{ "seen", "armed", "the parts that are recorded", COLUMN_TEXT, AT(armed) },
	{ "not_seen", "left_out", "the parts that are not recorded, and why", COLUMN_TEXT, AT(left_out) },
	{ "arm_ns", "arm_ns", "time that arming it took in the process", COLUMN_KNOWN, AT(arm_ns) },
	{ "usage_ns", "usage_ns", "time that reading a thread's use of the CPU takes in the process", COLUMN_KNOWN,
	  AT(usage_ns) },
	{ "complete_from_ns", "complete_from_ns",
	  "from when on it is recorded completely, CLOCK_MONOTONIC; NULL: from its first call on", COLUMN_TIME,
	  AT(complete_from_ns) },
};

const struct column_list columns_runtimes = { COLUMN_ROWS(runtimes), COLUMN_LIST(runtimes) };

#undef AT
#define AT(field) offsetof(struct summary_other_runtime, field)

static const struct column others[] = {
	{ "pid", "process_id", "the process that it is in: processes.id", COLUMN_PROCESS, AT(process) },
	{ "runtime", "runtime", "its name: `ncnn`", COLUMN_TEXT, AT(runtime) },
	{ "version", "version", "its version; NULL: not known", COLUMN_TEXT, AT(version) },
	{ "path", "path", "its library", COLUMN_TEXT, AT(path) },
};

const struct column_list columns_other_runtimes = { COLUMN_ROWS(other_runtimes), COLUMN_LIST(others) };

#undef AT
#define AT(field) offsetof(struct summary_device_clock, field)

static const struct column device_clocks[] = {
	{ "pid", "process_id", "the process: processes.id", COLUMN_PROCESS, AT(process) },
	{ "source", "source", "what told the times: `CUPTI`, `rocprofiler-sdk`, `PTI`", COLUMN_TEXT, AT(source) },
	{ "error_ns", "error_ns",
	  "by how much they may be wrong: the largest difference found between the clocks, or by how much a kernel "
	  "began "
	  "before its call",
	  COLUMN_KNOWN, AT(error_ns) },
	{ "clock_sets", "clock_sets", "how often the device's clock was set meanwhile", COLUMN_COUNT, AT(n_set) },
	{ "missing", "missing", "what may be missing at the end, and why; NULL: nothing", COLUMN_TEXT, AT(missing) },
};

const struct column_list columns_device_clocks = { COLUMN_ROWS(device_clocks), COLUMN_LIST(device_clocks) };
