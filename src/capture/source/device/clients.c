// SPDX-License-Identifier: Apache-2.0
/*
 * Samples a process: which descriptors are open on devices (walk.h), the driver's report on the client behind each, and
 * its growth since the last sample.
 *
 * What a client used before it was first seen counts only if it was opened after the last sample.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/source/counter.h"
#include "capture/source/device/device_source.h"
#include "capture/source/device/fdinfo.h"
#include "capture/source/walk.h"

#define SPAN_NS UINT64_C(8000000)
/* Libraries that only enumerate devices leave some memory on each. */
#define ENOUGH_BYTES (UINT64_C(16) << 20)
static const char dev[] = "/dev/";

enum { MOST_CLIENTS = 4096, MOST_OPEN = 64 };

/* The client behind one open of a device. */
struct client {
	uint32_t device;
	bool has_id;
	uint64_t id;		      /* the driver's number; else the descriptor */
	pid_t owner;		      /* process that it is counted for; 0: none at the moment */
	uint64_t owner_start;	      /* with the pid, its identity */
	uint64_t visit;		      /* last sample that saw it */
	struct fdinfo_engine *engine; /* largest values so far */
	size_t n_engines;
};

struct use_engine {
	struct fdinfo_engine grown; /* since the last sample; total, max_hz: of the device */
	struct counter counter;
	bool is_shown;
};

struct use_region {
	char name[FDINFO_NAME];
	uint64_t bytes;
	struct counter counter;
	bool is_shown;
};

/* One process's use of one device. */
struct use {
	uint32_t device;
	struct use_engine engine[FDINFO_ENGINES];
	struct use_region region[FDINFO_REGIONS];
	size_t n_engines, n_regions;
	struct counter memory, units; /* through AMD's compute driver */
	bool has_memory, has_units;   /* there was some */
	bool tells_engines;	      /* memory alone is then no use yet */
};

struct open_file {
	int fd;
	uint32_t device;
	struct proc_file fdinfo;
};

struct client_item {
	struct followed followed;
	struct open_file *file; /* MOST_OPEN of them */
	size_t n_files;
	struct use *use;
	size_t n_uses;
	struct walk walk;
	uint64_t base_ns;
	bool has_base, has_walked; /* walked: in the last sample */
	bool has_kfd;		   /* AMD's compute driver is open */
};

/* One sample of one process. */
struct look {
	struct clients *clients;
	const struct sample *sample;
	struct client_item *item;
	uint64_t time_ns;
	bool is_counting;  /* enough time has passed to compute shares */
	bool is_new_whole; /* all use of a new client counts */
};

/* The folder of the devices' nodes, below /dev. */
static const char *look_nodes(const struct look *look)
{
	return look->clients->class->nodes + sizeof dev - 1;
}

static void keep_file(void *ctx, int fd, const char *name)
{
	const char *nodes = look_nodes(ctx);
	struct look *look = ctx;
	struct client_item *item = look->item;
	size_t device;

	item->has_kfd |= !strcmp(name, "kfd");
	if (strncmp(name, nodes, strlen(nodes)))
		return;
	device = device_of_node(look->clients->devices, look->clients->n_devices, name + strlen(nodes));
	/* an unknown node (renamed for a container): the text may give the device's address */
	if (item->n_files < MOST_OPEN)
		item->file[item->n_files++] = (struct open_file){ .fd = fd, .device = (uint32_t)device };
}

static void close_files(struct client_item *item)
{
	for (size_t i = 0; i < item->n_files; i++)
		proc_file_close(&item->file[i].fdinfo);
	item->n_files = 0;
}

/* Finds the descriptors open on devices; true: the list is up to date. */
static bool find_files(struct look *look)
{
	struct client_item *item = look->item;
	enum walk_state state = walk_state(&item->walk, look->sample);

	if (state != WALK_DUE)
		return state == WALK_SAME;
	close_files(item);
	if (!item->file)
		item->file = calloc(MOST_OPEN, sizeof *item->file);
	return item->file && !walk_descriptors(&item->walk, look->sample, dev, keep_file, look);
}

static bool is_alive(const struct clients *clients, const struct client *client)
{
	const struct tree *tree = clients->target->tree;

	for (size_t i = 0; i < tree->n; i++)
		if (tree->process[i].pid == client->owner && tree->process[i].start_ticks == client->owner_start)
			return true;
	return false;
}

static bool is_owner(const struct client *client, const struct tree_process *process)
{
	return client->owner == process->pid && client->owner_start == process->start_ticks;
}

/* A free or new entry. NULL: none. */
static struct client *new_client(struct clients *clients)
{
	size_t capacity = clients->capacity ? 2 * clients->capacity : 16;
	struct client *client;

	if (clients->n == clients->capacity) {
		for (size_t i = 0; i < clients->n; i++) {
			if (clients->client[i].owner && is_alive(clients, &clients->client[i]))
				continue;
			free(clients->client[i].engine);
			return &clients->client[i];
		}
		client = capacity <= MOST_CLIENTS ? realloc(clients->client, capacity * sizeof *client) : NULL;
		if (!client)
			return NULL;
		clients->client = client;
		clients->capacity = capacity;
	}
	return &clients->client[clients->n++];
}

/* The client behind a descriptor, found or new (*is_new); NULL: counted elsewhere or already, or no room. */
static struct client *take_client(struct look *look, const struct fdinfo *info, const struct open_file *file,
				  bool *is_new)
{
	const struct tree_process *process = look->sample->process;
	uint64_t id = info->has_client ? info->client : (uint64_t)file->fd;
	struct clients *clients = look->clients;
	struct client *client = NULL;

	for (size_t i = 0; i < clients->n && !client; i++) {
		struct client *at = &clients->client[i];
		if (at->device == file->device && at->has_id == info->has_client && at->id == id &&
		    (at->has_id || is_owner(at, process)))
			client = at;
	}
	*is_new = !client;
	if (!client) {
		client = new_client(clients);
		if (!client)
			return NULL;
		*client = (struct client){ .device = file->device, .has_id = info->has_client, .id = id };
	} else if (client->visit == clients->visit ||
		   (client->owner && !is_owner(client, process) && is_alive(clients, client))) {
		return NULL;
	}
	client->owner = process->pid;
	client->owner_start = process->start_ticks;
	client->visit = clients->visit;
	return client;
}

static struct use *use_of(struct client_item *item, uint32_t device)
{
	struct use *use;

	for (size_t i = 0; i < item->n_uses; i++)
		if (item->use[i].device == device)
			return &item->use[i];
	use = realloc(item->use, (item->n_uses + 1) * sizeof *use);
	if (!use)
		return NULL;
	item->use = use;
	use[item->n_uses] = (struct use){ .device = device };
	return &use[item->n_uses++];
}

static struct use_engine *use_engine(struct use *use, const struct fdinfo_engine *engine)
{
	for (size_t i = 0; i < use->n_engines; i++)
		if (!strcmp(use->engine[i].grown.name, engine->name))
			return &use->engine[i];
	if (use->n_engines == FDINFO_ENGINES)
		return NULL;
	use->engine[use->n_engines] = (struct use_engine){ .grown = { .name = "" } };
	strcpy(use->engine[use->n_engines].grown.name, engine->name);
	return &use->engine[use->n_engines++];
}

static struct use_region *use_region(struct use *use, const char *name)
{
	for (size_t i = 0; i < use->n_regions; i++)
		if (!strcmp(use->region[i].name, name))
			return &use->region[i];
	if (use->n_regions == FDINFO_REGIONS)
		return NULL;
	use->region[use->n_regions] = (struct use_region){ .name = "" };
	strcpy(use->region[use->n_regions].name, name);
	return &use->region[use->n_regions++];
}

/* A value that decreased is wrong: the larger one holds until it is exceeded again. */
static uint64_t step(uint64_t *base, uint64_t now)
{
	uint64_t grown = now > *base ? now - *base : 0;

	*base += grown;
	return grown;
}

/* The values of a client's engine in the last sample; NULL: out of memory. */
static struct fdinfo_engine *base_of(struct client *client, const struct fdinfo_engine *engine, bool is_from_zero)
{
	struct fdinfo_engine *base;

	for (size_t i = 0; i < client->n_engines; i++)
		if (!strcmp(client->engine[i].name, engine->name))
			return &client->engine[i];
	base = realloc(client->engine, (client->n_engines + 1) * sizeof *base);
	if (!base)
		return NULL;
	client->engine = base;
	base += client->n_engines++;
	*base = *engine;
	if (is_from_zero)
		base->busy_ns = base->cycles = 0;
	return base;
}

static void add_engine(struct use *use, struct client *client, const struct fdinfo_engine *engine, bool is_from_zero)
{
	struct use_engine *to = engine->told ? use_engine(use, engine) : NULL;
	struct fdinfo_engine *base = to ? base_of(client, engine, is_from_zero) : NULL;
	uint64_t total;

	if (!base)
		return;
	to->grown.told |= engine->told;
	to->grown.capacity = engine->capacity;
	to->grown.max_hz = engine->max_hz;
	to->is_shown |= engine->busy_ns || engine->cycles;
	to->grown.busy_ns += step(&base->busy_ns, engine->busy_ns);
	to->grown.cycles += step(&base->cycles, engine->cycles);
	total = step(&base->total_cycles, engine->total_cycles);
	to->grown.total_cycles = total > to->grown.total_cycles ? total : to->grown.total_cycles;
}

static void add_region(struct use *use, const struct fdinfo_region *region)
{
	struct use_region *to = use_region(use, region->name);
	uint64_t bytes = region->has_resident ? region->resident_bytes : region->total_bytes;

	if (!to)
		return;
	to->is_shown |= bytes > 0;
	if (__builtin_add_overflow(to->bytes, bytes, &to->bytes))
		to->bytes = UINT64_MAX;
}

/* Reads the driver's report on one descriptor; false: it is no longer open on a device. */
static bool add_file(struct look *look, struct open_file *file)
{
	const struct sample *sample = look->sample;
	struct clients *clients = look->clients;
	char name[32], text[16 << 10];
	struct client *client;
	struct fdinfo info;
	struct use *use;
	size_t device;
	ssize_t got;
	bool is_new;

	snprintf(name, sizeof name, "fdinfo/%d", file->fd);
	got = sample_read(sample, &file->fdinfo, name, text, sizeof text);
	if (got <= 0 || !fdinfo_parse(text, (size_t)got, &info))
		return false;
	device = device_of_pci(clients->devices, clients->n_devices, info.pci);
	if (device < clients->n_devices)
		file->device = (uint32_t)device;
	if (file->device >= clients->n_devices)
		return true;
	client = take_client(look, &info, file, &is_new);
	use = client ? use_of(look->item, file->device) : NULL;
	if (!use)
		return true;
	for (size_t i = 0; look->is_counting && i < info.n_engines; i++)
		add_engine(use, client, &info.engine[i], !is_new || look->is_new_whole);
	for (size_t i = 0; i < info.n_regions; i++)
		add_region(use, &info.region[i]);
	/* amdgpu omits unused engines */
	use->tells_engines |= info.n_engines || !strcmp(info.driver, "amdgpu");
	clients->is_used[file->device] |= !info.n_engines && !info.n_regions;
	return true;
}

/* Percent of the time; NAN: unknown. */
static double find_share(const struct fdinfo_engine *grown, uint64_t span_ns)
{
	double share = NAN;

	if (!span_ns)
		return NAN;
	if (grown->told & FDINFO_BUSY)
		share = (double)grown->busy_ns / (double)span_ns;
	else if (grown->told & FDINFO_CYCLES && grown->total_cycles)
		share = (double)grown->cycles / (double)grown->total_cycles;
	else if (grown->told & FDINFO_CYCLES && grown->told & FDINFO_MAX_HZ && grown->max_hz)
		share = (double)grown->cycles / ((double)span_ns / 1e9 * (double)grown->max_hz);
	/* the driver's clock and ours are not read at the same moment */
	return fmin(100 * share / (double)grown->capacity, 100);
}

/* name: without the device, which `use` gives. */
static int put(const struct look *look, const struct use *use, struct counter *counter, const char *name,
	       const char *unit, double value)
{
	const struct sample *sample = look->sample;
	char full[2 * DEVICE_TEXT + FDINFO_NAME + 16];

	snprintf(full, sizeof full, "%s %s", look->clients->devices[use->device].name, name);
	return counter_put(counter, &(struct counter_value){ full, unit, sample->process->track, look->time_ns, value },
			   sample->out, sample->err);
}

static int put_region(const struct look *look, const struct use *use, struct use_region *region)
{
	char name[FDINFO_NAME + 8];

	/* drivers with a single region call it "memory" */
	snprintf(name, sizeof name, "%s%s", strcmp(region->name, "memory") ? "memory " : "", region->name);
	return put(look, use, &region->counter, name, "bytes", (double)region->bytes);
}

static int put_use(const struct look *look, struct use *use, uint64_t span_ns)
{
	bool *is_used = &look->clients->is_used[use->device];
	int result = 0;

	for (size_t i = 0; i < use->n_engines && !result; i++) {
		struct use_engine *engine = &use->engine[i];
		double share = look->is_counting ? find_share(&engine->grown, span_ns) : NAN;

		*is_used |= engine->is_shown;
		if (engine->is_shown && !isnan(share))
			result = put(look, use, &engine->counter, engine->grown.name, "%", share);
		if (look->is_counting)
			engine->grown.busy_ns = engine->grown.cycles = engine->grown.total_cycles = 0;
	}
	for (size_t i = 0; i < use->n_regions && !result; i++) {
		struct use_region *region = &use->region[i];

		*is_used |= region->bytes && (!use->tells_engines || region->bytes >= ENOUGH_BYTES);
		if (region->is_shown && *is_used)
			result = put_region(look, use, region);
		region->bytes = 0;
	}
	return result;
}

static int put_kfd(const struct look *look, struct use *use)
{
	const struct sample *sample = look->sample;
	uint64_t id = look->clients->kfd_id[use->device];
	struct kfd_use kfd;
	int result = 0;

	/* in a container the driver lists no processes: an open device counts as used */
	look->clients->is_used[use->device] |=
	    look->item->has_kfd && !strcmp(look->clients->devices[use->device].driver, "amdgpu");
	if (!id || !kfd_read(sample->target->sysroot, id, sample->process->pid, &kfd))
		return 0;
	look->clients->is_used[use->device] = true;
	use->has_memory |= kfd.memory_bytes > 0;
	use->has_units |= kfd.has_units && kfd.units;
	if (use->has_memory)
		result = put(look, use, &use->memory, "compute memory", "bytes", (double)kfd.memory_bytes);
	if (!result && use->has_units && kfd.has_units)
		result = put(look, use, &use->units, "compute units", "count", (double)kfd.units);
	return result;
}

/* Closes clients of this process that this sample did not see: another process that has them may count them. */
static void let_go(struct look *look)
{
	struct clients *clients = look->clients;

	for (size_t i = 0; i < clients->n; i++)
		if (clients->client[i].visit != clients->visit && is_owner(&clients->client[i], look->sample->process))
			clients->client[i].owner = 0;
}

static int sample_process(void *data, const struct sample *sample, void *data_item)
{
	uint64_t time_ns = sample_clock_ns(sample->target, sample->now_ns), span_ns;
	struct client_item *item = data_item;
	struct look look = { .clients = data, .sample = sample, .item = item, .time_ns = time_ns };
	bool has_walked = find_files(&look);
	size_t kept = 0;
	int result = 0;

	if (!item->has_base)
		item->base_ns = sample_since_ns(sample->process, time_ns);
	span_ns = time_ns - item->base_ns;
	look.is_counting = !item->has_base || span_ns >= SPAN_NS;
	look.is_new_whole = item->has_base ? item->has_walked && has_walked : span_ns > 0;
	look.clients->visit++;
	for (size_t i = 0; i < item->n_files; i++)
		if (add_file(&look, &item->file[i]))
			item->file[kept++] = item->file[i];
		else
			proc_file_close(&item->file[i].fdinfo);
	item->n_files = kept;
	let_go(&look);
	for (size_t i = 0; i < item->n_uses && !result; i++)
		result = put_use(&look, &item->use[i], span_ns);
	for (size_t i = 0; i < item->n_uses && !result; i++)
		result = put_kfd(&look, &item->use[i]);
	if (look.is_counting) {
		item->has_base = true;
		item->has_walked = has_walked;
		item->base_ns = time_ns;
	}
	return result;
}

static void close_item(void *data_item)
{
	struct client_item *item = data_item;

	close_files(item);
	free(item->file);
	free(item->use);
}

static const struct follow_kind client_kind = { sizeof(struct client_item), sample_process, close_item };

int clients_drain(struct clients *clients, struct sink *out, uint64_t now_ns, struct err *err)
{
	struct sample sample = { clients->target, NULL, out, now_ns, err };

	return follow_drain(&clients->follow, &client_kind, clients, &sample);
}

uint64_t clients_due_ns(const struct clients *clients)
{
	return follow_due_ns(&clients->follow, &client_kind, clients->target->tree);
}

void clients_done(struct clients *clients)
{
	follow_done(&clients->follow, &client_kind);
	for (size_t i = 0; i < clients->n; i++)
		free(clients->client[i].engine);
	free(clients->client);
	clients->client = NULL;
	clients->n = clients->capacity = 0;
}
