/* SPDX-License-Identifier: Apache-2.0 */
/* The sums inside, for fleet*.c only: fleet.c is the sink, fleet_programs.c knows processes and sessions. */
#ifndef FLEET_AGGREGATE_FLEET_IN_H
#define FLEET_AGGREGATE_FLEET_IN_H

#include <stdlib.h>

#include "analyze/generation/generations.h"
#include "base/array.h"
#include "event/event_args.h"
#include "fleet/aggregate/fleet.h"

enum { FLEET_DEPTH = 16, FLEET_PROCESSES = 4096, FLEET_SESSIONS = 1024, FLEET_SERVICES = 1024, FLEET_USED = 64 };
enum {
	FLEET_OPEN = 8192,
	FLEET_FIRST_OPEN = 16,
	FLEET_ALL_OPEN = 8192,
	FLEET_OPERATORS = 16,
	FLEET_PROVIDERS = 4,
	FLEET_RECENT = 1024,
	FLEET_NAMES = 1 << 17
};

struct fleet_session {
	int64_t number;
	uint32_t model, provider; /* names; 0: not known */
	char runtime[32];
	struct series *series;
	uint64_t n_runs;
	bool exists, is_new; /* exists: it was created, or seen to run; is_new: its creation was seen */
	uint32_t released;   /* the interval in which it was released, + 1: inferences before may come later; 0: not */
};

struct fleet_process {
	struct fleet_service *service;
	uint32_t track, number; /* number: no other process has had it */
	int32_t pid;
	char name[64], runtime[32], version[32]; /* of the only runtime in it */
	bool has_several, is_watched, is_unseen, is_paced;
	enum fleet_level level;
	struct fleet_window *window; /* what was seen of each of its series lately, where probes come and go */
	uint32_t n_windows;
	struct fleet_session *session;
	uint32_t n_sessions;
	struct series *used[FLEET_USED]; /* series that it holds */
	uint32_t n_used;
	struct fleet_open_runs *open;	  /* NULL: no operator was ever seen */
	struct fleet_recent_runs *recent; /* NULL: no kernel was */
	uint64_t cpu_ns;		  /* time of the last value of its counter of CPU */
	double resident_bytes;
	struct fleet_use use[FLEET_DEVICES]; /* of the last interval */
	uint32_t n_uses;
};

enum fleet_counter {
	FLEET_NO_COUNTER,
	FLEET_CPU,
	FLEET_RESIDENT,
	FLEET_DEVICE_BUSY,
	FLEET_DEVICE_MEMORY,
	FLEET_MACHINE_CPU,
	FLEET_MACHINE_ENERGY
};

/* Inferences of a process that were seen: since the last roll, and before the last roll at which there were any. */
struct fleet_window {
	struct series *series;
	struct series_sums now, before;
};

/* Operators of one type and provider in an inference. */
struct fleet_operator {
	uint32_t type, provider; /* names */
	uint64_t n, ns;
};

/* Of an inference. */
struct fleet_operators {
	struct fleet_operator row[FLEET_OPERATORS];
	uint32_t n;
	uint64_t n_others, others_ns;
	struct {
		uint32_t provider;
		uint64_t n;
	} by[FLEET_PROVIDERS]; /* those of each provider; more providers than these are not told apart */
};

/*
 * Sums of inferences whose end has not come, by their numbers: as many in a row as there is room for. An agent tells
 * the operators of a whole look before it tells of their inferences.
 */
struct fleet_open_run {
	uint64_t key; /* the number + 1; 0: free */
	struct fleet_operators sums;
};

struct fleet_open_runs {
	uint32_t n, n_used; /* n: a power of 2, at most FLEET_OPEN */
	struct fleet_open_run run[];
};

/* An operator that has begun on a thread. */
struct fleet_open_operator {
	uint64_t begin_ns, number; /* number: of its inference */
	uint32_t type, provider;   /* type 0: it is none */
};

struct fleet_slice {
	uint64_t begin_ns, inner_ns; /* inner_ns: of phases inside */
	uint8_t kind, phase;	     /* phase: in a creation; 0: none, or another one */
};

struct fleet_track {
	uint32_t process, parent, name; /* process: its track */
	uint8_t type, counter;		/* counter: enum fleet_counter */
	bool is_known;
	struct fleet_process *of; /* of a process */
	uint32_t depth, run_depth;
	struct fleet_slice *slice;
	/* of the open inference or creation */
	int64_t session;
	struct series *series;
	bool is_first;
	int32_t tid;
	uint64_t number;
	uint32_t tag, shapes;
	struct fleet_open_operator *open; /* of a thread: FLEET_DEPTH of them; NULL: there never was one */
	uint32_t n_open;
	uint64_t *phase_ns; /* of the creation that is open: N_SERIES_PHASES of them; NULL: there never was one */
	/* of a counter of a device: its newest value, and what it has added to the interval at hand */
	struct fleet_device device;
	uint64_t value_ns;
	double value, busy_s, grown; /* grown: of the machine (fleet_energy.c) */
};

struct fleet {
	struct sink sink;
	struct fleet_opts opts;
	struct series_table series;
	struct array tracks;
	struct generations *generations;
	uint32_t last_process, n_open_places; /* of all processes: at most FLEET_ALL_OPEN and a FLEET_FIRST_OPEN each */
	struct fleet_process *process[FLEET_PROCESSES];
	uint32_t n_processes;
	struct fleet_service *service[FLEET_SERVICES];
	uint32_t n_services;
	struct tail tail, now_tail;
	struct fleet_own own, rolled, last; /* of all time, as of the last roll; of the last interval */
	struct fleet_recording recording;
	bool is_new_recording;
	struct fleet_interval interval;
	int64_t to_realtime_ns; /* realtime - monotonic, as of the last roll, which was at: */
	uint64_t rolled_ns;
	bool is_out_of_memory;
	uint32_t ok;
	struct {
		uint32_t process, runtime, session, created, released, sampled_out, paced;
	} topic;
};

static inline struct fleet_track *fleet_track_at(const struct fleet *fleet, uint32_t track)
{
	return track < fleet->tracks.n ? (struct fleet_track *)fleet->tracks.data + track : NULL;
}

/* fleet_programs.c. The process of any track; NULL: it is not known. */
struct fleet_process *fleet_process_of(const struct fleet *fleet, const struct fleet_track *track);
void fleet_process_define(struct fleet *fleet, struct fleet_track *track, const struct event *event);
void fleet_process_end(struct fleet *fleet, struct fleet_track *track);
/* The session that an inference or a creation is of; NULL: no room. */
struct fleet_session *fleet_session_of(struct fleet *fleet, struct fleet_process *process, int64_t number,
				       uint32_t model);
/* Its series, as what is known of it now says; NULL: out of memory. */
struct series *fleet_series_of(struct fleet *fleet, struct fleet_process *process, struct fleet_session *session);
void fleet_take_note(struct fleet *fleet, const struct fleet_track *track, const struct event *event);
void fleet_take_counter(struct fleet *fleet, struct fleet_track *track, const struct event *event);
void fleet_programs_roll(struct fleet *fleet);
void fleet_programs_done(struct fleet *fleet);

/* fleet_operators.c. A slice that is complete; the begin and end of one on the line of a thread. */
void fleet_operators_add(struct fleet *fleet, const struct event *event, uint64_t end_ns);
void fleet_operators_begin(struct fleet_track *thread, const struct event *event);
void fleet_operators_end(struct fleet *fleet, struct fleet_track *thread, const struct event *event);
/* What waits of a process is forgotten. */
static inline void fleet_operators_forget(struct fleet *fleet, struct fleet_process *process)
{
	fleet->n_open_places -= process->open ? process->open->n : 0;
	free(process->open);
	process->open = NULL;
}
/* Those of an inference that has ended. */
void fleet_operators_take(const struct fleet *fleet, struct fleet_process *process, struct tail_run *run,
			  struct series *series);

/* fleet_generations.c. False: out of memory. */
bool fleet_generations_init(struct fleet *fleet);
/* An inference that has ended well. */
void fleet_generations_run(struct fleet *fleet, const struct fleet_track *track, const struct series *series,
			   const struct event *end, uint64_t begin_ns);
/* A slice of KIND_TOKENS. */
void fleet_generations_call(struct fleet *fleet, const struct event *event, uint64_t end_ns);
/* Before fleet_roll rolls the series. */
void fleet_generations_roll(struct fleet *fleet, uint64_t now_ns);

/* fleet_kernels.c. An inference begins; and a slice of KIND_KERNEL. */
void fleet_kernels_run(struct fleet_process *process, uint64_t number, const struct series *series);
void fleet_kernel_add(struct fleet *fleet, const struct event *event, uint64_t end_ns);

/* fleet_devices.c. What the counter of this name is, and of which device. */
enum fleet_counter fleet_device_counter(const char *name, const char *unit, struct fleet_device *device);
void fleet_device_take(struct fleet_track *track, const struct event *event);
void fleet_devices_roll(struct fleet *fleet);

/* fleet_energy.c. What the counter of the machine is, and of which meter. */
enum fleet_counter fleet_machine_counter(const char *name, const char *unit, struct fleet_device *device);
void fleet_energy_take(const struct fleet *fleet, struct fleet_track *track, const struct event *event);
/* After fleet_programs_roll. */
void fleet_energy_roll(struct fleet *fleet);

/* fleet_unseen.c. One that was seen; and so many that were not, of all sessions or those of a series (NULL: of one
 * without). */
void fleet_unseen_note(struct fleet *fleet, struct fleet_process *process, const struct tail_run *run,
		       struct series *series);
void fleet_unseen_take(struct fleet *fleet, struct fleet_process *process, uint64_t count);
void fleet_unseen_take_series(struct fleet *fleet, struct fleet_process *process, const struct series *series,
			      uint64_t count);
void fleet_unseen_roll(struct fleet_process *process);
void fleet_unseen_done(struct fleet_process *process);

/* fleet_runs.c */
static inline void fleet_usage_add(struct series_sums *sums, const struct tail_run *run)
{
	int64_t blocked = (int64_t)run->ns - run->cpu_ns - (run->queued_ns > 0 ? run->queued_ns : 0);

	if (run->cpu_ns < 0)
		return;
	sums->cpu_ns += (uint64_t)run->cpu_ns;
	sums->queued_ns += run->queued_ns > 0 ? (uint64_t)run->queued_ns : 0;
	sums->blocked_ns += blocked > 0 ? (uint64_t)blocked : 0;
}
void fleet_run_begin(struct fleet *fleet, struct fleet_track *track, const struct event *event);
void fleet_run_end(struct fleet *fleet, struct fleet_track *track, const struct event *event, uint64_t begin_ns);
void fleet_creation_begin(struct fleet_track *track, const struct event *event);
/* A slice in a creation begins: which phase it is; and ends. */
uint8_t fleet_phase_of(const struct fleet *fleet, const struct event *event);
void fleet_phase_end(struct fleet_track *track, const struct fleet_slice *slice, uint64_t end_ns);
void fleet_creation_end(struct fleet *fleet, struct fleet_track *track, const struct event *event,
			const struct fleet_slice *slice);

#endif
