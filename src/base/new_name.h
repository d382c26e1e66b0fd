/* SPDX-License-Identifier: Apache-2.0 */
/* Moves a file to a name that no other file has. Replaces nothing, on no file system. */
#ifndef BASE_NEW_NAME_H
#define BASE_NEW_NAME_H

/* name: in the folder, of which the descriptor is given, or AT_FDCWD. 0, or -1 and errno: EEXIST, path is there. */
int new_name_give(int folder, const char *name, const char *path);

#endif
