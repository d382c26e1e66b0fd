/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder in which agents make their segments. It is read only after something in it has changed, which one system
 * call tells. One thread.
 */
#ifndef CAPTURE_DECODE_SEGMENT_FOLDER_H
#define CAPTURE_DECODE_SEGMENT_FOLDER_H

#include <stdint.h>
#include <time.h>

struct segment_folder {
	const char *path;	 /* borrowed; zero the rest */
	struct timespec changed; /* the folder's time of change at the last look */
	uint64_t noticed_ns;	 /* when that time was seen first, */
	uint64_t read_ns;	 /* and when the folder was last read: on CLOCK_MONOTONIC */
};

/* Called with each path of a segment, those of earlier looks included. 0, or a code that ends the look. */
typedef int (*segment_found)(void *ctx, const char *path);

/*
 * Calls found for every segment in the folder, if there may be a new one. Makes the folder when it is gone: logind
 * removes what a user has in /dev/shm when the user logs out (RemoveIPC). 0, or found's code.
 */
int segment_folder_look(struct segment_folder *folder, segment_found found, void *ctx);

#endif
