// SPDX-License-Identifier: Apache-2.0
/* Parses a text line by line. Ignores a last line without its end, which may have been cut off. */
#include "capture/source/device/fdinfo.h"

#include <string.h>

/* A piece of the text, without a NUL. */
struct word {
	const char *at;
	size_t len;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
	       c == '.' || c == ':';
}

static struct word next_word(struct word *line)
{
	struct word word;

	while (line->len && is_blank(*line->at))
		line->at++, line->len--;
	word = (struct word){ line->at, 0 };
	while (line->len && !is_blank(*line->at))
		line->at++, line->len--, word.len++;
	return word;
}

static bool is_word(struct word word, const char *text)
{
	return word.len == strlen(text) && !memcmp(word.at, text, word.len);
}

/* Whether a key begins with prefix; the rest of it. */
static bool has_prefix(struct word key, const char *prefix, struct word *rest)
{
	size_t len = strlen(prefix);

	if (key.len <= len || memcmp(key.at, prefix, len))
		return false;
	*rest = (struct word){ key.at + len, key.len - len };
	return true;
}

static bool copy_name(struct word word, char *name)
{
	if (!word.len || word.len >= FDINFO_NAME)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (!is_plain(word.at[i]))
			return false;
	memcpy(name, word.at, word.len);
	name[word.len] = 0;
	return true;
}

static bool to_number(struct word word, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < word.len; i++)
		if (word.at[i] < '0' || word.at[i] > '9' || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(word.at[i] - '0'), &value))
			return false;
	*out = value;
	return word.len > 0;
}

/* A number with its unit, as bytes, hertz, nanoseconds; false: no such unit, or too large. */
static bool read_value(struct word value, const char *const units[], const uint64_t factors[], uint64_t *out)
{
	struct word number = next_word(&value), unit = next_word(&value);
	uint64_t plain;

	if (!to_number(number, &plain) || next_word(&value).len)
		return false;
	for (int i = 0; units[i]; i++)
		if (is_word(unit, units[i]))
			return !__builtin_mul_overflow(plain, factors[i], out);
	return false;
}

static bool read_bytes(struct word value, uint64_t *out)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB", NULL };
	static const uint64_t factors[] = { 1, 1 << 10, 1 << 20, 1 << 30 };

	return read_value(value, units, factors, out);
}

static bool read_hertz(struct word value, uint64_t *out)
{
	static const char *const units[] = { "", "Hz", "KHz", "MHz", NULL };
	static const uint64_t factors[] = { 1, 1, 1000, 1000000 };

	return read_value(value, units, factors, out);
}

static bool read_count(struct word value, uint64_t *out)
{
	static const char *const units[] = { "", NULL };
	static const uint64_t factors[] = { 1 };

	return read_value(value, units, factors, out);
}

static bool read_ns(struct word value, uint64_t *out)
{
	static const char *const units[] = { "ns", NULL };
	static const uint64_t factors[] = { 1 };

	return read_value(value, units, factors, out);
}

/* Found or made; NULL: an unusual name, or too many. */
static struct fdinfo_engine *engine_of(struct fdinfo *info, struct word name)
{
	struct fdinfo_engine engine = { .capacity = 1 };

	if (!copy_name(name, engine.name))
		return NULL;
	for (size_t i = 0; i < info->n_engines; i++)
		if (!strcmp(info->engine[i].name, engine.name))
			return &info->engine[i];
	if (info->n_engines == FDINFO_ENGINES)
		return NULL;
	info->engine[info->n_engines] = engine;
	return &info->engine[info->n_engines++];
}

static struct fdinfo_region *region_of(struct fdinfo *info, struct word name)
{
	struct fdinfo_region region = { .name = "" };

	if (!copy_name(name, region.name))
		return NULL;
	for (size_t i = 0; i < info->n_regions; i++)
		if (!strcmp(info->region[i].name, region.name))
			return &info->region[i];
	if (info->n_regions == FDINFO_REGIONS)
		return NULL;
	info->region[info->n_regions] = region;
	return &info->region[info->n_regions++];
}

/* "drm-engine-capacity-NAME" before "drm-engine-NAME". */
static void read_engine(struct fdinfo *info, struct word key, struct word value)
{
	static const struct {
		const char *prefix;
		bool (*read)(struct word value, uint64_t *out);
		size_t offset;
		unsigned told;
	} fields[] = {
		{ "drm-engine-capacity-", read_count, offsetof(struct fdinfo_engine, capacity), 0 },
		{ "drm-engine-", read_ns, offsetof(struct fdinfo_engine, busy_ns), FDINFO_BUSY },
		{ "drm-cycles-", read_count, offsetof(struct fdinfo_engine, cycles), FDINFO_CYCLES },
		{ "drm-total-cycles-", read_count, offsetof(struct fdinfo_engine, total_cycles), FDINFO_TOTAL_CYCLES },
		{ "drm-maxfreq-", read_hertz, offsetof(struct fdinfo_engine, max_hz), FDINFO_MAX_HZ },
	};
	struct fdinfo_engine *engine;
	struct word name;
	uint64_t number;

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (!has_prefix(key, fields[i].prefix, &name))
			continue;
		if (!fields[i].read(value, &number) || (!fields[i].told && (!number || number > 1024)))
			return;
		engine = engine_of(info, name);
		if (!engine)
			return;
		memcpy((char *)engine + fields[i].offset, &number, sizeof number);
		engine->told |= fields[i].told;
		return;
	}
}

/* drm-memory- is the older name of drm-resident-. */
static void read_region(struct fdinfo *info, struct word key, struct word value)
{
	bool is_total, is_resident;
	struct fdinfo_region *region;
	struct word name;
	uint64_t bytes;

	if (has_prefix(key, "drm-total-cycles-", &name))
		return;
	is_total = has_prefix(key, "drm-total-", &name);
	is_resident = !is_total && (has_prefix(key, "drm-resident-", &name) || has_prefix(key, "drm-memory-", &name));
	if (!(is_total || is_resident) || !read_bytes(value, &bytes))
		return;
	region = region_of(info, name);
	if (!region)
		return;
	if (is_total) {
		region->has_total = true;
		region->total_bytes = bytes;
	} else {
		region->has_resident = true;
		region->resident_bytes = bytes;
	}
}

static void read_line(struct fdinfo *info, struct word key, struct word value)
{
	struct word word = value;

	word = next_word(&word);
	if (is_word(key, "drm-driver")) {
		copy_name(word, info->driver);
	} else if (is_word(key, "drm-pdev")) {
		copy_name(word, info->pci);
	} else if (is_word(key, "drm-client-id")) {
		info->has_client = to_number(word, &info->client);
	} else {
		read_engine(info, key, value);
		read_region(info, key, value);
	}
}

bool fdinfo_parse(const char *text, size_t len, struct fdinfo *out)
{
	const char *end = text + len, *line_end, *colon;

	memset(out, 0, sizeof *out);
	for (; (line_end = memchr(text, '\n', (size_t)(end - text))); text = line_end + 1) {
		colon = memchr(text, ':', (size_t)(line_end - text));
		if (colon)
			read_line(out, (struct word){ text, (size_t)(colon - text) },
				  (struct word){ colon + 1, (size_t)(line_end - colon - 1) });
	}
	return *out->driver;
}
