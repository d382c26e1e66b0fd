// SPDX-License-Identifier: Apache-2.0
/* `inftrace ps`: lists the programs that have a runtime loaded. Which these are attach_list.h finds out. */
#include <stdio.h>
#include <string.h>

#include "base/privilege.h"
#include "base/text/json.h"
#include "cmd/cmd.h"
#include "cmd/table/ps_table.h"

struct ps_opts {
	bool json, pids, names, all;
};

static const struct opt ps_opt_table[] = {
	{ 'a', "all", NULL, "list each process of a program that has the runtime in its own executable", OPT_FLAG,
	  offsetof(struct ps_opts, all) },
	{ 0, "json", NULL, "print JSON", OPT_FLAG, offsetof(struct ps_opts, json) },
	{ 0, "pids", NULL, "print PIDs only, one per line", OPT_FLAG, offsetof(struct ps_opts, pids) },
	{ 0, "names", NULL, "print names only, one per line, as attach --name takes them", OPT_FLAG,
	  offsetof(struct ps_opts, names) },
	{ 0 },
};

static void put_copies(struct json *json, const struct attach_row *row)
{
	json_array(json, "runtimes");
	for (size_t i = 0; i < row->n_copies && i < ATTACH_RUNTIMES; i++) {
		const struct attach_copy *copy = &row->copy[i];
		json_object(json, NULL);
		json_text(json, "name", copy->runtime ? copy->runtime->name : NULL);
		json_text(json, "title", copy->runtime ? copy->runtime->title : NULL);
		json_text(json, "version", *copy->version ? copy->version : NULL);
		json_text(json, "path", copy->path);
		json_bool(json, "deleted", copy->is_deleted);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_row(struct json *json, const struct attach_row *row)
{
	json_object(json, NULL);
	json_int(json, "pid", row->match.pid);
	json_int(json, "parent", row->parent);
	json_known(json, "leader", row->leader ? row->leader : -1);
	json_known(json, "pid_in_namespace", row->inner_pid ? row->inner_pid : -1);
	json_text(json, "user", ps_table_user(row->user).s);
	json_int(json, "uid", row->user);
	json_count(json, "age_s", row->match.age_s);
	json_count(json, "threads", row->n_threads);
	json_text(json, "name", row->match.name);
	json_text(json, "command", row->match.command);
	put_copies(json, row);
	json_text(json, "not_recorded", *row->others ? row->others : NULL);
	json_bool(json, "can_attach", row->can_probe);
	json_bool(json, "can_inject", row->can_inject);
	json_text(json, "obstacle", *row->obstacle ? row->obstacle : NULL);
	json_end(json, '}');
}

static void put_unread(struct json *json, const struct attach_list *list)
{
	json_array(json, "unreadable_processes");
	for (size_t i = 0; i < list->n_unreadable && i < ATTACH_UNREAD; i++) {
		json_object(json, NULL);
		json_int(json, "pid", list->unread[i].pid);
		json_text(json, "name", list->unread[i].name);
		json_text(json, "reason", list->unread[i].why.msg);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_others(struct json *json, const struct attach_list *list)
{
	json_array(json, "not_recorded");
	for (size_t i = 0; i < list->n_others && i < ATTACH_OTHERS; i++) {
		json_object(json, NULL);
		json_int(json, "pid", list->other[i].pid);
		json_text(json, "name", list->other[i].name);
		json_text(json, "runtimes", list->other[i].runtimes);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void print_json(const struct attach_list *list)
{
	struct json json;

	json_init(&json, stdout);
	json_object(&json, NULL);
	json_array(&json, "programs");
	for (size_t i = 0; i < list->n; i++)
		put_row(&json, &list->row[i]);
	json_end(&json, ']');
	put_others(&json, list);
	json_count(&json, "unreadable", list->n_unreadable);
	put_unread(&json, list);
	json_bool(&json, "others_hidden", list->hides_others);
	json_text(&json, "attach_problem", *list->no_probes ? list->no_probes : NULL);
	json_end(&json, '}');
	json_done(&json);
}

static void print_pids(const struct attach_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		printf("%d\n", (int)list->row[i].match.pid);
}

/* The script of an interpreter, else the executable; one that a terminal or a shell would not take as it is, is left
 * out. */
static void print_names(const struct attach_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct attach_names names;
		const char *name;
		attach_fit_names(list->row[i].match.pid, &names);
		name = *names.name[0] ? names.name[0] : names.name[1];
		if (*name && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-")])
			puts(name);
	}
}

static int run(const void *opaque, int argc, char **argv, struct err *err)
{
	const struct ps_opts *opts = opaque;
	struct attach_list list;
	bool was_on;
	int code;

	if (opts->json + opts->pids + opts->names > 1)
		return opt_misused(err, "give one of --json, --pids and --names");
	was_on = privilege_use(true);
	code = attach_list_find(&list, err);
	privilege_use(was_on);
	if (!code && opts->json)
		print_json(&list);
	else if (!code && opts->pids)
		print_pids(&list);
	else if (!code && opts->names)
		print_names(&list);
	else if (!code)
		ps_table_print(stdout, &list, opts->all);
	if (!code)
		code = list.n ? CMD_DONE : CMD_NO;
	attach_list_done(&list);
	return code;
}

const struct cmd cmd_ps = {
	.name = "ps",
	.usage = "[options]",
	.summary = "list the running programs that have a runtime loaded",
	.help =
	    "Lists the programs of this machine that have a runtime loaded, however it is named, linked or packaged, "
	    "also in containers: PID, user, age, threads, the runtime with its version, and the command. It reads "
	    "/proc and the files that processes have mapped, and touches no process.\n\n"
	    "ATTACH says how a program can be recorded: yes (inftrace attach PID), --inject (only by inftrace "
	    "attach --inject PID), or no. Without root, processes of other users cannot be looked into; ps prints "
	    "how many there are. A program that has the runtime in its own executable, such as a browser, has it in "
	    "each "
	    "of its processes: their first one is listed, with how many more there are. Programs with runtimes that "
	    "inftrace does not record, such as ncnn, "
	    "are "
	    "listed below the table.\n\n"
	    "The exit status is 0 when there is such a program, 1 when there is none, 3 when ps failed.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace ps", "what can be attached to" },
		{ "sudo inftrace ps", "the programs of all users" },
		{ "sudo inftrace attach $(sudo inftrace ps --pids)", "record all of them" },
		{ "inftrace ps --json | jq '.programs[].runtimes[0].version'", "which versions are in use" },
		{ 0 },
	    },
	.opts = ps_opt_table,
	.opts_size = sizeof(struct ps_opts),
	.is_privileged = true,
	.run = run,
};
