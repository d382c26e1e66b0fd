// SPDX-License-Identifier: Apache-2.0
/* Makes, maps, reads and checks the shared memory of inftrace-run's result. run_*.c write the figures. */
#include "model/run/run_result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct run_latency) == 32, "two latencies to a cache line");

/* Texts in the header: in an array of n structs, `step` bytes apart. */
struct text {
	const char *name;
	size_t at, size, n, step;
};

#define ONE(field) { #field, offsetof(struct run_result, field), sizeof((struct run_result *)0)->field, 1, 0 }
#define EACH(table, type, field, max) \
	{ #table "." #field, offsetof(struct run_result, table) + offsetof(struct type, field), \
	  sizeof((struct type *)0)->field, max, sizeof(struct type) }

static const struct text texts[] = {
	ONE(error),
	ONE(log),
	ONE(runtime_path),
	ONE(runtime_version),
	ONE(runtime_found),
	ONE(policy),
	ONE(warm_up_text),
	ONE(outputs_dir),
	ONE(profile_path),
	ONE(provider_profile_path),
	ONE(optimized_path),
	ONE(context_path),
	{ "available", offsetof(struct run_result, available), RUN_NAME, RUN_MAX_PROVIDERS, RUN_NAME },
	EACH(asked, run_provider, name, RUN_MAX_PROVIDERS),
	EACH(asked, run_provider, options, RUN_MAX_PROVIDERS),
	EACH(asked, run_provider, library, RUN_MAX_PROVIDERS),
	EACH(placed, run_provider, name, RUN_MAX_PROVIDERS),
	EACH(placed, run_provider, options, RUN_MAX_PROVIDERS),
	EACH(placed, run_provider, library, RUN_MAX_PROVIDERS),
	EACH(devices, run_device, provider, RUN_MAX_DEVICES),
	EACH(devices, run_device, provider_vendor, RUN_MAX_DEVICES),
	EACH(devices, run_device, vendor, RUN_MAX_DEVICES),
	EACH(devices, run_device, metadata, RUN_MAX_DEVICES),
	EACH(groups, run_group, text, RUN_MAX_GROUPS),
	EACH(tensors, run_tensor, name, RUN_MAX_TENSORS),
	EACH(tensors, run_tensor, file, RUN_MAX_TENSORS),
	EACH(tensors, run_tensor, why, RUN_MAX_TENSORS),
};

/* Numbers in the header that must be below a limit, in the same form. */
struct number {
	const char *name;
	size_t at, n, step;
	uint32_t limit;
};

#define BELOW(field, limit) { #field, offsetof(struct run_result, field), 1, 0, limit }
#define EACH_BELOW(table, type, field, max, limit) \
	{ #table "." #field, offsetof(struct run_result, table) + offsetof(struct type, field), max, \
	  sizeof(struct type), limit }

static const struct number numbers[] = {
	BELOW(outcome, RUN_N_OUTCOMES),
	BELOW(phase, RUN_N_PHASES),
	BELOW(stop, RUN_N_STOPS),
	BELOW(n_available, RUN_MAX_PROVIDERS + 1),
	BELOW(n_asked, RUN_MAX_PROVIDERS + 1),
	BELOW(n_placed, RUN_MAX_PROVIDERS + 1),
	BELOW(n_devices, RUN_MAX_DEVICES + 1),
	BELOW(n_groups, RUN_MAX_GROUPS + 1),
	BELOW(n_tensors, RUN_MAX_TENSORS + 1),
	BELOW(is_open_loop, 2),
	BELOW(is_steady, 2),
	EACH_BELOW(phases, run_phase, state, RUN_N_PHASES, RUN_N_PHASE_STATES),
	EACH_BELOW(devices, run_device, type, RUN_MAX_DEVICES, RUN_N_DEVICE_TYPES),
	EACH_BELOW(devices, run_device, is_chosen, RUN_MAX_DEVICES, 2),
	EACH_BELOW(tensors, run_tensor, compared, RUN_MAX_TENSORS, RUN_N_COMPARED),
	EACH_BELOW(tensors, run_tensor, is_output, RUN_MAX_TENSORS, 2),
};

int run_result_make(uint64_t capacity, struct err *err)
{
	struct run_result head = { .magic = RUN_RESULT_MAGIC,
				   .version = RUN_RESULT_VERSION,
				   .header_size = sizeof head,
				   .latency_size = sizeof(struct run_latency),
				   .latency_capacity = capacity };
	uint64_t size;
	int fd, code;

	if (__builtin_mul_overflow(capacity, sizeof(struct run_latency), &size) || size > (uint64_t)1 << 40)
		return err_set(err, EINVAL, "cannot store %llu latencies: too many", (unsigned long long)capacity);
	fd = memfd_create("inftrace-result", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot allocate memory for the result: %s", strerror(errno));
	if (!ftruncate(fd, (off_t)(sizeof head + size)) &&
	    pwrite(fd, &head, offsetof(struct run_result, n_latencies), 0) == offsetof(struct run_result, n_latencies))
		return fd;
	code = errno;
	close(fd);
	return err_set(err, code, "cannot allocate memory for the result: %s", strerror(code));
}

void run_result_name(int fd, char *path, size_t size)
{
	snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), fd);
}

static int check_header(const struct run_result *head, uint64_t size, struct err *err)
{
	if (size < sizeof *head)
		return err_set(err, EBADMSG,
			       "cannot read a run's result: at byte %llu: the file ends inside its header of %zu bytes",
			       (unsigned long long)size, sizeof *head);
	if (head->magic != RUN_RESULT_MAGIC)
		return err_set(err, EBADMSG, "cannot read a run's result: at byte 0: inftrace did not write this file");
	if (head->version != RUN_RESULT_VERSION || head->header_size != sizeof *head ||
	    head->latency_size != sizeof(struct run_latency))
		return err_set(
		    err, EBADMSG,
		    "cannot read a run's result: at byte 8: another version of inftrace wrote this file (%u)",
		    head->version);
	if (head->latency_capacity > (size - sizeof *head) / sizeof(struct run_latency))
		return err_set(
		    err, EBADMSG,
		    "cannot read a run's result: at byte %zu: room for %llu latencies, but only %llu bytes follow",
		    offsetof(struct run_result, latency_capacity), (unsigned long long)head->latency_capacity,
		    (unsigned long long)(size - sizeof *head));
	return 0;
}

struct run_result *run_result_map(const char *path, struct err *err)
{
	struct run_result *result;
	struct stat status;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status)) {
		err_set(err, errno, "cannot open the result %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (status.st_size < (off_t)sizeof *result) {
		close(fd);
		err_set(err, EBADMSG, "cannot use %s as the result: it is too small", path);
		return NULL;
	}
	result = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (result == MAP_FAILED) {
		err_set(err, errno, "cannot map the result %s: %s", path, strerror(errno));
		return NULL;
	}
	if (!check_header(result, (uint64_t)status.st_size, err))
		return result;
	munmap(result, (size_t)status.st_size);
	return NULL;
}

void run_result_unmap(struct run_result *result)
{
	if (result)
		munmap(result, sizeof *result + result->latency_capacity * sizeof(struct run_latency));
}

static int check_texts(const struct run_result *head, struct err *err)
{
	for (const struct text *text = texts; text < texts + sizeof texts / sizeof *texts; text++)
		for (size_t i = 0; i < text->n; i++)
			if (!memchr((const char *)head + text->at + i * text->step, 0, text->size))
				return err_set(err, EBADMSG,
					       "cannot read a run's result: at byte %zu: %s is not terminated",
					       text->at + i * text->step, text->name);
	return 0;
}

static int check_numbers(const struct run_result *head, struct err *err)
{
	uint32_t value;

	for (const struct number *number = numbers; number < numbers + sizeof numbers / sizeof *numbers; number++) {
		for (size_t i = 0; i < number->n; i++) {
			size_t at = number->at + i * number->step;

			memcpy(&value, (const char *)head + at, sizeof value);
			if (value >= number->limit)
				return err_set(err, EBADMSG,
					       "cannot read a run's result: at byte %zu: %s is %u, not below %u", at,
					       number->name, value, number->limit);
		}
	}
	return 0;
}

static int check_tensors(const struct run_result *head, struct err *err)
{
	for (uint32_t i = 0; i < head->n_tensors; i++) {
		const struct run_tensor *tensor = &head->tensors[i];
		size_t at = (size_t)((const char *)tensor - (const char *)head);

		if (tensor->n_dims < -1 || tensor->n_dims > RUN_MAX_DIMS)
			return err_set(err, EBADMSG,
				       "cannot read a run's result: at byte %zu: a tensor with %d dimensions", at,
				       tensor->n_dims);
		if (tensor->group >= head->n_groups)
			return err_set(err, EBADMSG,
				       "cannot read a run's result: at byte %zu: a tensor of shape group %u of %u", at,
				       tensor->group, head->n_groups);
	}
	return 0;
}

static int check_latencies(const struct run_record *record, struct err *err)
{
	for (uint64_t i = 0; i < record->n_latencies; i++) {
		const struct run_latency *latency = &record->latency[i];

		if (latency->status == RUN_LATENCY_EMPTY)
			continue;
		if (latency->status >= RUN_N_LATENCY_STATUSES || latency->phase >= RUN_N_PHASES ||
		    latency->group >= record->head->n_groups)
			return err_set(
			    err, EBADMSG,
			    "cannot read a run's result: at byte %zu: latency %llu has status %u, phase %u, group %u",
			    sizeof *record->head + i * sizeof *latency, (unsigned long long)i, latency->status,
			    latency->phase, latency->group);
	}
	return 0;
}

static int get_bytes(int fd, uint64_t at, void *to, size_t size, struct err *err)
{
	ssize_t n = 1;

	for (size_t got = 0; got < size; got += (size_t)n) {
		n = pread(fd, (char *)to + got, size - got, (off_t)(at + got));
		if (n <= 0)
			return err_set(err, n < 0 ? errno : EBADMSG, "cannot read a run's result: at byte %llu: %s",
				       (unsigned long long)(at + got), n < 0 ? strerror(errno) : "it ends here");
	}
	return 0;
}

/* Takes counts from the copy: the original may change meanwhile. */
static int read_latencies(int fd, struct run_record *record, struct err *err)
{
	record->n_latencies = record->head->n_latencies;
	if (record->n_latencies > record->head->latency_capacity)
		record->n_latencies = record->head->latency_capacity;
	if (!record->n_latencies)
		return 0;
	record->latency = malloc(record->n_latencies * sizeof *record->latency);
	if (!record->latency)
		return err_no_memory(err, "cannot read a run's result");
	return get_bytes(fd, sizeof *record->head, record->latency, record->n_latencies * sizeof *record->latency, err);
}

int run_result_read(int fd, struct run_record *record, struct err *err)
{
	struct stat status;
	uint64_t size;
	int rc;

	memset(record, 0, sizeof *record);
	if (fstat(fd, &status))
		return err_set(err, errno, "cannot read a run's result: %s", strerror(errno));
	size = (uint64_t)status.st_size;
	if (size < sizeof *record->head)
		return check_header(NULL, size, err);
	record->head = malloc(sizeof *record->head);
	if (!record->head)
		return err_no_memory(err, "cannot read a run's result");
	rc = get_bytes(fd, 0, record->head, sizeof *record->head, err);
	if (!rc)
		rc = check_header(record->head, size, err);
	if (!rc)
		rc = check_texts(record->head, err);
	if (!rc)
		rc = check_numbers(record->head, err);
	if (!rc)
		rc = check_tensors(record->head, err);
	if (!rc)
		rc = read_latencies(fd, record, err);
	if (!rc)
		rc = check_latencies(record, err);
	if (rc)
		run_result_free(record);
	return rc;
}

void run_result_free(struct run_record *record)
{
	if (!record)
		return;
	free(record->head);
	free(record->latency);
	memset(record, 0, sizeof *record);
}

static const struct {
	const char *name, *text;
} phases[RUN_N_PHASES] = {
	[RUN_LOAD_RUNTIME] = { "load-runtime", "load the runtime" },
	[RUN_ENVIRONMENT] = { "environment", "make the runtime's environment" },
	[RUN_LIBRARIES] = { "libraries", "register provider libraries" },
	[RUN_SESSION] = { "session", "create the session" },
	[RUN_INPUTS] = { "inputs", "make the inputs" },
	[RUN_FIRST] = { "first", "run the first inference" },
	[RUN_WARM_UP] = { "warm-up", "warm up" },
	[RUN_STEADY] = { "steady", "run" },
	[RUN_UNLOAD] = { "unload", "unload the runtime" },
};

const char *run_result_phase_text(uint32_t phase)
{
	return phase < RUN_N_PHASES ? phases[phase].text : "run";
}

const char *run_result_phase_name(uint32_t phase)
{
	return phase < RUN_N_PHASES ? phases[phase].name : "?";
}

const char *run_result_stop_text(uint32_t stop)
{
	static const char *const words[RUN_N_STOPS] = {
		[RUN_STOP_FULL] = "the buffer for latencies was full",
		[RUN_STOP_SIGNAL] = "a signal ended it",
	};

	return stop < RUN_N_STOPS ? words[stop] : NULL;
}
