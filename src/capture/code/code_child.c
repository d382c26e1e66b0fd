// SPDX-License-Identifier: Apache-2.0
/* The child's loop: a question, an answer. Files stay open until it ends. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/code/code_file.h"

bool code_reader_is_built(void)
{
	return true;
}

/* The size of the question; *fd: of a file that came with it, or -1. */
static ssize_t take_question(int socket, struct code_question *question, int *fd)
{
	struct iovec data = { question, sizeof *question };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof *fd)];
	} control = { 0 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
	};
	ssize_t got;

	*fd = -1;
	do
		got = recvmsg(socket, &message, 0);
	while (got < 0 && errno == EINTR);
	if (got > 0 && message.msg_controllen >= CMSG_LEN(sizeof *fd) && control.header.cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(&control.header), sizeof *fd);
	return got;
}

static struct code_file *file_of(struct array *files, const struct code_question *question, int fd)
{
	struct code_file *file;

	while (files->n <= question->file)
		if (!array_add(files, sizeof *file))
			return NULL;
	file = (struct code_file *)files->data + question->file;
	if (fd >= 0 && !file->elf)
		code_file_open(file, fd);
	return file;
}

static bool answer_to(struct code_file *file, const struct code_question *question, struct code_answer *answer)
{
	uint64_t offset = question->offset;

	if (question->by_address && !code_file_offset(file, question->offset, &offset))
		return false;
	return question->kind == CODE_RULE ? code_file_rule(file, offset, &answer->rule)
					   : code_file_place(file, offset, &answer->place);
}

void code_child(int socket)
{
	static struct code_answer answer;
	struct code_question question;
	struct array files = { 0 };
	int fd;

	while (take_question(socket, &question, &fd) == (ssize_t)sizeof question) {
		struct code_file *file = file_of(&files, &question, fd);

		memset(&answer, 0, sizeof answer);
		answer.number = question.number;
		answer.kind = question.kind;
		if (file && file->elf)
			answer.is_known = answer_to(file, &question, &answer);
		if (fd >= 0)
			close(fd);
		if (send(socket, &answer, sizeof answer, 0) != (ssize_t)sizeof answer)
			return;
	}
}
