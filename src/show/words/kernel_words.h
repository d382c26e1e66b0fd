/* SPDX-License-Identifier: Apache-2.0 */
/* What the host did for the kernels of a device. */
#ifndef SHOW_WORDS_KERNEL_WORDS_H
#define SHOW_WORDS_KERNEL_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"
#include "base/text/table.h"

/*
 * How long operators of this type ran on the host, in the whole recording, as their kernels are counted. They launch
 * kernels, and may wait for them: it is not their latency. 0: there are none.
 */
uint64_t kernel_host_ns(const struct summary *summary, uint32_t op_type);
/*
 * "busy 62 % of the time, idle 28 % between kernels, ...; 64.0 KiB to it and 4.00 KiB from it each": the device in
 * inferences of the model. "": none has kernels.
 */
struct printable kernel_device_words(const struct summary_runs *runs);

/* How good the times of kernels are; "": not known. */
struct printable kernel_clock_words(const struct summary *summary);

/* The cells of a line of kernels, in the order of both tables. name: how the format shows it. */
void kernel_stream_row(struct table *table, const struct summary *summary, const struct summary_stream *stream,
		       const char *name);

#endif
