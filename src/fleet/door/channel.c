// SPDX-License-Identifier: Apache-2.0
/* A socket of packets carries the descriptors of memory files. The child trusts no length in them. */
#include "fleet/door/channel.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int channel_open(int ends[2], struct err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err_set(err, errno, "cannot open a socket: %s", strerror(errno));
	return 0;
}

/* The head comes last: the sizes are not known before. */
static bool write_sections(FILE *file, const struct door *door, const struct door_in *in, struct door_batch *head)
{
	long begin, end;

	if (fwrite(head, sizeof *head, 1, file) != 1)
		return false;
	for (int section = 0; section < DOOR_SECTIONS; section++) {
		begin = ftell(file);
		head->size[section] = 0;
		if (!door->encode(in, section, file))
			continue;
		end = ftell(file);
		head->size[section] = end > begin ? (uint64_t)(end - begin) : 0;
	}
	rewind(file);
	return fwrite(head, sizeof *head, 1, file) == 1 && !fflush(file) && !ferror(file);
}

int channel_make(const struct door *door, const struct door_in *in, struct door_batch *head)
{
	int fd = memfd_create("inftrace-batch", MFD_CLOEXEC), copy = fd < 0 ? -1 : dup(fd);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
	bool is_whole;

	if (!file) {
		if (copy >= 0)
			close(copy);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	is_whole = write_sections(file, door, in, head);
	if (fclose(file) || !is_whole) {
		close(fd);
		return -1;
	}
	return fd;
}

int channel_send(int channel, int file)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.buf, .msg_controllen = sizeof control.buf
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int code;

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &file, sizeof file);
	code = sendmsg(channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
	close(file);
	return code;
}

bool channel_read_text(int channel, char *text, size_t size, bool *is_over)
{
	ssize_t got = recv(channel, text, size - 1, MSG_DONTWAIT);

	*is_over = !got || (got < 0 && errno != EAGAIN && errno != EINTR);
	if (got <= 0)
		return false;
	text[got] = 0;
	return true;
}

/* -1: none came. */
static int file_of(struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int file = -1;

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
	    head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&file, CMSG_DATA(head), sizeof file);
	return file;
}

static bool map(struct channel_batch *batch, int file)
{
	struct stat stat_;
	uint64_t at = sizeof batch->head;

	if (fstat(file, &stat_) || stat_.st_size < (off_t)sizeof batch->head)
		return false;
	batch->size = (size_t)stat_.st_size;
	batch->mapped = mmap(NULL, batch->size, PROT_READ, MAP_SHARED, file, 0);
	if (batch->mapped == MAP_FAILED)
		return false;
	memcpy(&batch->head, batch->mapped, sizeof batch->head);
	for (int i = 0; i < DOOR_SECTIONS; i++) {
		if (batch->head.size[i] > batch->size - at)
			batch->head.size[i] = batch->size - at;
		batch->section[i] = batch->head.size[i] ? (const char *)batch->mapped + at : NULL;
		at += batch->head.size[i];
	}
	return true;
}

int channel_receive(int channel, struct channel_batch *batch)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char byte;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.buf, .msg_controllen = sizeof control.buf
	};
	ssize_t got = recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int file, is_mapped;

	*batch = (struct channel_batch){ 0 };
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0)
		return -1;
	file = file_of(&message);
	is_mapped = file >= 0 && map(batch, file);
	if (file >= 0)
		close(file);
	return is_mapped;
}

void channel_release(struct channel_batch *batch)
{
	if (batch->mapped && batch->mapped != MAP_FAILED)
		munmap(batch->mapped, batch->size);
	*batch = (struct channel_batch){ 0 };
}

void channel_tell(int channel, const char *format, ...)
{
	char text[DOOR_MESSAGE];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	n = n < (int)sizeof text ? n : (int)sizeof text - 1;
	if (n > 0)
		send(channel, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
}
