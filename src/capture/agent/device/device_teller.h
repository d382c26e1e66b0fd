/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device's library told, as records of event/device_record.h in the ring of the thread that reads it. Times are
 * the library's; each has a clock and counts of its own. All calls under `lock`, which the caller takes.
 */
#ifndef CAPTURE_AGENT_DEVICE_DEVICE_TELLER_H
#define CAPTURE_AGENT_DEVICE_DEVICE_TELLER_H

#include "capture/agent/agent.h"
#include "capture/agent/device/device_clock.h"
#include "event/device_record.h"

enum { DEVICE_TEXTS = 4096 };

/* Texts of the segment, by content: the memory of a library that was unloaded gets other names. */
struct device_texts {
	uint32_t generation;
	struct {
		uint64_t hash;
		uint32_t text;
	} known[DEVICE_TEXTS];
};

/* 0: name is NULL or "", or there is no room. */
uint32_t device_text(struct device_texts *texts, const char *name);
void device_put(struct thread *thread, const struct record *record);

struct device_teller {
	struct lock lock;
	enum device_library library;
	struct device_clock clock;
	uint64_t n_dropped;
	uint32_t n_strange, n_timeless;
	struct device_texts texts;
};

struct told_work {
	uint64_t begin, end;	      /* 0: not known */
	uint64_t bytes, graph;	      /* of copies and sets */
	uint32_t grid[3], block[3];   /* blocks; threads of each */
	uint32_t registers, shared;   /* of a thread; of a block */
	uint32_t device, stream, run; /* run: correlation */
	uint32_t context;	      /* 24 bits of it */
	uint64_t node;		      /* of the graph; 0: none */
	const char *name;	      /* a kernel's; NULL: lost */
	uint8_t kind, direction;      /* enum device_work_kind, device_direction */
};

struct told_call {
	uint64_t begin, end;
	const char *name; /* one that stays */
	uint32_t thread, run;
	uint8_t group; /* enum device_call_kind */
	bool has_failed;
};

void device_teller_start(struct device_teller *teller, enum device_library library, enum device_clock_kind kind,
			 bool (*read)(uint64_t *theirs));
void device_teller_work(struct device_teller *teller, struct thread *thread, const struct told_work *work);
void device_teller_call(struct device_teller *teller, struct thread *thread, const struct told_call *call);
void device_teller_overhead(struct device_teller *teller, struct thread *thread, const struct told_call *overhead);
/* What was complete at this time is told: counts, and how good times are. */
void device_teller_state(struct device_teller *teller, enum device_state state, uint64_t time);
/* A call's group by how its name begins, the first of the rows that fits; a row without a name ends them. */
struct call_name {
	const char *begin;
	uint8_t group; /* enum device_call_kind; 0: of no interest */
};
uint8_t device_teller_group(const struct call_name *names, const char *name);

#endif
