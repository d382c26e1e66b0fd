/* SPDX-License-Identifier: Apache-2.0 */
/* The database of a spool, for spool*.c only: spool_file.c opens files, spool.c has batches. */
#ifndef FLEET_SPOOL_SPOOL_IN_H
#define FLEET_SPOOL_SPOOL_IN_H

#include <sqlite3.h>

#include "fleet/spool/spool.h"

enum { SPOOL_PAGE = 4096, SPOOL_WAL_PAGES = 64, SPOOL_PART = 8 }; /* part: of the bound, the largest batch is at most */

/* In memory. NULL: out of memory. */
sqlite3 *spool_file_none(uint64_t most_bytes);
/* The file. NULL and remark: it cannot be used. remark may also say that what was there was set aside. */
sqlite3 *spool_file_open(const char *path, uint64_t most_bytes, char remark[SPOOL_REMARK]);

#endif
