// SPDX-License-Identifier: Apache-2.0
/* Keeps blocks in slots by address. A block never goes over the end of a page, so it is there as a whole or not at all.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "capture/stacks/stack_call.h"

enum { WHOLE = STACK_MEMORY_BLOCK }; /* what is larger is read without the blocks */

static uint64_t block_of(uint64_t address)
{
	return address & ~(uint64_t)(STACK_MEMORY_BLOCK - 1);
}

static size_t slot_of(uint64_t block)
{
	uint64_t number = block / STACK_MEMORY_BLOCK;

	return (number ^ number >> 7 ^ number >> 14) % STACK_MEMORY_BLOCKS;
}

void stack_memory_begin(struct stack_memory *memory, pid_t pid)
{
	memory->pid = pid;
	memory->round++;
	memory->used.n = 0;
}

static bool read_all(struct stack_memory *memory, uint64_t from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };
	ssize_t got = process_vm_readv(memory->pid, &local, 1, &remote, 1, 0);

	if (got < 0 && (errno == EPERM || errno == ENOSYS))
		memory->is_refused = true;
	return got == (ssize_t)size;
}

static bool has_block(const struct stack_memory *memory, size_t slot, uint64_t block)
{
	return memory->block[slot].round == memory->round && memory->block[slot].at == block;
}

static void set_block(struct stack_memory *memory, size_t slot, uint64_t block)
{
	memory->block[slot].round = memory->round;
	memory->block[slot].at = block;
	memory->block[slot].is_used = false;
}

static const uint8_t *get_block(struct stack_memory *memory, uint64_t block)
{
	size_t slot = slot_of(block);

	if (!has_block(memory, slot, block)) {
		memory->block[slot].round = 0;
		if (!read_all(memory, block, memory->block[slot].data, STACK_MEMORY_BLOCK))
			return NULL;
		set_block(memory, slot, block);
	}
	if (!memory->block[slot].is_used && memory->used.n < STACK_MEMORY_AHEAD)
		memory->used.block[memory->used.n++] = block;
	memory->block[slot].is_used = true;
	return memory->block[slot].data;
}

bool stack_memory_read(void *of, uint64_t from, void *to, size_t size)
{
	struct stack_memory *memory = of;

	if (from < 4096 || from + size < from)
		return false;
	if (size > WHOLE)
		return read_all(memory, from, to, size);
	while (size) {
		uint64_t block = block_of(from);
		size_t offset = (size_t)(from - block), part = STACK_MEMORY_BLOCK - offset;
		const uint8_t *data = get_block(memory, block);

		if (!data)
			return false;
		part = part < size ? part : size;
		memcpy(to, data + offset, part);
		to = (char *)to + part;
		from += part;
		size -= part;
	}
	return true;
}

void stack_memory_ahead(struct stack_memory *memory, const uint64_t *address, size_t n)
{
	struct iovec local[STACK_MEMORY_AHEAD], remote[STACK_MEMORY_AHEAD];
	size_t slots[STACK_MEMORY_AHEAD], n_wanted = 0, n_got;
	ssize_t got;

	for (size_t i = 0; i < n && n_wanted < STACK_MEMORY_AHEAD; i++) {
		uint64_t block = block_of(address[i]);
		size_t slot = slot_of(block);

		if (address[i] < 4096 || has_block(memory, slot, block))
			continue;
		set_block(memory, slot, block); /* so that it is wanted once */
		slots[n_wanted] = slot;
		local[n_wanted] = (struct iovec){ memory->block[slot].data, STACK_MEMORY_BLOCK };
		remote[n_wanted++] = (struct iovec){ (void *)block, STACK_MEMORY_BLOCK };
	}
	if (!n_wanted)
		return;
	got = process_vm_readv(memory->pid, local, n_wanted, remote, n_wanted, 0);
	n_got = got > 0 ? (size_t)got / STACK_MEMORY_BLOCK : 0;
	for (size_t i = n_got; i < n_wanted; i++)
		memory->block[slots[i]].round = 0;
}
