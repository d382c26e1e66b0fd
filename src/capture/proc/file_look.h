/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs probe_sites_find on an untrusted file: in a child without rights, with limits on its memory and time. Whatever
 * the file does to that child becomes an error message.
 */
#ifndef CAPTURE_PROC_FILE_LOOK_H
#define CAPTURE_PROC_FILE_LOOK_H

#include "runtime/find/image_file.h"
#include "runtime/probe_sites.h"

/*
 * The sites of the file in fd. name: for messages. host: as in probe_sites_find. 0, or -errno and err as from
 * probe_sites_find; EIO: the child crashed on the file, ETIME: it timed out. Call probe_sites_done after a failure,
 * too. Waits for the child: a tenth of a second for a runtime, ten seconds where it computes so long, up to two minutes
 * where it gets little of a CPU.
 */
int file_look_sites(struct probe_sites *sites, int fd, const char *name, const struct probe_sites *host,
		    struct err *err);

/*
 * The same with another function: `look` runs in the child and writes size bytes to result, which the caller checks
 * like any input. Returns the same errors, and its own.
 */
typedef int file_look_fn(const struct image_file *file, void *result, struct err *err);
int file_look_at(file_look_fn *look, void *result, size_t size, int fd, const char *name, struct err *err);

#endif
