// SPDX-License-Identifier: Apache-2.0
/* Searches for the opcode of lea without decoding instructions: a false match does not lead to the start of a text. */
#include "runtime/text_anchor.h"

#include <string.h>

static void add_function(struct text_anchor *anchor, const struct eh_frame *frames, uint64_t address)
{
	struct eh_function function;

	if (anchor->n_functions > TEXT_ANCHOR_FUNCTIONS)
		return;
	for (unsigned i = 0; i < anchor->n_functions; i++)
		if (address >= anchor->function[i].start && address < anchor->function[i].end)
			return;
	if (!eh_frame_function(frames, address, &function))
		return;
	if (anchor->n_functions < TEXT_ANCHOR_FUNCTIONS)
		anchor->function[anchor->n_functions] = function;
	anchor->n_functions++;
}

struct search {
	struct text_anchor *anchors;
	size_t n;
	const struct eh_frame *frames;
	uint8_t is_first[256]; /* whether a text begins with this byte */
};

static void look_at(const struct search *search, uint64_t address, uint64_t target)
{
	const struct image *image = search->frames->image;
	const char *text = image_at(image, target, 4, IMAGE_R);

	if (!text || !search->is_first[(uint8_t)*text])
		return;
	for (size_t i = 0; i < search->n; i++) {
		size_t size = strlen(search->anchors[i].text);
		if (!memcmp(text, search->anchors[i].text, 4) && image_at(image, target, size, IMAGE_R) &&
		    !memcmp(text, search->anchors[i].text, size))
			add_function(&search->anchors[i], search->frames, address);
	}
}

static void scan(const struct search *search, const struct image_segment *segment)
{
	const uint8_t *begin = segment->data, *end = begin + (segment->end - segment->start), *at = begin;

	/* REX.W, 8d, ModRM with rip, four bytes of distance */
	while (end - at > 6 && (at = memchr(at, 0x8d, (size_t)(end - at - 5)))) {
		uint64_t address = segment->start + (uint64_t)(at - begin);
		int32_t distance;
		if (at > begin && (at[-1] & 0xfb) == 0x48 && (at[1] & 0xc7) == 5) {
			memcpy(&distance, at + 2, 4);
			look_at(search, address, address + 6 + (uint64_t)(int64_t)distance);
		}
		at++;
	}
}

void text_anchor_find(struct text_anchor *anchors, size_t n, const struct eh_frame *frames)
{
	struct search search = { .anchors = anchors, .n = n, .frames = frames };

	for (size_t i = 0; i < n; i++) {
		anchors[i].n_functions = 0;
		search.is_first[(uint8_t)anchors[i].text[0]] = 1;
	}
	for (int i = 0; i < frames->image->n_segments; i++)
		if (frames->image->segment[i].flags & IMAGE_X)
			scan(&search, &frames->image->segment[i]);
}
