/* SPDX-License-Identifier: Apache-2.0 */
/* What the host did for the kernels of a device. */
#ifndef SHOW_WORDS_KERNEL_WORDS_H
#define SHOW_WORDS_KERNEL_WORDS_H

#include "analyze/summary/summary.h"

/*
 * How long operators of this type ran on the host, in the whole recording, as their kernels are counted. They launch
 * kernels, and may wait for them: it is not their latency. 0: there are none.
 */
uint64_t kernel_host_ns(const struct summary *summary, uint32_t op_type);

#endif
