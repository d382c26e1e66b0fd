// SPDX-License-Identifier: Apache-2.0
/* A ring of rows, and where each key's row is in it; of keys that share a place, the last. Interprets no row. */
#include <stdlib.h>

#include "trace/export/export_ort_in.h"

#define BETWEEN ",\n"

static void write_row(struct held_rows *rows, const char *text, size_t len)
{
	text_out_text(rows->out, rows->has_row ? BETWEEN : "[\n");
	text_out_put(rows->out, text, len);
	rows->has_row = true;
}

static void write_oldest(struct held_rows *rows)
{
	struct held_row *row = &rows->row[rows->first++ % HELD_ROWS];

	write_row(rows, row->text, row->len);
	rows->n--;
}

static void write_all(struct held_rows *rows)
{
	while (rows->n)
		write_oldest(rows);
}

/* false: out of memory, and the row is unchanged. */
static bool append(struct held_row *row, const char *between, const char *text, size_t len)
{
	size_t room = row->room ? row->room : 512, need = row->len + strlen(between) + len;
	char *grown;

	while (room < need)
		room *= 2;
	grown = room > row->room ? realloc(row->text, room) : row->text;
	if (!grown)
		return false;
	row->text = grown;
	row->room = room;
	memcpy(row->text + row->len, between, strlen(between));
	memcpy(row->text + need - len, text, len);
	row->len = need;
	return true;
}

static struct held_place *place_of(struct held_rows *rows, uint64_t key)
{
	return &rows->place[(key * 0x9e3779b97f4a7c15u >> 32) % (2 * HELD_ROWS)];
}

/* false: out of memory. */
static bool hold(struct held_rows *rows, const char *text, size_t len, uint64_t key)
{
	uint64_t number = rows->first + rows->n;
	struct held_row *row = &rows->row[number % HELD_ROWS];

	row->len = 0;
	if (!append(row, "", text, len))
		return false;
	rows->n++;
	if (key)
		*place_of(rows, key) = (struct held_place){ key, number };
	return true;
}

void held_rows_put(struct held_rows *rows, const char *text, size_t len, uint64_t key)
{
	if (rows->n == HELD_ROWS)
		write_oldest(rows);
	if ((rows->n || key) && hold(rows, text, len, key))
		return;
	write_all(rows);
	write_row(rows, text, len);
}

void held_rows_put_behind(struct held_rows *rows, const char *text, size_t len, uint64_t key)
{
	const struct held_place *place = place_of(rows, key);

	if (!key || place->key != key || place->number < rows->first || place->number >= rows->first + rows->n ||
	    !append(&rows->row[place->number % HELD_ROWS], BETWEEN, text, len))
		held_rows_put(rows, text, len, 0);
}

void held_rows_end(struct held_rows *rows)
{
	write_all(rows);
	text_out_text(rows->out, rows->has_row ? "\n]\n" : "[\n]\n");
}

void held_rows_done(struct held_rows *rows)
{
	for (size_t i = 0; i < HELD_ROWS; i++)
		free(rows->row[i].text);
}
