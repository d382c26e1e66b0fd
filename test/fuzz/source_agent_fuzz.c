// SPDX-License-Identifier: Apache-2.0
/*
 * An agent's segment: any bytes, because the target may write anything there. The input is a struct input, then the
 * dictionary, then the ring of facts, then the records of one ring; it becomes a segment file that the source finds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/source/source.h"
#include "capture/source/tree.h"
#include "check_sink.h"
#include "event/record.h"
#include "event/ring.h"
#include "fuzz.h"

enum {
	RING_BYTES = 64 << 10,
	FACTS = SEGMENT_RINGS + RING_HEADER + RING_BYTES,
	FILE_SIZE = FACTS + SEGMENT_FACTS_SIZE
};

struct input {
	uint32_t dict_size; /* bytes of dictionary in the input */
	uint32_t n_rings;
	uint64_t dict_end, dict_lost, ring_lost;
	struct ring_slot slot;
	uint64_t head, lost, tail;
	uint32_t state, n_facts; /* n_facts: entries of the ring of facts in the input */
};

extern const struct source source_agent;

static char folder[64], path[128];

static void remove_folder(void)
{
	unlink(path);
	rmdir(folder);
}

static void make_folder(void)
{
	snprintf(folder, sizeof folder, "/dev/shm/inftrace-fuzz-%d", getpid());
	snprintf(path, sizeof path, "%s/1" SEGMENT_SUFFIX, folder);
	if (mkdir(folder, 0700))
		abort();
	atexit(remove_folder);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void write_segment(const struct input *input, const uint8_t *rest, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t n_dict = least(least(input->dict_size, size), SEGMENT_DICT_SIZE);
	size_t n_facts = least(least(input->n_facts, SEGMENT_MAX_FACTS) * sizeof(struct dict_entry), size - n_dict);
	struct segment *segment;
	struct ring *ring;

	if (fd < 0 || ftruncate(fd, FILE_SIZE))
		abort();
	segment = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (segment == MAP_FAILED)
		abort();
	*segment = (struct segment){ .magic = SEGMENT_MAGIC,
				     .header_size = sizeof *segment,
				     .pid = getpid(),
				     .state = input->state,
				     .dict_end = input->dict_end,
				     .dict_lost = input->dict_lost,
				     .ring_lost = input->ring_lost,
				     .n_rings = input->n_rings,
				     .facts = FACTS,
				     .facts_end = input->n_facts,
				     .ring = { input->slot } };
	memset(segment->reason, 'x', sizeof segment->reason);
	memcpy((char *)segment + SEGMENT_DICT, rest, n_dict);
	memcpy((char *)segment + FACTS, rest + n_dict, n_facts);
	rest += n_dict + n_facts;
	size -= n_dict + n_facts;
	ring = (struct ring *)((char *)segment + SEGMENT_RINGS);
	ring->head = input->head;
	ring->lost = input->lost;
	ring->tail = input->tail;
	memcpy((char *)ring + RING_HEADER, rest, least(size, RING_BYTES));
	munmap(segment, FILE_SIZE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tree tree = { 0 };
	/*
	 * without a sysroot there is no invariant clock: ticks are nanoseconds, and no time is spent on measuring them
	 */
	struct target target = { .sysroot = "/nowhere",
				 .pid = getpid(),
				 .ring_dir = folder,
				 .level = "detail",
				 .tree = &tree,
				 .is_ending = true };
	struct check_sink check;
	struct input input;
	struct err err;
	void *state;

	if (size < sizeof input)
		return 0;
	if (!*folder)
		make_folder();
	memcpy(&input, data, sizeof input);
	write_segment(&input, data + sizeof input, size - sizeof input);
	check_sink_init(&check);
	check.is_lenient = true;
	state = calloc(1, source_agent.state_size);
	if (!state)
		abort();
	source_agent.start(state, &target, &check.sink, &err);
	source_agent.drain(state, &check.sink, 1000000000, &err);
	source_agent.drain(state, &check.sink, 2000000000, &err);
	source_agent.stop(state);
	free(state);
	tree_done(&tree);
	check_sink_done(&check);
	return 0;
}
