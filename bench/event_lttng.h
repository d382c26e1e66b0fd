/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracepoint of event_lttng.c, in the form that LTTng-UST requires: its own headers include this file several
 * times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER inftrace_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "event_lttng.h"

#if !defined(BENCH_EVENT_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_EVENT_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(inftrace_bench, event, LTTNG_UST_TP_ARGS(uint64_t, value, uint64_t, id),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, value, value)
						   lttng_ust_field_integer(uint64_t, id, id)))

#endif

#include <lttng/tracepoint-event.h>
