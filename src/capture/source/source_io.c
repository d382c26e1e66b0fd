// SPDX-License-Identifier: Apache-2.0
/*
 * Bytes that each process reads from disks, per second: "disk reads", of all its threads, page faults included. Reads
 * that the page cache serves are none.
 */
#include <errno.h>

#include "capture/source/counter.h"
#include "capture/source/follow.h"

#define SPAN_NS UINT64_C(8000000)

struct io_item {
	struct followed followed;
	struct held reads;
	struct proc_file io;
	bool has_base;
	uint64_t base_ns, base;
};

static bool is_io(const char *text, size_t len)
{
	uint64_t bytes;

	return proc_field(text, len, "read_bytes", &bytes);
}

static int check(const struct target *target, struct err *err)
{
	return sample_check(target, "io", is_io, err);
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct io_item *item = data_item;
	uint64_t bytes, time_ns, span_ns, more;
	char text[512];
	ssize_t got = sample_read(sample, &item->io, "io", text, sizeof text);

	time_ns = sample_clock_ns(sample->target, sample->now_ns);
	if (got >= 0 && !proc_field(text, (size_t)got, "read_bytes", &bytes))
		got = -EPROTO;
	/* the kernel asks for rights at each read, and attaching gives them up once its probes are in */
	if ((got == -EACCES || got == -EPERM) && !sample->target->pid)
		return 0;
	if (got < 0)
		return sample_unreadable(sample, &item->followed, 0, "io", got);
	if (!item->has_base) {
		item->has_base = true;
		item->base_ns = sample_since_ns(sample->process, time_ns);
		item->base = item->base_ns < time_ns ? 0 : bytes;
	}
	span_ns = time_ns > item->base_ns ? time_ns - item->base_ns : 0;
	if (span_ns < SPAN_NS)
		return 0;
	more = bytes > item->base ? bytes - item->base : 0;
	item->base += more;
	item->base_ns = time_ns;
	return held_put(&item->reads,
			&(struct counter_value){ "disk reads", "bytes/s", sample->process->track, time_ns,
						 (double)more * 1e9 / (double)span_ns },
			sample->target->is_ending, sample->out, sample->err);
}

static void close_item(void *data_item)
{
	proc_file_close(&((struct io_item *)data_item)->io);
}

static const struct follow_kind io_kind = { sizeof(struct io_item), sample_process, close_item, .is_fine = true };

static int start(void *state, const struct target *target, struct sink *out, struct err *err)
{
	*(struct sampler *)state = (struct sampler){ .kind = &io_kind, .fine.target = target };
	return 0;
}

const struct source source_io = {
	.name = "io",
	.help = "bytes that each process reads from disks",
	.state_size = sizeof(struct sampler),
	.check = check,
	.start = start,
	.due_ms = sampler_due_ms,
	.drain = sampler_drain,
	.stop = sampler_stop,
};
