/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_sites_find on a file that may belong to anybody: in a child without rights, with bounds on its memory and time.
 * Whatever the file does to that child is an error message here.
 */
#ifndef CAPTURE_PROC_FILE_LOOK_H
#define CAPTURE_PROC_FILE_LOOK_H

#include "runtime/image_file.h"
#include "runtime/probe_sites.h"

/*
 * The sites of the file in fd. name: for messages. host: as of probe_sites_find. 0, or -errno and err, as of
 * probe_sites_find; EIO when the child died of the file, ETIME when it did not come to an end. probe_sites_done also
 * after a failure. Waits for the child (a tenth of a second for a runtime, at most ten seconds).
 */
int file_look_sites(struct probe_sites *sites, int fd, const char *name, const struct probe_sites *host,
		    struct err *err);

/*
 * The same for another question: what `look` finds, size bytes at result, which the caller checks like any input. look
 * runs in the child. The same errors, and its own.
 */
typedef int file_look_fn(const struct image_file *file, void *result, struct err *err);
int file_look_at(file_look_fn *look, void *result, size_t size, int fd, const char *name, struct err *err);

#endif
