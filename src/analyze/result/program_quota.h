/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU quota of the cgroups that a recorded process is in: of its own and of those above. The one that counts is the
 * one that was out of quota longest, or, where none was, the one with the least quota.
 */
#ifndef ANALYZE_RESULT_PROGRAM_QUOTA_H
#define ANALYZE_RESULT_PROGRAM_QUOTA_H

#include "analyze/summary/summary.h"

struct program_quota {
	double least;		   /* CPUs that all of them allow; NAN: no quota, and nothing else is known */
	double cpus, before;	   /* of the one that counts: in the end, and the most that it was; NAN: not known */
	const char *path;	   /* of the one that counts, borrowed from the summary; NULL: not known */
	double periods, throttled; /* periods of the quota, and those in which it was used up; NAN: not known */
	double throttled_ns;	   /* summed over CPUs */
};

struct program_quota program_quota_of(const struct summary *summary, uint32_t process);
/* Of the process that was out of quota longest. */
struct program_quota program_quota_of_all(const struct summary *summary);
/*
 * Is it used up in five periods, and in a tenth of all, or more, for a tenth of the time with inferences and a quarter
 * of what they waited for a CPU?
 */
bool program_quota_is_short(const struct program_quota *quota, const struct summary_time *time);

#endif
