/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who called sudo: files that it makes for a user belong to that user, or no program of his could read them. Does
 * nothing for anybody but root, and for root without sudo.
 */
#ifndef BASE_INVOKER_H
#define BASE_INVOKER_H

/* Gives a new file or folder, which is open, to the one who called sudo. It stays root's where that fails. */
void invoker_give(int fd);
/* The same of a new folder. */
void invoker_give_folder(const char *path);

#endif
