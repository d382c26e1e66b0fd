// SPDX-License-Identifier: Apache-2.0
/*
 * Records of probes: the target chooses names and addresses. The input is the content of the kernel's ring: each record
 * with the 8 bytes before it, as in uprobe_ring.h.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/probe/uprobe_process.h"
#include "capture/probe/uprobe_ring.h"
#include "check_sink.h"
#include "fuzz.h"

enum { RING_BYTES = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(8) uint8_t mapped[2 * RING_BYTES];
	uint64_t producer = size < RING_BYTES ? size & ~7ull : RING_BYTES, consumer = 0;
	struct uprobe_ring ring = { &producer, &consumer, mapped, RING_BYTES - 1, 0, 0, false };
	struct uprobe_step step = { .now_ns = 1000 };
	struct uprobe_process *process;
	struct check_sink check;
	struct err err;
	int code = 0;

	memcpy(mapped, data, producer);
	memcpy(mapped + RING_BYTES, data, producer);
	check_sink_init(&check);
	check.is_lenient = true;
	process = uprobe_process_new(7, 0, "/work", check.sink.names, &err);
	if (!process)
		abort();
	recorded_track(process->recorded, &check.sink);
	step.out = &check.sink;
	step.err = &err;
	uprobe_ring_look(&ring);
	while (!code && (step.hit = uprobe_ring_next(&ring, &step.size))) {
		step.is_old_string = step.size & 8;
		code = uprobe_process_take(process, &step);
	}
	if (code || lanes_put(&process->recorded->lanes, &process->recorded->sessions, &check.sink, UINT64_MAX, &err))
		abort();
	uprobe_process_free(process);
	check_sink_done(&check);
	return 0;
}
