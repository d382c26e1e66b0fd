// SPDX-License-Identifier: Apache-2.0
/*
 * Compares the programs of the tree's processes with the programs that agents reported. Both lists are short, and the
 * tree is walked in step with this file's list: both are in order of appearance.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/decode/recorded.h"
#include "capture/proc/proc.h"
#include "capture/proc/program.h"
#include "capture/source/agent/source_agent_in.h"
#include "event/event.h"

const char unseen_unknown[] =
    "the agent could not start in it (a limit on file size or memory, another /dev/shm, "
    "another user, a seccomp filter), or its environment took LD_PRELOAD away or set INFTRACE_DISABLE";

struct unseen_file {
	uint64_t device, inode;
	pid_t pid; /* in which the agent was; 0: not known */
};

struct unseen_program {
	uint64_t number;     /* of the process in the tree */
	uint32_t track, exe; /* exe: the name of its path, which changes with the program */
	pid_t pid;
	struct unseen_file file; /* zeroed: unreadable, so nothing is reported */
	const char *refusal;
	bool is_forked; /* and has not called exec */
};

static bool is_seen(const struct unseen *unseen, const struct unseen_file *file)
{
	for (size_t i = 0; i < unseen->n_seen; i++) {
		const struct unseen_file *seen = &unseen->seen[i];
		if (seen->device == file->device && seen->inode == file->inode &&
		    (!seen->pid || seen->pid == file->pid))
			return true;
	}
	return false;
}

static bool add_seen(struct unseen *unseen, const struct unseen_file *file)
{
	if (!ARRAY_ROOM(unseen->seen, unseen->seen_capacity, unseen->n_seen + 1))
		return false;
	unseen->seen[unseen->n_seen++] = *file;
	return true;
}

bool unseen_has_agent(struct unseen *unseen, pid_t pid, uint64_t device, uint64_t inode)
{
	const struct unseen_file file = { device, inode, pid };

	return is_seen(unseen, &file) || add_seen(unseen, &file);
}

static bool is_in_tree(const struct tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->process[i].pid == pid)
			return true;
	return false;
}

/* What agents reported of processes that are gone; looked for when it may be half of all. */
static void forget_gone(struct unseen *unseen, const struct tree *tree)
{
	size_t kept = 0;

	if (unseen->n_seen < 2 * (tree->n + unseen->n_lasting) + 64)
		return;
	unseen->n_lasting = 0;
	for (size_t i = 0; i < unseen->n_seen; i++) {
		unseen->n_lasting += !unseen->seen[i].pid;
		if (!unseen->seen[i].pid || is_in_tree(tree, unseen->seen[i].pid))
			unseen->seen[kept++] = unseen->seen[i];
	}
	unseen->n_seen = kept;
}

/* As a file that no program has. */
void unseen_is_told(struct unseen *unseen, pid_t pid)
{
	add_seen(unseen, &(struct unseen_file){ .pid = pid });
}

static bool take_told(struct unseen *unseen, pid_t pid)
{
	for (size_t i = 0; i < unseen->n_seen; i++)
		if (unseen->seen[i].pid == pid && !unseen->seen[i].inode) {
			unseen->seen[i] = unseen->seen[--unseen->n_seen];
			return true;
		}
	return false;
}

/* Whether it runs below another recorder, whose agent is the one that its environment leads to. */
static bool has_other_recorder(const struct target *target, pid_t pid)
{
	enum { MAX_ENVIRONMENT = 256 << 10 };
	static const char name[] = "INFTRACE_DIR=";
	char *text = target->ring_dir && !target->n_hosts ? malloc(MAX_ENVIRONMENT + 1) : NULL;
	ssize_t got = text ? proc_read(target->sysroot, pid, "environ", text, MAX_ENVIRONMENT) : -1;
	bool is_other = false;

	if (got >= 0)
		text[got] = 0;
	for (ssize_t at = 0; at < got; at += (ssize_t)strlen(text + at) + 1)
		if (!strncmp(text + at, name, sizeof name - 1))
			is_other = strcmp(text + at + sizeof name - 1, target->ring_dir) != 0;
	free(text);
	return is_other;
}

/* In another mount namespace, such as a container's, it may not find the folder through which agents write. */
static bool lacks_folder(const struct target *target, pid_t pid)
{
	struct stat own, its;
	char path[1024];

	if (!target->ring_dir || *target->sysroot || stat(target->ring_dir, &own) ||
	    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, target->ring_dir) >= (int)sizeof path)
		return false;
	if (stat(path, &its))
		return errno == ENOENT && !kill(pid, 0);
	return own.st_dev != its.st_dev || own.st_ino != its.st_ino;
}

/* Inspected while the process lives, because no path may lead to its file later. */
static struct unseen_program look(const struct target *target, const struct tree_process *process)
{
	struct unseen_program program = {
		.number = process->number,
		.track = process->track,
		.exe = process->exe,
		.pid = process->pid,
		.refusal = "",
	};
	struct proc_stat stat;
	char path[1024], emulator[40];
	struct stat stat_;
	ssize_t got = proc_read(target->sysroot, process->pid, "stat", path, sizeof path);
	int fd;

	program.is_forked = got > 0 && proc_stat_parse(path, (size_t)got, &stat) && stat.is_forked;
	snprintf(path, sizeof path, "%s/proc/%d/exe", target->sysroot, (int)process->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return program;
	if (!fstat(fd, &stat_))
		program.file = (struct unseen_file){ stat_.st_dev, stat_.st_ino, process->pid };
	program.refusal = program_emulator(target->sysroot, process->pid, emulator, sizeof emulator)
			      ? "an emulator runs it: it is not a program for this processor"
			      : program_refusal(fd);
	if (!*program.refusal && !program.is_forked && has_other_recorder(target, process->pid))
		program.refusal = "another recorder of inftrace has its agent in it";
	if (!*program.refusal && lacks_folder(target, process->pid))
		program.refusal = "its /dev/shm is not the recorder's, as in a container; inftrace attach records it "
				  "from outside, while it runs";
	close(fd);
	return program;
}

/* The likely reason when the program's file shows none. */
static const char *likely(const struct unseen *unseen, const struct target *target)
{
	if (unseen->has_other_version)
		return "its agent belongs to another version of inftrace (a second installation, or INFTRACE_AGENT)";
	return target->n_hosts
		   ? "the agent is brought only into programs that have a runtime in them when the recording begins"
		   : unseen_unknown;
}

static int conclude(struct unseen *unseen, const struct target *target, const struct unseen_program *program,
		    struct sink *out, uint64_t now_ns, struct err *err)
{
	struct arg args[4] = { arg_int(KEY_PID, program->pid), arg_name(KEY_EXE, program->exe) };
	char text[600];

	/* a fork has what its parent has, which is reported there */
	if (!program->file.inode || program->is_forked || is_seen(unseen, &program->file) ||
	    take_told(unseen, program->pid))
		return 0;
	snprintf(text, sizeof text, "what %s did was not seen: %s", names_text(out->names, program->exe),
		 *program->refusal ? program->refusal : likely(unseen, target));
	args[2] = arg_text(KEY_STATE, out, text);
	args[3] = arg_int(KEY_COUNT, 1);
	return recorded_note(out, EVENT_NOTE_PROCESS,
			     &(struct event){ .track = program->track, .time_ns = now_ns, .args = args, .n_args = 4 },
			     err);
}

static int add(struct unseen *unseen, const struct unseen_program *program, struct err *err)
{
	if (!ARRAY_ROOM(unseen->program, unseen->capacity, unseen->n + 1))
		return err_no_memory(err, "cannot follow the processes of the target");
	unseen->program[unseen->n++] = *program;
	return 0;
}

int unseen_update(struct unseen *unseen, const struct target *target, struct sink *out, uint64_t now_ns,
		  struct err *err)
{
	const struct tree *tree = target->tree;
	size_t kept = 0, at = 0;
	int result = 0;

	for (size_t i = 0; i < unseen->n && !result; i++) {
		struct unseen_program *program = &unseen->program[i];
		while (at < tree->n && tree->process[at].number < program->number)
			at++;
		bool is_there = at < tree->n && tree->process[at].number == program->number;
		bool is_other = is_there && tree->process[at].exe != program->exe;
		struct unseen_program now = is_other ? look(target, &tree->process[at]) : *program;
		/* its name came later than its file */
		if (is_other && now.file.inode == program->file.inode && now.file.device == program->file.device)
			is_other = false;
		if (!is_there || is_other || target->is_ending)
			result = conclude(unseen, target, is_other ? program : &now, out, now_ns, err);
		if (!is_there || target->is_ending)
			continue;
		unseen->program[kept++] = now;
	}
	unseen->n = kept;
	for (at = tree->n; at > 0 && (!kept || tree->process[at - 1].number > unseen->program[kept - 1].number);)
		at--;
	for (; at < tree->n && !result && !target->is_ending; at++) {
		struct unseen_program program;
		if (!tree->process[at].exe)
			continue;
		program = look(target, &tree->process[at]);
		result = add(unseen, &program, err);
	}
	forget_gone(unseen, tree);
	return result;
}

void unseen_done(struct unseen *unseen)
{
	free(unseen->program);
	free(unseen->seen);
	*unseen = (struct unseen){ 0 };
}
