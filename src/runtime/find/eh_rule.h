/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a function's caller follows from it, by the same .eh_frame that unwinders read: where the frame begins, and where
 * the address to return to and the frame pointer are kept. Nothing else of a caller is found. Any thread.
 */
#ifndef RUNTIME_EH_RULE_H
#define RUNTIME_EH_RULE_H

#include "runtime/find/eh_frame.h"

struct eh_rule {
	bool is_end;		  /* it has no caller */
	bool is_by_frame_pointer; /* the frame begins at the frame pointer plus cfa, else at the stack pointer plus that
				   */
	bool has_frame_pointer;	  /* of the caller: kept in memory; else it still is the same */
	int32_t cfa, return_at, frame_pointer_at; /* the latter two from where the frame begins */
};

/* At a call that returns to `address`. False: not known. */
bool eh_rule_find(const struct eh_frame *frames, uint64_t address, struct eh_rule *rule);

#endif
