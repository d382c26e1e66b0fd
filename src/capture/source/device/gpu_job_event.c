// SPDX-License-Identifier: Apache-2.0
/* Reads format files and events of gpu_scheduler. Believes no offset: each is checked against what is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/source/device/gpu_jobs.h"

enum { MOST = 4096 /* bytes of an event */ };

const char *const *gpu_job_names(enum gpu_job_step step)
{
	static const char *const names[N_GPU_JOB_STEPS][3] = {
		[GPU_JOB_QUEUED] = { "drm_sched_job_queue", "drm_sched_job", NULL },
		[GPU_JOB_RUN] = { "drm_sched_job_run", "drm_run_job", NULL },
		[GPU_JOB_DONE] = { "drm_sched_job_done", "drm_sched_process_job", NULL },
	};

	return names[step];
}

/* "__data_loc char[] name", "char comm[16]": what follows the last blank or star, without its brackets. */
static void name_of(const char *declared, size_t len, char *name, size_t size)
{
	const char *at = declared + len;

	while (at > declared && at[-1] != ' ' && at[-1] != '*')
		at--;
	snprintf(name, size, "%.*s", (int)(declared + len - at), at);
	name[strcspn(name, "[")] = 0;
}

static bool number_after(const char *line, const char *end, const char *key, uint32_t *number)
{
	const char *at = strstr(line, key);

	if (!at || at >= end)
		return false;
	*number = (uint32_t)strtoul(at + strlen(key), NULL, 10);
	return true;
}

static struct gpu_job_field *slot_of(struct gpu_job_format *format, const char *name)
{
	if (!strcmp(name, "fence"))
		return &format->fence;
	if (!strcmp(name, "fence_context"))
		return &format->context;
	if (!strcmp(name, "fence_seqno"))
		return &format->number;
	if (!strcmp(name, "name"))
		return &format->ring;
	return strcmp(name, "dev") ? NULL : &format->device;
}

static void take_field(struct gpu_job_format *format, const char *line, const char *end)
{
	const char *declared = strstr(line, "field:"), *stop;
	struct gpu_job_field field = { 0 }, *slot;
	char name[64];

	if (!declared || declared >= end)
		return;
	declared += strlen("field:");
	stop = memchr(declared, ';', (size_t)(end - declared));
	if (!stop || !number_after(stop, end, "offset:", &field.offset) ||
	    !number_after(stop, end, "size:", &field.size))
		return;
	field.is_relative = !strncmp(declared, "__rel_loc ", 10);
	field.is_text = field.is_relative || !strncmp(declared, "__data_loc ", 11);
	name_of(declared, (size_t)(stop - declared), name, sizeof name);
	slot = slot_of(format, name);
	if (slot && field.offset < MOST && (field.is_text ? field.size == 4 : field.size && field.size <= 8))
		*slot = field;
}

bool gpu_job_read_format(const char *text, struct gpu_job_format *format)
{
	const char *id = strstr(text, "ID:");

	*format = (struct gpu_job_format){ 0 };
	if (!id)
		return false;
	format->id = strtoull(id + strlen("ID:"), NULL, 10);
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		end = strchr(line, '\n');
		end = end ? end : line + strlen(line);
		take_field(format, line, end);
	}
	return format->id && (format->fence.size || (format->context.size && format->number.size));
}

static bool read_number(const struct gpu_job_field *field, const uint8_t *raw, size_t size, uint64_t *value)
{
	*value = 0;
	if (field->is_text || (size_t)field->offset + field->size > size)
		return false;
	memcpy(value, raw + field->offset, field->size);
	return true;
}

/* Cut off where it does not fit; "" where there is none. */
static bool read_text(const struct gpu_job_field *field, const uint8_t *raw, size_t size, char *text, size_t room)
{
	uint32_t where;
	size_t at, len;

	*text = 0;
	if (!field->size)
		return true;
	if (!field->is_text || (size_t)field->offset + sizeof where > size)
		return false;
	memcpy(&where, raw + field->offset, sizeof where);
	at = (where & 0xffff) + (field->is_relative ? field->offset + sizeof where : 0);
	len = where >> 16;
	if (at > size || len > size - at)
		return false;
	snprintf(text, room, "%.*s", (int)strnlen((const char *)raw + at, len), (const char *)raw + at);
	return true;
}

bool gpu_job_read(const struct gpu_job_format *format, const uint8_t *raw, size_t size, struct gpu_job_event *event)
{
	*event = (struct gpu_job_event){ 0 };
	if (format->context.size)
		return read_number(&format->context, raw, size, &event->job[0]) &&
		       read_number(&format->number, raw, size, &event->job[1]) &&
		       read_text(&format->ring, raw, size, event->ring, sizeof event->ring) &&
		       read_text(&format->device, raw, size, event->device, sizeof event->device);
	return read_number(&format->fence, raw, size, &event->job[0]) &&
	       read_text(&format->ring, raw, size, event->ring, sizeof event->ring);
}
