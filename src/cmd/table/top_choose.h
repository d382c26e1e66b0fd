/* SPDX-License-Identifier: Apache-2.0 */
/* Which programs `inftrace top` attaches to. Attaches to none. */
#ifndef CMD_TOP_CHOOSE_H
#define CMD_TOP_CHOOSE_H

#include "capture/recorder/attach/attach.h"

enum { TOP_CHOOSE_WHAT = 200, TOP_CHOOSE_REMARKS = 800 };

struct top_choice {
	char what[TOP_CHOOSE_WHAT];	 /* in words */
	char remark[TOP_CHOOSE_REMARKS]; /* programs that are left out, and why; "": none is */
	char unread[TOP_CHOOSE_REMARKS]; /* processes that could not be looked into, and why; "": there are none */
};

/*
 * Adds to job->attached: the processes of n words that are PIDs; else those that fit job->wish; else all that have a
 * runtime loaded. Those to come are waited for, unless PIDs are given or the agent is injected. 0, opt_misused's code
 * or -errno, and err.
 */
int top_choose(struct recorder_attach_opts *job, int n, char **words, struct top_choice *choice, struct err *err);

#endif
