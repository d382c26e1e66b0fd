// SPDX-License-Identifier: Apache-2.0
/* Finds programs by number, by name or path, or by the runtime that they have loaded. */
#include "cmd/table/top_choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "base/privilege.h"
#include "capture/recorder/attach/attach_list.h"

static int choose_pid(struct recorder_attach_opts *job, const char *word, struct attach_match *match, struct err *err)
{
	char *end;
	long pid = strtol(word, &end, 10);
	int code;

	if (*end || end == word || pid <= 0 || pid > 1 << 22)
		return opt_misused(err, "'%.60s' is not a PID; options come before PIDs, and a command begins with --",
				   word);
	code = attach_find_pid((pid_t)pid, match, err);
	return code ? code : attached_add(job->attached, match->pid, match->start_ticks, err);
}

static int choose_pids(struct recorder_attach_opts *job, int n, char **words, struct top_choice *choice,
		       struct err *err)
{
	struct attach_match match = { 0 };
	int code = 0;

	for (int i = 0; i < n && !code; i++)
		code = choose_pid(job, words[i], &match, err);
	if (n == 1)
		snprintf(choice->what, sizeof choice->what, "%.150s (%d)", *match.command ? match.command : match.name,
			 (int)match.pid);
	else
		snprintf(choice->what, sizeof choice->what, "%d programs", n);
	return code;
}

static int choose_by_wish(struct recorder_attach_opts *job, struct top_choice *choice, struct err *err)
{
	const char *text = job->wish.name ? job->wish.name : job->wish.path;
	struct attach_matches matches;
	struct err ignored;
	int code = attach_find(&job->wish, &matches, err);

	for (size_t i = 0; i < matches.n && !code; i++)
		attached_add(job->attached, matches.match[i].pid, matches.match[i].start_ticks, &ignored);
	if (!code && job->injects && !job->attached->n)
		code = err_set(err, ESRCH,
			       "cannot attach: no running program %s %.80s; inftrace ps lists the programs that have a "
			       "runtime loaded",
			       job->wish.name ? "is called" : "has the path", text);
	attach_matches_done(&matches);
	snprintf(choice->what, sizeof choice->what, "programs %s %.120s", job->wish.name ? "called" : "of", text);
	return code;
}

static void remark(struct top_choice *choice, const struct attach_list *list, const struct attach_row *row)
{
	size_t used = strlen(choice->remark);

	if (row)
		snprintf(choice->remark + used, sizeof choice->remark - used, "%s%.40s (%d): %s", used ? "; " : "",
			 row->match.name, (int)row->match.pid, *row->obstacle ? row->obstacle : list->no_probes);
}

static void say_unread(struct top_choice *choice, const struct attach_list *list)
{
	if (list->hides_others)
		snprintf(choice->unread, sizeof choice->unread,
			 "/proc hides the programs of other users (hidepid): sudo inftrace top");
	else if (list->n_unreadable)
		snprintf(choice->unread, sizeof choice->unread,
			 "%zu process%s could not be looked into: %.60s (%d): %.300s", list->n_unreadable,
			 list->n_unreadable == 1 ? "" : "es", list->unread[0].name, (int)list->unread[0].pid,
			 list->unread[0].why.msg);
}

static int choose_all(struct recorder_attach_opts *job, struct top_choice *choice, struct err *err)
{
	struct attach_list list;
	struct err ignored;
	int code = attach_list_find(&list, err);

	for (size_t i = 0; i < list.n && !code; i++) {
		const struct attach_row *row = &list.row[i];

		if (job->injects ? row->can_inject : row->can_probe)
			attached_add(job->attached, row->match.pid, row->match.start_ticks, &ignored);
		else
			remark(choice, &list, row);
	}
	if (!code)
		say_unread(choice, &list);
	if (!code && job->injects && !job->attached->n)
		code = err_set(
		    err, ESRCH,
		    "cannot attach: no program that has a runtime loaded can be injected into; see inftrace ps");
	attach_list_done(&list);
	snprintf(choice->what, sizeof choice->what, "all programs that load a runtime%s",
		 job->injects ? ", as of now" : "");
	return code;
}

int top_choose(struct recorder_attach_opts *job, int n, char **words, struct top_choice *choice, struct err *err)
{
	bool was_on = privilege_use(true), has_wish = job->wish.name || job->wish.path;
	int code;

	*choice = (struct top_choice){ "" };
	code = n	  ? choose_pids(job, n, words, choice, err)
	       : has_wish ? choose_by_wish(job, choice, err)
			  : choose_all(job, choice, err);
	job->takes_all = job->attached->waits = !n && !job->injects;
	privilege_use(was_on);
	return code;
}
