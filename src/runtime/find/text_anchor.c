// SPDX-License-Identifier: Apache-2.0
/*
 * Compares the addresses that code computes with those of the texts. The path of a source file begins with the
 * builder's folder; only its end is known.
 */
#include "runtime/find/text_anchor.h"

#include <string.h>

#include "runtime/find/text_anchor_in.h"

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

enum { MAX_TAILS = 16, LONGEST_PATH = 512 };

/* Where code may refer to a text that ends like an anchor's: from its begin, or the middle if texts are merged. */
struct tail {
	uint64_t begin, end;
	size_t anchor;
};

struct text_search {
	struct text_anchor *anchors;
	size_t n;
	const struct eh_frame *frames;
	uint8_t is_first[256]; /* whether a text begins with this byte */
	struct tail tail[MAX_TAILS];
	unsigned n_tails;
};

static void look_at(void *context, uint64_t address, uint64_t target)
{
	const struct text_search *search = context;
	const struct image *image = search->frames->image;
	const char *text = image_at(image, target, 4, IMAGE_R);

	for (unsigned i = 0; i < search->n_tails; i++)
		if (target >= search->tail[i].begin && target < search->tail[i].end)
			add_function(&search->anchors[search->tail[i].anchor], search->frames, address);
	if (!text || !search->is_first[(uint8_t)*text])
		return;
	for (size_t i = 0; i < search->n; i++) {
		size_t size = strlen(search->anchors[i].text) + search->anchors[i].is_whole;
		if (!search->anchors[i].is_tail && !memcmp(text, search->anchors[i].text, 4) &&
		    image_at(image, target, size, IMAGE_R) && !memcmp(text, search->anchors[i].text, size))
			add_function(&search->anchors[i], search->frames, address);
	}
}

/* The texts in this segment that end like the anchor's. */
static void find_tails(struct text_search *search, size_t anchor, const struct image_segment *segment)
{
	const char *text = search->anchors[anchor].text, *begin = (const char *)segment->data;
	size_t size = strlen(text) + 1; /* with its NUL */
	const char *end = begin + (segment->end - segment->start), *at = begin;

	for (; (at = memmem(at, (size_t)(end - at), text, size)) && search->n_tails < MAX_TAILS; at += size) {
		const char *first = at;
		while (first > begin && first[-1] && at - first < LONGEST_PATH)
			first--;
		search->tail[search->n_tails++] = (struct tail){ segment->start + (uint64_t)(first - begin),
								 segment->start + (uint64_t)(at - begin) + 1, anchor };
	}
}

static void find_all_tails(struct text_search *search)
{
	const struct image *image = search->frames->image;

	for (size_t i = 0; i < search->n; i++)
		for (int k = 0; k < image->n_segments && search->anchors[i].is_tail; k++)
			if (!(image->segment[k].flags & IMAGE_W))
				find_tails(search, i, &image->segment[k]);
}

void text_anchor_find(struct text_anchor *anchors, size_t n, const struct eh_frame *frames)
{
	struct text_search search = { .anchors = anchors, .n = n, .frames = frames };

	for (size_t i = 0; i < n; i++) {
		anchors[i].n_functions = 0;
		search.is_first[(uint8_t)anchors[i].text[0]] |= !anchors[i].is_tail;
	}
	find_all_tails(&search);
	for (int i = 0; i < frames->image->n_segments; i++)
		if (frames->image->segment[i].flags & IMAGE_X)
			text_anchor_scan(&frames->image->segment[i], look_at, &search);
}

static void keep_first(void *context, uint64_t address, uint64_t target)
{
	uint64_t *first = context;

	if (!*first)
		*first = target;
}

const char *text_anchor_returned(const struct image *image, uint64_t function, size_t max)
{
	enum { FEW = 16 }; /* a landing pad, the address, the return */
	struct image_segment code = { function, function + FEW, IMAGE_X, image_at(image, function, FEW, IMAGE_X) };
	uint64_t first = 0;

	if (code.data)
		text_anchor_scan(&code, keep_first, &first);
	return first ? image_text(image, first, max) : NULL;
}
