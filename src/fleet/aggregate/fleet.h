/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all programs of a machine do with models, in intervals: a sink beside no other, or beside the writer of a
 * recording. Sums are exact and bounded; what finds no room is counted. Knows no network and no format.
 *
 * The owner ends each interval with fleet_roll. Readers see the sums of all time and of the last interval as of then.
 * One thread.
 */
#ifndef FLEET_AGGREGATE_FLEET_H
#define FLEET_AGGREGATE_FLEET_H

#include "event/sink.h"
#include "fleet/aggregate/series.h"
#include "fleet/aggregate/tail_rows.h"

struct fleet;

enum { FLEET_PATH = 512, FLEET_DEVICES = 8 };

struct fleet_opts {
	size_t max_series;
	uint64_t idle_intervals; /* after which series and services that nobody adds to go */
	const char *sysroot;	 /* borrowed */
	uint32_t n_cpus;	 /* of the machine */
	/* Who a program is; NULL: origin_read_program. For tests. */
	void (*identify)(struct origin_program *origin, const char *sysroot, pid_t pid, const char *name);
};

/* kind: "gpu" or "npu"; "cpu" for meters of energy, whose id is "package-0" or "package-0 dram". */
struct fleet_device {
	char kind[4], id[32];
};

/* What a device did for a program, or programs. */
struct fleet_use {
	struct fleet_device device;
	double s, last_s; /* that it worked: of all time, as of the last roll; of the last interval */
	double bytes;	  /* that are held there */
};

/* Of a meter of the machine: the share of a service, an estimate. */
struct fleet_energy {
	struct fleet_device device;
	double j, last_j; /* of all time, as of the last roll; of the last interval */
};

/* Programs of one service, container and pod, together. */
struct fleet_service {
	struct origin_program origin;
	uint32_t n_processes;			/* that live */
	double cpu_s, rolled_cpu_s, last_cpu_s; /* of all time, as of the last roll; of the last interval */
	double resident_bytes;			/* of those that live; 0: not known */
	uint64_t ended_interval;
	struct fleet_use use[FLEET_DEVICES];
	uint32_t n_uses;
	struct fleet_energy energy[FLEET_DEVICES];
	uint32_t n_energies;
};

/* What is seen of a program, where probes come and go; in the words of EVENT_NOTE_PACED. */
enum fleet_level {
	FLEET_ALL,
	FLEET_OPERATOR_WINDOWS,
	FLEET_INFERENCES,
	FLEET_INFERENCE_WINDOWS,
	FLEET_OUT,
	N_FLEET_LEVELS
};

const char *fleet_level_name(enum fleet_level level);

/* Of the watcher itself. */
struct fleet_own {
	uint64_t n_lost, n_skipped, n_unprobed; /* events; inferences left out by a rate, and while probes were out */
	uint64_t n_unknown;			/* the latter of sessions that were never seen to run: in no series */
	uint32_t n_watched, n_unseen;		/* processes */
	uint32_t n_at[N_FLEET_LEVELS];		/* those that are watched, by what is seen; all 0: probes stay */
	uint64_t n_processes_refused;
};

/* A recording of some time, CLOCK_MONOTONIC. path "": none. */
struct fleet_recording {
	uint64_t begin_ns, until_ns;
	char path[FLEET_PATH], why[200];
};

struct fleet_interval {
	uint64_t number, begin_realtime_ns, end_realtime_ns, start_realtime_ns; /* start: of the first one */
};

/* NULL and err: out of memory. */
struct fleet *fleet_new(struct names *names, uint32_t *last_track, const struct fleet_opts *opts, struct err *err);
struct sink *fleet_sink(struct fleet *fleet);
/* now_ns, realtime_ns: the same moment. 0, or -ENOMEM and err. */
int fleet_roll(struct fleet *fleet, uint64_t now_ns, uint64_t realtime_ns, struct err *err);
void fleet_free(struct fleet *fleet);

const struct series_table *fleet_series(const struct fleet *fleet);
size_t fleet_n_services(const struct fleet *fleet);
const struct fleet_service *fleet_service(const struct fleet *fleet, size_t index);
const struct tail *fleet_tail(const struct fleet *fleet); /* of the last interval */
const struct fleet_own *fleet_own(const struct fleet *fleet);
const struct fleet_own *fleet_own_last(const struct fleet *fleet); /* counts of the last interval alone */
/* The newest recording of what was worth it: set before fleet_roll. */
void fleet_set_recording(struct fleet *fleet, const struct fleet_recording *recording);
/* One that was asked for in the last interval; NULL: there is none. */
const struct fleet_recording *fleet_new_recording(const struct fleet *fleet);
/* The file with this inference; NULL: there is none. */
const char *fleet_recording_of(const struct fleet *fleet, const struct tail_run *run);
const struct fleet_interval *fleet_interval(const struct fleet *fleet);

#endif
