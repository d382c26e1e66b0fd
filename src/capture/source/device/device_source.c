// SPDX-License-Identifier: Apache-2.0
/*
 * Implements a source for one class of devices. Finds the devices once, when recording starts. A driver may take long
 * to answer, because it may have to query the device: a device is read only as often as a fixed share of the time
 * allows.
 */
#include "capture/source/device/device_source.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/namespace.h"

enum { LOOK_PART = 200 };

struct device_line {
	uint32_t track;
	bool is_found; /* which gauges exist */
	struct gauges gauges;
	uint64_t due_ns;
};

/* The node that programs open for computing, not the one that also drives displays, if there are two. */
static void find_node(const struct device_kind *kind, const struct target *target, const struct device *device,
		      char *path, size_t size)
{
	const char *node = device->node;

	for (size_t i = 0; i < device->n_others; i++)
		if (!strncmp(device->other[i], "render", 6))
			node = device->other[i];
	snprintf(path, size, "%s%s%s", target->sysroot, kind->class.nodes, node);
}

/* Says why this user's programs cannot use a device; "": they can. */
static void say_closed(const struct device_kind *kind, const struct target *target, const struct device *device,
		       char *text, size_t size)
{
	char path[PATH_MAX];
	struct stat status;
	struct group *group;

	find_node(kind, target, device, path, sizeof path);
	if (!access(path, R_OK | W_OK))
		return;
	if (stat(path, &status)) {
		snprintf(text, size, "programs here cannot open it: %.200s does not exist", path);
		return;
	}
	group = getgrgid(status.st_gid);
	snprintf(text, size, "programs of this user may not open %.200s; its group may: %s", path,
		 group ? group->gr_name : "one without a name");
}

static int say_none(const struct device_kind *kind, const struct target *target, int result, struct err *err)
{
	if (result && result != -ENOENT)
		return err_set(err, -result, "cannot read %s%s: %s", target->sysroot, kind->class.folder,
			       strerror(-result));
	return err_set(err, ENOENT, "cannot find a device in %s%s: %s", target->sysroot, kind->class.folder,
		       kind->missing);
}

/* Programs cannot open a device without a node here. */
static bool has_nodes(const struct device_kind *kind, const struct target *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s%s", target->sysroot, kind->class.nodes);
	return !access(path, F_OK);
}

int device_source_check(const struct device_kind *kind, const struct target *target, struct err *err)
{
	struct device *devices = calloc(DEVICE_MOST, sizeof *devices);
	size_t n = 0;
	int result;

	if (!devices)
		return err_no_memory(err, "cannot list devices");
	result = device_list(target->sysroot, &kind->class, devices, &n);
	if (result || !n)
		result = say_none(kind, target, result, err);
	else if (!has_nodes(kind, target))
		result = err_set(err, ENOENT,
				 "cannot sample %s: %s%s does not exist, so programs here cannot open the device; pass "
				 "it to the container (docker run --device %s)",
				 devices[0].name, target->sysroot, kind->class.nodes, kind->class.nodes);
	free(devices);
	return result;
}

int device_source_start(void *data, const struct device_kind *kind, const struct target *target, struct err *err)
{
	struct device_state *state = data;

	state->target = target;
	state->kind = kind;
	state->devices = calloc(DEVICE_MOST, sizeof *state->devices);
	state->line = calloc(DEVICE_MOST, sizeof *state->line);
	if (!state->devices || !state->line)
		return err_no_memory(err, "cannot list devices");
	device_list(target->sysroot, &kind->class, state->devices, &state->n);
	state->clients.target = target;
	state->clients.class = &kind->class;
	state->clients.devices = state->devices;
	state->clients.n_devices = state->n;
	for (size_t i = 0; i < state->n && namespace_is_first(target->sysroot); i++)
		if (!strcmp(state->devices[i].driver, "amdgpu"))
			state->clients.kfd_id[i] = kfd_id(target->sysroot, &state->devices[i]);
	return 0;
}

int device_source_due_ms(const void *data)
{
	const struct device_state *state = data;
	uint64_t due_ns = clients_due_ns(&state->clients);

	for (size_t i = 0; i < state->n; i++)
		if (state->clients.is_used[i] && state->line[i].due_ns < due_ns)
			due_ns = state->line[i].due_ns;
	return sample_due_ms(due_ns);
}

int device_track(uint32_t *track, struct sink *out, const char *name, const char *text, uint64_t time_ns,
		 struct err *err)
{
	struct track_def def = { .type = TRACK_GROUP };
	struct event event = { .type = EVENT_TRACK, .time_ns = time_ns, .def = &def };
	char full[200];
	int result;

	if (*track)
		return 0;
	snprintf(full, sizeof full, "%s%s%s", name, *text ? ": " : "", text);
	def.name = names_of(out->names, full);
	event.track = sink_new_track(out);
	result = sink_put(out, &event, err);
	if (!result)
		*track = event.track;
	return result;
}

static int sample_device(struct device_state *state, size_t i, struct sink *out, uint64_t now_ns, struct err *err)
{
	const struct device *device = &state->devices[i];
	uint64_t interval_ns = sample_interval_ns(state->target), began_ns, cost_ns;
	struct device_line *line = &state->line[i];
	char text[160], folder[PATH_MAX];
	int result = 0;

	began_ns = sample_clock_ns(state->target, now_ns);
	snprintf(folder, sizeof folder, "%s/%s", state->kind->class.folder, device->node);
	if (!line->is_found)
		result = gauges_find(&line->gauges, state->kind->gauges, state->target->sysroot, folder);
	line->is_found = true;
	if (result)
		return err_set(err, ENOMEM, "cannot read %s: out of memory", device->name);
	device_describe(device, text, sizeof text);
	result = device_track(&line->track, out, device->name, text, now_ns, err);
	if (!result)
		result = gauges_sample(&line->gauges,
				       &(struct gauge_look){ state->target->sysroot, folder, device->name, line->track,
							     out, now_ns, state->target->is_ending, err });
	cost_ns = (sample_clock_ns(state->target, now_ns) - began_ns) * LOOK_PART;
	line->due_ns = sample_next_ns(interval_ns > cost_ns ? interval_ns : cost_ns, now_ns);
	return result;
}

int device_source_drain(void *data, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct device_state *state = data;
	int result = clients_drain(&state->clients, out, now_ns, err);

	for (size_t i = 0; i < state->n && !result; i++)
		if (state->clients.is_used[i] && (now_ns >= state->line[i].due_ns || state->target->is_ending))
			result = sample_device(state, i, out, now_ns, err);
	return result;
}

void device_source_stop(void *data)
{
	struct device_state *state = data;

	clients_done(&state->clients);
	for (size_t i = 0; i < state->n; i++)
		gauges_done(&state->line[i].gauges);
	free(state->devices);
	free(state->line);
	state->devices = NULL;
	state->line = NULL;
	state->n = 0;
}

/* "busy, memory used, power": the values in a device's files. */
static void list_gauges(const struct device_kind *kind, const struct target *target, const struct device *device,
			char *text, size_t size)
{
	struct gauges gauges = { .n = 0 };
	char folder[PATH_MAX];
	size_t used = 0;

	*text = 0;
	snprintf(folder, sizeof folder, "%s/%s", kind->class.folder, device->node);
	gauges_find(&gauges, kind->gauges, target->sysroot, folder);
	for (size_t i = 0; i < gauges.n && used < size; i++)
		used +=
		    (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", gauges.gauge[i].kind->name);
	gauges_done(&gauges);
}

void device_source_each(const struct device_kind *kind, const struct target *target, source_device_fn each, void *ctx)
{
	struct device *devices = calloc(DEVICE_MOST, sizeof *devices);
	struct source_device seen;
	size_t n = 0;

	if (devices)
		device_list(target->sysroot, &kind->class, devices, &n);
	for (size_t i = 0; i < n; i++) {
		seen = (struct source_device){ .name = "" };
		snprintf(seen.name, sizeof seen.name, "%s", devices[i].name);
		device_describe(&devices[i], seen.text, sizeof seen.text);
		list_gauges(kind, target, &devices[i], seen.tells, sizeof seen.tells);
		say_closed(kind, target, &devices[i], seen.problem, sizeof seen.problem);
		if (!*seen.problem && kind->hint)
			kind->hint(target, &devices[i], seen.problem, sizeof seen.problem);
		each(ctx, &seen);
	}
	free(devices);
}
