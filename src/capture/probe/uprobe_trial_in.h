/* SPDX-License-Identifier: Apache-2.0 */
/* For uprobe_trial.c: the function that comes by the probes, which differs by processor. */
#ifndef CAPTURE_PROBE_UPROBE_TRIAL_IN_H
#define CAPTURE_PROBE_UPROBE_TRIAL_IN_H

enum { UPROBE_TRIAL_SITES = 4 };

/* What it looks at, for people. */
#if defined(__x86_64__)
#define UPROBE_TRIAL_KEPT "the stack red zone"
#else
#define UPROBE_TRIAL_KEPT "registers"
#endif

/* How many of the words that it keeps have changed at the probes. */
int uprobe_trial_function(void);
/* The instructions that get one: of each kind that sites have. */
extern const void *const uprobe_trial_sites[UPROBE_TRIAL_SITES];

#endif
