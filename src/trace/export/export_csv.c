// SPDX-License-Identifier: Apache-2.0
/*
 * Tables as CSV (RFC 4180, but lines end in \n): a folder with a file for each table, or one table. The first line
 * names the columns; an empty field is an unknown value.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/export/tables.h"

struct csv {
	struct tables tables;
	struct text_out *out[N_TABLES]; /* NULL: this table is not written */
	bool is_folder;			/* the files are its own */
};

static void put_value(struct text_out *out, const struct table_value *value)
{
	if (value->type == TABLE_INT)
		text_out_int(out, value->integer);
	else if (value->type == TABLE_REAL)
		text_out_real(out, value->real);
	else if (value->type == TABLE_TEXT)
		text_out_csv(out, value->text);
}

static int row(struct tables *to, size_t table, const struct table_value *values, struct err *err)
{
	struct csv *csv = (struct csv *)to;
	struct text_out *out = csv->out[table];

	if (!out)
		return 0;
	for (size_t i = 0; i < tables_list[table].n_columns; i++) {
		if (i)
			text_out_char(out, ',');
		put_value(out, &values[i]);
	}
	text_out_char(out, '\n');
	return out->code ? text_out_flush(out, err) : 0;
}

static int add_table(struct csv *csv, size_t table, int fd, struct err *err)
{
	struct text_out *out = malloc(sizeof *out);

	if (!out)
		return err_no_memory(err, "cannot write the file");
	text_out_init(out, fd);
	csv->out[table] = out;
	for (size_t i = 0; i < tables_list[table].n_columns; i++) {
		if (i)
			text_out_char(out, ',');
		text_out_text(out, tables_list[table].columns[i].name);
	}
	text_out_char(out, '\n');
	return 0;
}

static int add_file(struct csv *csv, size_t table, int folder, struct err *err)
{
	char name[40];
	int fd, code;

	snprintf(name, sizeof name, "%s.csv", tables_list[table].name);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "cannot create %s: %s", name, strerror(errno));
	code = add_table(csv, table, fd, err);
	if (code)
		close(fd);
	return code;
}

static void done(struct csv *csv)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		if (csv->out[i] && csv->is_folder)
			close(csv->out[i]->fd);
		free(csv->out[i]);
	}
	pairing_done(&csv->tables.pairing);
	free(csv);
}

static int no_such_table(const char *name, struct err *err)
{
	char list[200] = "";
	size_t len = 0;

	for (size_t i = 0; i < N_TABLES; i++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", tables_list[i].name);
	return err_set(err, EINVAL, "there is no table '%.40s'; tables are %s", name, list);
}

/* The tables that are wanted, with their first line. */
static int add_tables(struct csv *csv, int fd, const char *name, struct err *err)
{
	int code = 0;
	size_t n = 0;

	for (size_t i = 0; i < N_TABLES && !code; i++) {
		if (name && strcmp(name, tables_list[i].name) != 0)
			continue;
		code = name ? add_table(csv, i, fd, err) : add_file(csv, i, fd, err);
		n++;
	}
	return n ? code : no_such_table(name, err);
}

static struct sink *start_table(int fd, const char *name, struct names *names, uint32_t *last_track, struct err *err)
{
	struct csv *csv = calloc(1, sizeof *csv);

	if (!csv) {
		err_no_memory(err, "cannot write the file");
		return NULL;
	}
	csv->is_folder = !name;
	tables_init(&csv->tables, fd, names, last_track);
	csv->tables.row = row;
	if (add_tables(csv, fd, name, err)) {
		done(csv);
		return NULL;
	}
	return &csv->tables.pairing.sink;
}

static int end(struct sink *sink, struct export_losses *losses, struct err *err)
{
	struct csv *csv = (struct csv *)sink;
	int code;

	if (!csv)
		return 0;
	code = tables_finish(&csv->tables, err);
	if (losses)
		pairing_losses(&csv->tables.pairing, losses);
	for (size_t i = 0; i < N_TABLES && !code; i++)
		if (csv->out[i])
			code = text_out_flush(csv->out[i], err);
	done(csv);
	return code;
}

const struct exporter export_csv = {
	.name = "csv",
	.suffix = ".csv",
	.help = "tables as CSV: a folder, or one of them with --table",
	.open_table = start_table,
	.close = end,
};
