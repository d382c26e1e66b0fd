/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether probes of this kernel leave alone what a function keeps: in registers, and on x86-64 below its stack pointer,
 * where the System V ABI lets it keep 128 bytes ("red zone") and kernel 6.18 writes at a five-byte nop. Tried on a
 * child of ours before anybody else gets a probe. One thread.
 */
#ifndef CAPTURE_PROBE_UPROBE_TRIAL_H
#define CAPTURE_PROBE_UPROBE_TRIAL_H

#include "capture/probe/uprobe_load.h"

/*
 * Probes of this kind, as they stand in the middle of runtimes' functions, with programs that do nothing. 0: they do no
 * harm; -EFAULT and err: they do, or the child died of them; other -errno and err: it could not be tried.
 */
int uprobe_trial(enum uprobe_link_type type, const struct uprobe_programs *programs, struct err *err);

/*
 * What such a probe on the entry and the return of a function takes, with programs that do nothing: nanoseconds, of a
 * child of ours. 0: it could not be measured.
 */
double uprobe_trial_price(enum uprobe_link_type type, const struct uprobe_programs *programs);

/* Where this code of ours lies in our own file; 0: not found. */
uint64_t uprobe_own_offset(const void *code);

#endif
