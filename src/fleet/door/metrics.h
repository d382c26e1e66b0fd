/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured, once for all doors: the names, types and units of the metrics, and their points. A metric has one
 * name everywhere: "inftrace.inference.duration" in s is inftrace_inference_duration_seconds by Prometheus's own
 * translation. No label holds a pid, a path or a number of a session. Encodes nothing.
 */
#ifndef FLEET_DOOR_METRICS_H
#define FLEET_DOOR_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/aggregate/fleet.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };
enum { METRIC_LABELS = 16, METRIC_NAME = 120, METRICS_DOORS = 8 };

struct metrics_door {
	const char *name;
	uint64_t n_sent, n_dropped, n_waiting, spool_bytes;
	bool has_spool;
};

/* What the watcher knows of itself, beside what the aggregate counts. */
struct metrics_own {
	const char *version;
	double cpu_s, last_cpu_s, resident_bytes; /* last: of the last interval */
	uint64_t n_dropped_last;
	struct metrics_door door[METRICS_DOORS];
	size_t n_doors;
	struct origin_host host;
};

struct metric_label {
	const char *name, *value; /* name: as OpenTelemetry writes it */
};

/* Valid during the visit. */
struct metric_point {
	struct metric_label label[METRIC_LABELS]; /* in the order of the table; none is empty */
	size_t n_labels;
	double value;
	const struct series_times *times;     /* of a histogram */
	const struct series_example *example; /* NULL, or ns 0: none */
};

struct metric {
	const char *name; /* as OpenTelemetry writes it */
	const char *unit; /* of UCUM: "s", "By", "{inference}"; "": none */
	const char *help; /* one sentence */
	enum metric_type type;
	bool is_info; /* a gauge of 1 whose labels matter */
	/* Visits each point. */
	void (*each)(const struct metric *metric, const struct fleet *fleet, const struct metrics_own *own,
		     void (*visit)(void *ctx, const struct metric_point *point), void *ctx);
	double (*of_series)(const struct series *series); /* those of one value for each series */
	enum series_generation_time time;		  /* those of durations of generations */
};

/* Of all doors. */
uint64_t metrics_n_dropped(const struct metrics_own *own);

extern const struct metric metrics[];
extern const size_t n_metrics;

/* The name at Prometheus, without what the parts of histograms add: "inftrace_inference_failures_total". */
void metric_prometheus_name(const struct metric *metric, char *name, size_t size);
/* The same of a label: "gen_ai_request_model". */
void metric_prometheus_label(const struct metric_label *label, char *name, size_t size);

#endif
