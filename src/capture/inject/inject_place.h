/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of the process that nobody uses, for the code and its state; or those that an earlier injector left there. */
#ifndef CAPTURE_INJECT_INJECT_PLACE_H
#define CAPTURE_INJECT_INJECT_PLACE_H

#include "capture/inject/inject_target.h"

/*
 * Fills in inject->at, is_new and head.state; the rest of the head is filled in already. 0, or -ENOSPC and err. Nothing
 * is written.
 */
int inject_place_find(struct inject *inject, struct inject_target *target, struct err *err);
/* Whether a head of ours lies at this address; it may be of another version. */
bool inject_place_has_head(const struct inject *inject, uint64_t at, struct ferry_head *head);

#endif
