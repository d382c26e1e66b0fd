// SPDX-License-Identifier: Apache-2.0
/* Keeps items in step with the tree by merging: processes that stay keep their order, new ones come last. */
#include "capture/source/follow.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define MS_NS UINT64_C(1000000)
#define RAMP_NS (20 * MS_NS)
#define YOUNG_NS (1000 * MS_NS)

static struct followed *item_at(const struct follow *follow, const struct follow_kind *kind, size_t i)
{
	return (struct followed *)(follow->item + i * kind->item_size);
}

static bool is_of(const struct followed *followed, const struct tree_process *process)
{
	return followed->pid == process->pid && followed->start_ticks == process->start_ticks;
}

static int make_room(struct follow *follow, const struct follow_kind *kind, size_t n, struct err *err)
{
	size_t capacity = n < 16 ? 16 : n * 2;
	char *item;

	if (n <= follow->capacity)
		return 0;
	item = realloc(follow->item, capacity * kind->item_size);
	if (!item)
		return err_no_memory(err, "cannot follow the processes of the target");
	follow->item = item;
	follow->capacity = capacity;
	return 0;
}

static int drop(const struct follow_kind *kind, const struct sample *sample, struct followed *followed)
{
	int result = kind->gone ? kind->gone(sample, followed) : 0;

	if (kind->done)
		kind->done(followed);
	return result;
}

static int follow_tree(struct follow *follow, const struct follow_kind *kind, const struct sample *sample)
{
	const struct tree *tree = sample->target->tree;
	size_t kept = 0;
	int result = 0;

	for (size_t i = 0; i < follow->n; i++) {
		struct followed *followed = item_at(follow, kind, i);
		if (kept < tree->n && is_of(followed, &tree->process[kept]))
			memmove(item_at(follow, kind, kept++), followed, kind->item_size);
		else
			result = drop(kind, sample, followed) ?: result;
	}
	follow->n = kept;
	if (make_room(follow, kind, tree->n, sample->err))
		return -ENOMEM;
	for (; follow->n < tree->n; follow->n++) {
		const struct tree_process *process = &tree->process[follow->n];
		struct followed *followed = item_at(follow, kind, follow->n);
		memset(followed, 0, kind->item_size);
		*followed = (struct followed){ .pid = process->pid,
					       .start_ticks = process->start_ticks,
					       .seen_ns = sample->now_ns };
	}
	return result;
}

static uint64_t next_due(const struct sample *sample, const struct followed *followed)
{
	uint64_t interval_ns = sample_interval_ns(sample->target), gap_ns = sample->now_ns - followed->seen_ns;

	if (gap_ns < RAMP_NS)
		gap_ns = RAMP_NS;
	return gap_ns < interval_ns ? sample->now_ns + gap_ns : sample_next_ns(interval_ns, sample->now_ns);
}

int follow_drain(struct follow *follow, const struct follow_kind *kind, void *state, const struct sample *sample)
{
	const struct tree *tree = sample->target->tree;
	int result = follow_tree(follow, kind, sample);

	follow->due_ns = sample_next_ns(sample_interval_ns(sample->target), sample->now_ns);
	for (size_t i = 0; i < follow->n && !result; i++) {
		struct followed *followed = item_at(follow, kind, i);
		struct sample one = *sample;
		one.process = &tree->process[i];
		if (followed->due_ns <= sample->now_ns || sample->target->is_ending) {
			result = kind->sample(state, &one, followed);
			followed->due_ns = next_due(sample, followed);
		}
		if (followed->due_ns < follow->due_ns)
			follow->due_ns = followed->due_ns;
	}
	return result;
}

uint64_t follow_due_ns(const struct follow *follow, const struct follow_kind *kind, const struct tree *tree)
{
	/* A new process is due at once. */
	if (tree->n > follow->n || (tree->n && !is_of(item_at(follow, kind, tree->n - 1), &tree->process[tree->n - 1])))
		return 0;
	return follow->due_ns;
}

void follow_done(struct follow *follow, const struct follow_kind *kind)
{
	for (size_t i = 0; i < follow->n && kind->done; i++)
		kind->done(item_at(follow, kind, i));
	free(follow->item);
	*follow = (struct follow){ 0 };
}

uint64_t sample_interval_ns(const struct target *target)
{
	return target->interval_ns ? target->interval_ns : 1000 * MS_NS;
}

uint64_t sample_next_ns(uint64_t interval_ns, uint64_t now_ns)
{
	return (now_ns / interval_ns + 1) * interval_ns;
}

uint64_t sample_clock_ns(const struct target *target, uint64_t now_ns)
{
	return *target->sysroot ? now_ns : clock_ns();
}

int sample_due_ms(uint64_t due_ns)
{
	uint64_t now_ns = clock_ns(), ms;

	if (due_ns <= now_ns)
		return 0;
	ms = (due_ns - now_ns + MS_NS - 1) / MS_NS;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

uint64_t sample_since_ns(const struct tree_process *process, uint64_t now_ns)
{
	bool is_young = process->start_ns && process->start_ns <= now_ns && now_ns - process->start_ns < YOUNG_NS;

	return is_young ? process->start_ns : now_ns;
}

int sample_check(const struct target *target, const char *name, bool (*is_good)(const char *text, size_t len),
		 struct err *err)
{
	const char *reason = "not understood";
	char text[1024];
	ssize_t got = target->pid ? proc_read(target->sysroot, target->pid, name, text, sizeof text) : 0;

	if (!target->pid || (got >= 0 && is_good(text, (size_t)got)))
		return 0;
	if (got < 0)
		reason = strerror((int)-got);
	return err_set(
	    err, got < 0 ? (int)-got : EPROTO, "cannot read %s/proc/%d/%s: %s%s", target->sysroot, (int)target->pid,
	    name, reason,
	    got < 0 ? "; the process has ended, or /proc hides it (hidepid); run inftrace as its user or as root" : "");
}

static bool is_stat(const char *text, size_t len)
{
	struct proc_stat stat;

	return proc_stat_parse(text, len, &stat);
}

int sample_check_stat(const struct target *target, struct err *err)
{
	return sample_check(target, "stat", is_stat, err);
}

ssize_t sample_read_stat(const struct sample *sample, struct proc_file *file, struct proc_stat *stat)
{
	char text[1024];
	ssize_t got = sample_read(sample, file, "stat", text, sizeof text);

	if (got < 0)
		return got;
	return proc_stat_parse(text, (size_t)got, stat) ? 0 : -EPROTO;
}

ssize_t sample_read(const struct sample *sample, struct proc_file *file, const char *name, void *buf, size_t size)
{
	const struct target *target = sample->target;

	/* a captured tree replaces files by name: the descriptor would stay with the old one */
	if (!*target->sysroot && target->tree->n <= PROC_KEPT)
		return proc_file_read(file, "", sample->process->pid, name, buf, size);
	proc_file_close(file);
	return proc_read(target->sysroot, sample->process->pid, name, buf, size);
}

/* The process's own track has events of other sources, whose times may be earlier. */
static int define_note_track(const struct sample *sample, struct followed *followed)
{
	struct track_def def = { .type = TRACK_LANE,
				 .parent = sample->process->track,
				 .name = names_of(sample->out->names, "unreadable") };
	struct event event = {
		.type = EVENT_TRACK, .track = sink_new_track(sample->out), .time_ns = sample->now_ns, .def = &def
	};

	followed->note_track = event.track;
	return sink_put(sample->out, &event, sample->err);
}

int sample_unreadable(const struct sample *sample, struct followed *followed, unsigned bit, const char *name,
		      ssize_t result)
{
	char path[64];
	struct arg args[3];
	struct event event = { .type = EVENT_INSTANT, .kind = KIND_NOTE, .args = args, .n_args = 3 };
	int failed = 0;

	if (result == -ESRCH || followed->noted & 1u << bit)
		return 0;
	followed->noted |= 1u << bit;
	if (!followed->note_track)
		failed = define_note_track(sample, followed);
	if (failed)
		return failed;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)sample->process->pid, name);
	args[0] = arg_int(KEY_PID, sample->process->pid);
	args[1] = arg_text(KEY_PATH, sample->out, path);
	args[2] = arg_text(KEY_TEXT, sample->out, result == -EPROTO ? "not understood" : strerror((int)-result));
	event.track = followed->note_track;
	event.name = names_of(sample->out->names, EVENT_NOTE_UNREADABLE);
	event.time_ns = sample_clock_ns(sample->target, sample->now_ns);
	return sink_put(sample->out, &event, sample->err);
}
