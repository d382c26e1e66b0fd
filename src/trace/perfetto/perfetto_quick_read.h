/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the frequent packets of a recording, which have the form that perfetto_quick.h writes, faster than field by
 * field. For perfetto_read.c, which reads every other packet.
 */
#ifndef TRACE_PERFETTO_PERFETTO_QUICK_READ_H
#define TRACE_PERFETTO_PERFETTO_QUICK_READ_H

#include "trace/perfetto/perfetto_event.h"

/*
 * Reads such packets up to the first of another form, where in->at is left. The state must be in order. 0, or not 0
 * and reader->err.
 */
int perfetto_quick_read(struct reader *reader, struct pb_in *in);

#endif
