/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU quota of the cgroup that the recorded processes are in. */
#ifndef SHOW_WORDS_QUOTA_WORDS_H
#define SHOW_WORDS_QUOTA_WORDS_H

#include "analyze/result/model/model_result.h"
#include "base/text/printable.h"

/* "0.5 CPUs for /pod; throttled in 87 of 97 periods, for 3.9 s"; "" without a quota. Of several: the one throttled
 * most. */
struct printable quota_words(const struct summary *summary, bool is_ascii);
/* The same as a sentence without its full stop: "Its cgroup may use 0.5 CPUs and was throttled in ..." */
struct printable quota_sentence(const struct summary *summary);
/* "2 CPUs"; "0.5 of 2 CPUs, by the quota of its cgroup"; "1 of 2 CPUs, by its affinity" */
struct printable quota_machine(const struct model_machine *machine);
/* Is it used up in a tenth of its periods, or more? */
bool quota_is_short(const struct summary *summary);

#endif
