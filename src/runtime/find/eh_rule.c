// SPDX-License-Identifier: Apache-2.0
/*
 * Carries out the instructions of a function's table up to an address. What compilers do not write for C and C++ in
 * optimised code (frames that begin where an expression says, signal frames) is not known.
 */
#include "runtime/find/eh_rule.h"

#include <string.h>

#include "base/processor.h"

enum { DEPTH = 8, MOST = 1 << 16 };

enum kept { KEPT_SAME, KEPT_AT, KEPT_NOWHERE, KEPT_UNKNOWN };

struct saved {
	enum kept kept;
	int64_t offset;
};

struct state {
	bool is_known; /* where the frame begins */
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct saved saved[2]; /* enum which */
};

enum which { FRAME_POINTER, RETURN, N_WHICH };

struct machine {
	const uint8_t *at, *end;
	bool is_bad;
	uint64_t code_align, return_register;
	int64_t data_align;
	uint64_t here, wanted;
	struct state now, first, stack[DEPTH];
	int depth;
};

static uint64_t unsigned_number(struct machine *m, unsigned bytes)
{
	uint64_t value = 0;

	if ((size_t)(m->end - m->at) < bytes) {
		m->is_bad = true;
		return 0;
	}
	memcpy(&value, m->at, bytes);
	m->at += bytes;
	return value;
}

static uint64_t uleb(struct machine *m)
{
	uint64_t value = 0;

	for (unsigned shift = 0; m->at < m->end && shift < 64; shift += 7) {
		uint8_t byte = *m->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	m->is_bad = true;
	return 0;
}

static int64_t sleb(struct machine *m)
{
	const uint8_t *from = m->at;
	uint64_t value = uleb(m);
	unsigned bits = (unsigned)(m->at - from) * 7;

	if (bits < 64 && m->at > from && m->at[-1] & 0x40)
		value |= ~UINT64_C(0) << bits;
	return (int64_t)value;
}

static struct saved *saved_of(struct state *state, const struct machine *m, uint64_t number)
{
	if (number == PROCESSOR_DWARF_FRAME_POINTER)
		return &state->saved[FRAME_POINTER];
	return number == m->return_register ? &state->saved[RETURN] : NULL;
}

static void save(struct machine *m, uint64_t number, enum kept kept, int64_t offset)
{
	struct saved *saved = saved_of(&m->now, m, number);

	if (saved)
		*saved = (struct saved){ kept, offset };
}

static void restore(struct machine *m, uint64_t number)
{
	struct saved *saved = saved_of(&m->now, m, number);

	if (saved)
		*saved = *saved_of(&m->first, m, number);
}

static void skip_block(struct machine *m)
{
	uint64_t size = uleb(m);

	if (size > (uint64_t)(m->end - m->at))
		m->is_bad = true;
	else
		m->at += size;
}

static void define_cfa(struct machine *m, uint64_t number, int64_t offset)
{
	m->now.is_known = true;
	m->now.cfa_register = number;
	m->now.cfa_offset = offset;
}

static void remember(struct machine *m)
{
	if (m->depth == DEPTH)
		m->is_bad = true;
	else
		m->stack[m->depth++] = m->now;
}

static void recall(struct machine *m)
{
	if (!m->depth)
		m->is_bad = true;
	else
		m->now = m->stack[--m->depth];
}

/* Of registers, one at a time; false: it is none of these. */
static bool step_register(struct machine *m, uint8_t code)
{
	uint64_t number;

	switch (code) {
	case 0x05: /* offset_extended */
		number = uleb(m);
		save(m, number, KEPT_AT, (int64_t)uleb(m) * m->data_align);
		return true;
	case 0x11: /* offset_extended_sf */
		number = uleb(m);
		save(m, number, KEPT_AT, sleb(m) * m->data_align);
		return true;
	case 0x06: /* restore_extended */
		restore(m, uleb(m));
		return true;
	case 0x07: /* undefined */
		save(m, uleb(m), KEPT_NOWHERE, 0);
		return true;
	case 0x08: /* same_value */
		save(m, uleb(m), KEPT_SAME, 0);
		return true;
	case 0x09: /* register */
	case 0x14: /* val_offset */
		save(m, uleb(m), KEPT_UNKNOWN, 0);
		uleb(m);
		return true;
	case 0x15: /* val_offset_sf */
		save(m, uleb(m), KEPT_UNKNOWN, 0);
		sleb(m);
		return true;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		save(m, uleb(m), KEPT_UNKNOWN, 0);
		skip_block(m);
		return true;
	default:
		return false;
	}
}

static void step_other(struct machine *m, uint8_t code)
{
	uint64_t number;

	switch (code) {
	case 0x00: /* nop */
	case 0x2d: /* of aarch64: the address to return to is signed */
		break;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		m->here += unsigned_number(m, 1u << (code - 2)) * m->code_align;
		break;
	case 0x0a:
		remember(m);
		break;
	case 0x0b:
		recall(m);
		break;
	case 0x0c: /* def_cfa */
		number = uleb(m);
		define_cfa(m, number, (int64_t)uleb(m));
		break;
	case 0x12: /* def_cfa_sf */
		number = uleb(m);
		define_cfa(m, number, sleb(m) * m->data_align);
		break;
	case 0x0d: /* def_cfa_register */
		m->now.cfa_register = uleb(m);
		break;
	case 0x0e: /* def_cfa_offset */
		m->now.cfa_offset = (int64_t)uleb(m);
		break;
	case 0x13: /* def_cfa_offset_sf */
		m->now.cfa_offset = sleb(m) * m->data_align;
		break;
	case 0x0f: /* def_cfa_expression */
		m->now.is_known = false;
		skip_block(m);
		break;
	case 0x2e: /* GNU_args_size */
		uleb(m);
		break;
	default:
		m->is_bad = true;
	}
}

/* Until the address that is wanted, or the end. */
static void run(struct machine *m)
{
	while (!m->is_bad && m->at < m->end && m->here <= m->wanted) {
		uint8_t code = *m->at++, low = code & 0x3f;

		if (code >> 6 == 1)
			m->here += low * m->code_align;
		else if (code >> 6 == 2)
			save(m, low, KEPT_AT, (int64_t)uleb(m) * m->data_align);
		else if (code >> 6 == 3)
			restore(m, low);
		else if (!step_register(m, code))
			step_other(m, code);
	}
}

/* What a table of this length at an address says: behind its first two words. */
static bool enter(struct machine *m, const struct eh_frame *frames, uint64_t entry)
{
	const uint8_t *at = image_at(frames->image, entry, 8, 0);
	uint32_t length;

	if (!at)
		return false;
	memcpy(&length, at, 4);
	if (length < 8 || length > MOST || !(at = image_at(frames->image, entry, length + UINT64_C(4), 0)))
		return false;
	m->at = at + 8;
	m->end = at + 4 + length;
	return true;
}

/* The instructions that all functions of a kind begin with. False: not what is understood. *has_length: of them. */
static bool begin(struct machine *m, const struct eh_frame *frames, uint64_t entry, bool *has_length)
{
	const uint8_t *text;
	uint8_t version;

	if (!enter(m, frames, entry))
		return false;
	version = (uint8_t)unsigned_number(m, 1);
	text = m->at;
	while (m->at < m->end && *m->at++)
		;
	*has_length = *text == 'z';
	m->code_align = uleb(m);
	m->data_align = sleb(m);
	m->return_register = version == 1 ? unsigned_number(m, 1) : uleb(m);
	if (m->is_bad || !*has_length || memchr(text, 'S', (size_t)(m->at - text)))
		return false;
	skip_block(m);
	m->wanted = UINT64_MAX;
	run(m);
	m->first = m->now;
	m->depth = 0;
	return !m->is_bad;
}

static bool fits(int64_t offset)
{
	return offset >= -MOST && offset <= (1 << 24) && offset % 8 == 0;
}

static bool settle(const struct machine *m, struct eh_rule *rule)
{
	const struct state *now = &m->now;
	const struct saved *back = &now->saved[RETURN], *pointer = &now->saved[FRAME_POINTER];

	*rule = (struct eh_rule){ .is_end = back->kept == KEPT_NOWHERE };
	if (rule->is_end)
		return true;
	if (!now->is_known || back->kept != KEPT_AT || pointer->kept == KEPT_UNKNOWN || !fits(now->cfa_offset) ||
	    !fits(back->offset) || !fits(pointer->offset) ||
	    (now->cfa_register != PROCESSOR_DWARF_FRAME_POINTER && now->cfa_register != PROCESSOR_DWARF_STACK_POINTER))
		return false;
	rule->is_by_frame_pointer = now->cfa_register == PROCESSOR_DWARF_FRAME_POINTER;
	rule->has_frame_pointer = pointer->kept == KEPT_AT;
	rule->cfa = (int32_t)now->cfa_offset;
	rule->return_at = (int32_t)back->offset;
	rule->frame_pointer_at = (int32_t)pointer->offset;
	return true;
}

bool eh_rule_find(const struct eh_frame *frames, uint64_t address, struct eh_rule *rule)
{
	struct machine m = { 0 };
	struct eh_function function;
	uint64_t entry = eh_frame_entry(frames, address - 1, &function), kind;
	const uint8_t *distance = entry ? image_at(frames->image, entry + 4, 4, 0) : NULL;
	uint32_t back;
	bool has_length;

	if (!distance)
		return false;
	memcpy(&back, distance, 4);
	kind = entry + 4 - back;
	if (!begin(&m, frames, kind, &has_length) || !enter(&m, frames, entry))
		return false;
	m.at += 8; /* where the function begins, and its size */
	skip_block(&m);
	m.here = function.start;
	m.wanted = address - 1;
	run(&m);
	return !m.is_bad && settle(&m, rule);
}
