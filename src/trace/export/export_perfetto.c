// SPDX-License-Identifier: Apache-2.0
/* A Perfetto trace, the format of recordings, written by perfetto_write.c. Keeps the input's times. */
#include "trace/export/exporter.h"
#include "trace/perfetto/perfetto_write.h"

/* The sink is the writer's first member. */
static struct perfetto_writer *writer_of(struct sink *sink)
{
	return (struct perfetto_writer *)sink;
}

static struct sink *open(int fd, struct names *names, uint32_t *last_track, struct err *err)
{
	static const struct perfetto_write_opts opts = { .is_import = true };
	struct perfetto_writer *writer = perfetto_write_new(fd, names, last_track, &opts, err);

	return writer ? perfetto_write_sink(writer) : NULL;
}

static int close(struct sink *sink, struct export_losses *losses, struct err *err)
{
	return perfetto_write_free(writer_of(sink), err);
}

const struct exporter export_perfetto = {
	.name = "perfetto",
	.suffix = ".pftrace",
	.help = "Perfetto trace, the format of recordings",
	.open = open,
	.close = close,
};
