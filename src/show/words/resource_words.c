// SPDX-License-Identifier: Apache-2.0
/* Units come from the recording, so they may be any text. Does not know the names of counters. */
#include "show/words/resource_words.h"

#include <math.h>
#include <string.h>

#include "analyze/result/result_words.h"

#define NEAR_NS UINT64_C(20000000)

struct units_text resource_value(const struct summary *summary, const struct summary_resource *resource, double value,
				 bool has_unit)
{
	const char *unit = names_text(summary->names, resource->unit);
	struct units_text text;

	if (!isfinite(value))
		return (struct units_text){ "-" };
	if (!strcmp(unit, "bytes"))
		return units_bytes(value);
	if (!strcmp(unit, "bytes/s")) {
		text = units_bytes(value);
		strcat(text.s, "/s");
		return text;
	}
	text = units_decimal(value);
	if (!strcmp(unit, "count/s"))
		strcat(text.s, "/s");
	else if (!strcmp(unit, "%") || (has_unit && strlen(unit) < 12 && strcmp(unit, "count") != 0))
		strcat(strcat(text.s, " "), model_text(unit, 12, false).s);
	return text;
}

bool resource_gave_back(const struct summary_resource *memory)
{
	double end = isfinite(memory->at_exit) ? memory->at_exit : memory->last;

	return end < 0.75 * memory->grown_to;
}

struct printable resource_memory(const struct summary_resource *memory)
{
	struct printable text = { "" };

	if (!isfinite(memory->max))
		return text;
	if (memory->n > 1)
		printable_add(&text, "%s at first, ", units_bytes(memory->first).s);
	if (isfinite(memory->at_exit))
		printable_add(&text, "%s at the end, ", units_bytes(memory->at_exit).s);
	else if (memory->n > 1 && memory->unseen_ns < NEAR_NS)
		printable_add(&text, "%s at the end, ", units_bytes(memory->last).s);
	else if (memory->n > 1)
		printable_add(&text, "%s when last sampled, %s before the end, ", units_bytes(memory->last).s,
			      units_duration((double)memory->unseen_ns).s);
	if (isfinite(memory->peak))
		printable_add(&text, memory->is_peak_whole ? "peak %s" : "peak %s or more",
			      units_bytes(memory->peak).s);
	else
		printable_add(&text, "most in a sample %s", units_bytes(memory->max).s);
	if (isfinite(memory->growth_per_s))
		printable_add(&text,
			      resource_gave_back(memory) ? "; grew by %s/s before it was given back"
							 : "; still growing by %s/s",
			      units_bytes(memory->growth_per_s).s);
	return text;
}

const struct summary_resource *resource_growing(const struct summary *summary)
{
	const struct summary_resource *found = NULL;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *own = &summary->resources[i];

		if (isfinite(own->growth_per_s) && (!found || own->growth_per_s > found->growth_per_s))
			found = own;
	}
	return found;
}

/* A driver's figure of how busy a device is may be an average of a second: for less, a mean of these says nothing. */
static const uint64_t least_ns = 2000000000;

static struct resource_device *device_at(struct resource_device *list, uint32_t *n, uint32_t name)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i].name == name)
			return &list[i];
	if (*n == RESOURCE_DEVICES)
		return NULL;
	list[*n] = (struct resource_device){ name, NAN, NAN, NAN };
	return &list[(*n)++];
}

/* The name of its counter begins with that of the device. */
static void take(const struct summary *summary, const struct summary_resource *own, struct resource_device *device)
{
	size_t len = strcspn(names_text(summary->names, own->device), ":");
	const char *name = names_text(summary->names, own->name) + len, *unit = names_text(summary->names, own->unit);

	if (own->process == SUMMARY_NONE && !strcmp(unit, "%") && !strcmp(name, " busy")) {
		device->most = own->max;
		if (!summary->n_all_inferences && own->busy_ns + own->idle_ns >= least_ns)
			device->busy = own->mean;
		else if (own->busy_ns >= least_ns)
			device->busy = own->busy_mean;
	} else if (own->process != SUMMARY_NONE && !strcmp(unit, "bytes") && !strncmp(name, " memory", 7) &&
		   isfinite(own->max)) {
		device->memory = (isfinite(device->memory) ? device->memory : 0) + own->max;
	}
}

uint32_t resource_devices(const struct summary *summary, struct resource_device list[RESOURCE_DEVICES])
{
	uint32_t n = 0, n_used = 0;

	for (uint32_t i = 0; i < summary->n_resources; i++) {
		const struct summary_resource *own = &summary->resources[i];
		struct resource_device *device = own->device ? device_at(list, &n, own->device) : NULL;

		if (device)
			take(summary, own, device);
	}
	for (uint32_t i = 0; i < n; i++)
		if (list[i].memory > 0 || list[i].most >= 1)
			list[n_used++] = list[i];
	return n_used;
}

struct printable resource_device_name(const struct summary *summary, const struct resource_device *device,
				      bool is_ascii)
{
	const char *text = names_text(summary->names, device->name);

	return printable_text(text, strcspn(text, ":"), 24, is_ascii);
}

struct printable resource_device_busy(const struct resource_device *device)
{
	struct printable text = { "" };

	if (isfinite(device->busy))
		printable_add(&text, "%s busy", units_percent(device->busy / 100).s);
	else if (isfinite(device->most))
		printable_add(&text, "at most %s busy in a sample", units_percent(device->most / 100).s);
	return text;
}
