// SPDX-License-Identifier: Apache-2.0
/*
 * Runtimes of each process whose inferences are not recorded, by the names of the files that it has mapped. They are
 * read soon after the process is seen, then whenever its age has doubled, and at the end: a process that ends within a
 * moment after it loaded a runtime may be missed here, and is noted by its agent.
 */
#include <errno.h>
#include <string.h>

#include "capture/proc/modules.h"
#include "capture/proc/other_modules.h"
#include "capture/source/follow.h"
#include "capture/source/other_note.h"

enum { MOST = 8 };

struct other_item {
	struct followed followed;
	uint64_t looked_ns;
	const char *title[MOST]; /* noted already */
};

static bool is_due(const struct sample *sample, const struct other_item *item)
{
	uint64_t seen_ns = item->followed.seen_ns;

	return !item->looked_ns || sample->target->is_ending ||
	       sample->now_ns - seen_ns >= 2 * (item->looked_ns - seen_ns);
}

static bool is_new(struct other_item *item, const char *title)
{
	int i = 0;

	while (i < MOST && item->title[i] && item->title[i] != title)
		i++;
	if (i == MOST || item->title[i])
		return false;
	item->title[i] = title;
	return true;
}

/* What cannot be read is another user's, or gone: nothing is said of it then. */
static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	const struct tree_process *process = sample->process;
	struct other_item *item = data_item;
	struct modules modules = { 0 };
	int code = 0;

	if (process->is_over || !is_due(sample, item))
		return 0;
	item->looked_ns = sample->now_ns;
	if (!modules_read(&modules, sample->target->sysroot, process->pid, NULL))
		for (size_t i = 0; !code && i < modules.n; i++) {
			const char *path = modules.module[i].path, *title = other_modules_at(&modules, i);

			if (title && is_new(item, title))
				code = other_note(
				    sample->target,
				    &(struct other_file){ process->pid, process->track, path, sample->now_ns },
				    sample->out, sample->err);
		}
	modules_done(&modules);
	return code;
}

static const struct follow_kind other_kind = { sizeof(struct other_item), sample_process, NULL };

static int start(void *state, const struct target *target, struct sink *out, struct err *err)
{
	*(struct sampler *)state = (struct sampler){ .kind = &other_kind, .fine.target = target };
	return 0;
}

static bool is_maps(const char *text, size_t len)
{
	return len > 0;
}

static int check(const struct target *target, struct err *err)
{
	return sample_check(target, "maps", is_maps, err);
}

const struct source source_other = {
	.name = "other runtimes",
	.help = "runtimes of each process that are not recorded",
	.state_size = sizeof(struct sampler),
	.check = check,
	.start = start,
	.due_ms = sampler_due_ms,
	.drain = sampler_drain,
	.stop = sampler_stop,
};
