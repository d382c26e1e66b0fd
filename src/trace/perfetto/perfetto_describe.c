// SPDX-License-Identifier: Apache-2.0
/* Writes descriptors of machine, clocks and tracks as packets of a Perfetto trace. Writes no events. */
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/pb.h"
#include "base/text/utf8.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_out.h"

uint8_t *perfetto_describe_text(uint8_t *at, uint32_t number, const char *text, size_t len)
{
	uint8_t *inside, *start = at;

	if (utf8_is_valid(text, len)) {
		at = pb_put_varint(pb_put_varint(at, PB_TAG(number, PB_BYTES)), len);
		memcpy(at, text, len);
		return at + len;
	}
	at = pb_open(start, number, &inside);
	return pb_close(at + utf8_clean((char *)at, text, len), inside);
}

uint8_t *perfetto_describe_clock(uint8_t *at, uint32_t clock, uint64_t time_ns, bool is_incremental)
{
	uint8_t *inside;

	at = pb_open(at, SNAPSHOT_CLOCKS, &inside);
	at = pb_put_uint(at, CLOCK_ENTRY_ID, clock);
	at = pb_put_uint(at, CLOCK_ENTRY_TIME, time_ns);
	if (is_incremental)
		at = pb_put_uint(at, CLOCK_ENTRY_IS_INCREMENTAL, 1);
	return pb_close(at, inside);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * A snapshot of all clocks. All times of the file are shown on MONOTONIC. An import's times belong to another machine
 * or boot: no moment of this one corresponds to them.
 */
int perfetto_describe_clocks(struct perfetto_out *out, bool is_import)
{
	uint8_t *at = perfetto_out_room(out, 256), *packet, *snapshot;

	if (!at)
		return -1;
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, PERFETTO_SHARED_SEQUENCE);
	at = pb_open(at, PACKET_CLOCK_SNAPSHOT, &snapshot);
	at = perfetto_describe_clock(at, CLOCK_MONOTONIC_ID, is_import ? 0 : now_ns(CLOCK_MONOTONIC), false);
	if (!is_import) {
		at = perfetto_describe_clock(at, CLOCK_BOOTTIME_ID, now_ns(CLOCK_BOOTTIME), false);
		at = perfetto_describe_clock(at, CLOCK_REALTIME_ID, now_ns(CLOCK_REALTIME), false);
		at = perfetto_describe_clock(at, CLOCK_RAW_ID, now_ns(CLOCK_MONOTONIC_RAW), false);
	}
	at = pb_put_uint(at, SNAPSHOT_PRIMARY, CLOCK_MONOTONIC_ID);
	perfetto_out_end(out, pb_close(pb_close(at, snapshot), packet));
	return 0;
}

int perfetto_describe_system(struct perfetto_out *out, bool is_import)
{
	uint8_t *at = perfetto_out_room(out, 4096), *packet, *info, *inside;
	const char *version = PERFETTO_WRITER INFTRACE_VERSION;
	struct utsname name = { 0 };
	struct sysinfo system = { 0 };

	if (!at)
		return -1;
	uname(&name);
	sysinfo(&system);
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, PERFETTO_SHARED_SEQUENCE);
	at = pb_open(at, PACKET_SYSTEM_INFO, &info);
	at = perfetto_describe_text(at, SYSTEM_VERSION, version, strlen(version));
	if (is_import) { /* recorded elsewhere: facts about this machine do not apply */
		perfetto_out_end(out, pb_close(pb_close(at, info), packet));
		return 0;
	}
	at = pb_open(at, SYSTEM_UTSNAME, &inside);
	at = perfetto_describe_text(at, UTSNAME_SYSNAME, name.sysname, strlen(name.sysname));
	at = perfetto_describe_text(at, UTSNAME_VERSION, name.version, strlen(name.version));
	at = perfetto_describe_text(at, UTSNAME_RELEASE, name.release, strlen(name.release));
	at = perfetto_describe_text(at, UTSNAME_MACHINE, name.machine, strlen(name.machine));
	at = pb_close(at, inside);
	at = pb_put_uint(at, SYSTEM_PAGE_SIZE, (uint64_t)sysconf(_SC_PAGESIZE));
	at = pb_put_uint(at, SYSTEM_CPUS, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	at = pb_put_uint(at, SYSTEM_RAM_BYTES, (uint64_t)system.totalram * system.mem_unit);
	perfetto_out_end(out, pb_close(pb_close(at, info), packet));
	return 0;
}

/* Tracks. */

/* Nothing for id 0. */
static uint8_t *put_name(uint8_t *at, uint32_t number, const struct names *names, uint32_t id)
{
	return id ? perfetto_describe_text(at, number, names_text(names, id), names_len(names, id)) : at;
}

static uint8_t *put_process(uint8_t *at, const struct names *names, const struct track_def *def)
{
	uint8_t *inside;

	at = pb_open(at, TRACK_PROCESS_DESCRIPTOR, &inside);
	at = pb_put_uint(at, PROCESS_PID, (uint64_t)(int64_t)def->pid);
	at = put_name(at, PROCESS_CMDLINE, names, def->command);
	at = put_name(at, PROCESS_NAME, names, def->name);
	if (def->start_ns)
		at = pb_put_uint(at, PROCESS_START_NS, def->start_ns);
	return pb_close(at, inside);
}

static uint8_t *put_thread(uint8_t *at, const struct names *names, const struct track_def *def)
{
	uint8_t *inside;

	at = pb_open(at, TRACK_THREAD_DESCRIPTOR, &inside);
	at = pb_put_uint(at, THREAD_PID, (uint64_t)(int64_t)def->pid);
	at = pb_put_uint(at, THREAD_TID, (uint64_t)(int64_t)def->tid);
	at = put_name(at, THREAD_NAME, names, def->name);
	return pb_close(at, inside);
}

static uint8_t *put_counter(uint8_t *at, const struct names *names, const struct track_def *def)
{
	const char *unit = names_text(names, def->unit);
	uint8_t *inside;

	at = pb_open(at, TRACK_COUNTER_DESCRIPTOR, &inside);
	if (!strcmp(unit, "bytes"))
		at = pb_put_uint(at, COUNTER_UNIT, UNIT_SIZE_BYTES);
	else if (!strcmp(unit, "count"))
		at = pb_put_uint(at, COUNTER_UNIT, UNIT_COUNT);
	else if (!strcmp(unit, "ns"))
		at = pb_put_uint(at, COUNTER_UNIT, UNIT_TIME_NS);
	else
		at = put_name(at, COUNTER_UNIT_NAME, names, def->unit);
	return pb_close(at, inside);
}

/* Writes the fields for the track's type. Only a group has an order of children, which distinguishes it from a lane. */
static uint8_t *put_descriptor(uint8_t *at, const struct names *names, const struct track_def *def, uint32_t rank)
{
	if (def->type == TRACK_PROCESS)
		return put_process(at, names, def);
	if (def->type == TRACK_THREAD)
		return put_thread(at, names, def);
	at = put_name(at, TRACK_NAME, names, def->name);
	if (def->type == TRACK_COUNTER)
		at = put_counter(at, names, def);
	if (def->type == TRACK_GROUP)
		at = pb_put_uint(at, TRACK_CHILD_ORDERING, ORDER_EXPLICIT);
	at = pb_put_uint(at, TRACK_ORDER_RANK, rank);
	return pb_put_uint(at, TRACK_SIBLING_MERGE, MERGE_NONE);
}

/*
 * Writes the process once more in the list of processes: of a descriptor, trace_processor keeps only the first name,
 * and does not show the command line. In that list the first word is the name.
 */
static int describe_process(struct perfetto_out *out, const struct names *names, const struct track_def *def)
{
	const char *command = names_text(names, def->command), *rest = strchr(command, ' ');
	uint8_t *at = perfetto_out_room(out, 256 + 3 * (names_len(names, def->name) + names_len(names, def->command)));
	uint8_t *packet, *tree, *inside;

	if (!at)
		return -1;
	at = pb_open(at, TRACE_PACKET, &packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, PERFETTO_SHARED_SEQUENCE);
	at = pb_open(at, PACKET_PROCESS_TREE, &tree);
	at = pb_open(at, TREE_PROCESSES, &inside);
	at = pb_put_uint(at, TREE_PID, (uint64_t)(int64_t)def->pid);
	at = put_name(at, TREE_CMDLINE, names, def->name);
	if (rest)
		at = perfetto_describe_text(at, TREE_CMDLINE, rest + 1, strlen(rest + 1));
	perfetto_out_end(out, pb_close(pb_close(pb_close(at, inside), tree), packet));
	return 0;
}

/* A packet with the descriptor of a track; parent_uuid 0: none. */
static uint8_t *open_descriptor(uint8_t *at, uint64_t uuid, uint64_t parent_uuid, uint8_t **packet, uint8_t **inside)
{
	at = pb_open(at, TRACE_PACKET, packet);
	at = pb_put_uint(at, PACKET_SEQUENCE_ID, PERFETTO_SHARED_SEQUENCE);
	at = pb_open(at, PACKET_TRACK_DESCRIPTOR, inside);
	at = pb_put_uint(at, TRACK_UUID, uuid);
	return parent_uuid ? pb_put_uint(at, TRACK_PARENT_UUID, parent_uuid) : at;
}

int perfetto_describe_track(struct perfetto_out *out, const struct names *names, const struct track_def *def,
			    uint64_t uuid, uint64_t parent_uuid, uint32_t rank)
{
	size_t texts = names_len(names, def->name) + names_len(names, def->command) + names_len(names, def->unit);
	uint8_t *at = perfetto_out_room(out, 256 + 3 * texts), *packet, *inside;

	if (!at)
		return -1;
	at = open_descriptor(at, uuid, parent_uuid, &packet, &inside);
	at = put_descriptor(at, names, def, rank);
	perfetto_out_end(out, pb_close(pb_close(at, inside), packet));
	return def->type == TRACK_PROCESS ? describe_process(out, names, def) : 0;
}

int perfetto_describe_counters(struct perfetto_out *out, uint64_t uuid, uint64_t parent_uuid)
{
	const char *name = parent_uuid ? PERFETTO_RESOURCES : PERFETTO_MACHINE;
	const char *text = parent_uuid ? PERFETTO_RESOURCES_TEXT : PERFETTO_MACHINE_TEXT;
	uint8_t *at = perfetto_out_room(out, 512), *packet, *inside;

	if (!at)
		return -1;
	at = open_descriptor(at, uuid, parent_uuid, &packet, &inside);
	at = perfetto_describe_text(at, TRACK_NAME, name, strlen(name));
	at = pb_put_uint(at, TRACK_CHILD_ORDERING, ORDER_EXPLICIT);
	at = perfetto_describe_text(at, TRACK_DESCRIPTION, text, strlen(text));
	perfetto_out_end(out, pb_close(pb_close(at, inside), packet));
	return 0;
}
