/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a summary in the making (part/summary_request.h). What can fail returns 0 or -ENOMEM. */
#ifndef ANALYZE_SUMMARY_SUM_REQUESTS_H
#define ANALYZE_SUMMARY_SUM_REQUESTS_H

#include "analyze/summary/sum_in.h"

int sum_requests_sample(struct summary_maker *maker, uint32_t process, uint64_t end_ns,
			const struct event_sample *sample);
/* A slice is over: an inference, or one of the program's own. */
int sum_requests_slice(struct summary_maker *maker, struct track *track, const struct slice *slice, uint64_t end_ns);
int sum_requests_make(struct summary_maker *maker, struct end *end);
void sum_requests_done(struct summary_maker *maker);

#endif
