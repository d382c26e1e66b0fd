// SPDX-License-Identifier: Apache-2.0
/*
 * Time in which a process could not run, whatever it wanted: "stopped" by a signal, "traced" (held by a debugger), its
 * cgroup "frozen". Percent of the time since the last sample: the state at a sample stands for all of it, so that the
 * begin and the end of a stop are off by less than a sample, and a short one may be missed.
 */
#include <errno.h>

#include "base/clock.h"
#include "capture/proc/freezer.h"
#include "capture/source/fine.h"
#include "capture/source/held.h"

enum { STOPPED, TRACED, FROZEN, N_STOPS };

static const char *const names[N_STOPS] = { [STOPPED] = "stopped", [TRACED] = "traced", [FROZEN] = "frozen" };

struct stop_item {
	struct followed followed;
	struct held held[N_STOPS];
};

struct stop_state {
	struct fine fine;
	struct follow follow;
};

static bool is_stat(const char *text, size_t len)
{
	struct proc_stat stat;

	return proc_stat_parse(text, len, &stat);
}

static int check(const struct target *target, struct err *err)
{
	return sample_check(target, "stat", is_stat, err);
}

static int start(void *data, const struct target *target, struct sink *out, struct err *err)
{
	((struct stop_state *)data)->fine.target = target;
	return 0;
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	struct stop_item *item = data_item;
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns);
	bool is[N_STOPS] = { false };
	struct proc_stat stat;
	char text[1024];
	ssize_t got = proc_read(sample->target->sysroot, sample->process->pid, "stat", text, sizeof text);
	int result = 0;

	if (got >= 0 && !proc_stat_parse(text, (size_t)got, &stat))
		got = -EPROTO;
	if (got < 0)
		return sample_unreadable(sample, &item->followed, 0, "stat", got);
	is[STOPPED] = stat.state == 'T';
	is[TRACED] = stat.state == 't';
	is[FROZEN] = freezer_is_frozen(sample->target->sysroot, sample->process->pid);
	for (int i = 0; !result && i < N_STOPS; i++)
		result = held_put_any(
		    &item->held[i],
		    &(struct counter_value){ names[i], "%", sample->process->track, time_ns, is[i] ? 100 : 0 },
		    sample->target->is_ending, sample->out, sample->err);
	return result;
}

static const struct follow_kind stop_kind = { sizeof(struct stop_item), sample_process, NULL };

static int due_ms(const void *data)
{
	const struct stop_state *state = data;

	return sample_due_ms(follow_due_ns(&state->follow, &stop_kind, state->fine.target->tree));
}

static int drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct stop_state *state = data;
	uint64_t began_ns = clock_ns();
	struct sample sample = { fine_begin(&state->fine), NULL, out, now_ns, err };
	int result = follow_drain(&state->follow, &stop_kind, state, &sample);

	fine_end(&state->fine, began_ns);
	return result;
}

static void stop(void *data)
{
	follow_done(&((struct stop_state *)data)->follow, &stop_kind);
}

const struct source source_stop = {
	.name = "stops",
	.help = "time in which each process was stopped, traced or frozen",
	.state_size = sizeof(struct stop_state),
	.check = check,
	.start = start,
	.due_ms = due_ms,
	.drain = drain,
	.stop = stop,
};
