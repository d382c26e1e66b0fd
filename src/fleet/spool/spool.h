/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches that wait until they are sent, in a file that outlives whoever waits, or in memory: a database of SQLite with
 * a hard bound on its size. Where there is no room the oldest go. A batch has a lane, within which batches keep their
 * order, and says how many were dropped before it in that lane. Sends nothing. One thread, one process a file.
 */
#ifndef FLEET_SPOOL_SPOOL_H
#define FLEET_SPOOL_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool;

enum { SPOOL_RUN = 17, SPOOL_LANES = 3, SPOOL_LEAST_BYTES = 1 << 20, SPOOL_REMARK = 300 };

struct spool_batch {
	int lane;
	uint64_t number, n_dropped_before;
	const void *body;
	size_t size;
};

/* Batches of one run that are sent together, and always together once spool_oldest has returned them. */
struct spool_group {
	int lane;
	char run[SPOOL_RUN]; /* of the watcher that made them; its numbers begin at 1 */
	uint64_t first, last, n, n_dropped_before;
	void *body; /* one behind the other; of spool_group_done */
	size_t size;
	int64_t last_id;
};

/*
 * path NULL: in memory. Also where the file cannot be used: remark says why, or that a damaged one was set aside. "":
 * nothing to remark. NULL: out of memory. After this, no file is opened any more.
 */
struct spool *spool_open(const char *path, uint64_t most_bytes, char remark[SPOOL_REMARK]);
void spool_add(struct spool *spool, const struct spool_batch *batch);
/* The oldest ones of a lane, at most so many. false: none waits. */
bool spool_oldest(struct spool *spool, int lane, uint64_t most, struct spool_group *group);
/* They have arrived, or, is_dropped, never will. False: they are still there. */
bool spool_remove(struct spool *spool, const struct spool_group *group, bool is_dropped);
void spool_group_done(struct spool_group *group);

bool spool_is_file(const struct spool *spool);
bool spool_has(const struct spool *spool, int lane);
uint64_t spool_n_waiting(const struct spool *spool);
/* Since spool_open. */
uint64_t spool_n_dropped(const struct spool *spool);
uint64_t spool_n_dropped_of(const struct spool *spool, int lane);
uint64_t spool_bytes(const struct spool *spool); /* of those that wait */
/* What has become of the file since the last call: "" nothing. */
void spool_take_remark(struct spool *spool, char remark[SPOOL_REMARK]);
void spool_close(struct spool *spool); /* NULL-safe */

#endif
