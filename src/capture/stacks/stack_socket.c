// SPDX-License-Identifier: Apache-2.0
/*
 * What is behind a descriptor: a link below /proc/PID/fd. A socket has a number there, by which the lists of
 * /proc/PID/net have its addresses. The lists are those of the process's network.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/stacks/stack_call.h"

enum { MAX_SOCKETS = 4096, LISTEN = 10 };
#define AGAIN_NS UINT64_C(1000000000)

struct socket {
	uint64_t inode;
	char text[72];
};

static const struct socket *find(const struct stack_sockets *sockets, uint64_t inode)
{
	const struct socket *known = sockets->known.data;

	for (size_t i = 0; i < sockets->known.n; i++)
		if (known[i].inode == inode)
			return &known[i];
	return NULL;
}

static struct socket *add(struct stack_sockets *sockets, uint64_t inode)
{
	struct socket *known = (struct socket *)find(sockets, inode);

	if (!known && sockets->known.n < MAX_SOCKETS && (known = array_add(&sockets->known, sizeof *known)))
		known->inode = inode;
	return known;
}

/* Words of an address as the kernel prints them: in the machine's order, of bytes in the network's. */
static void put_address(const char *hex, unsigned port, char *to, size_t size)
{
	bool is_6 = strlen(hex) == 32;
	char text[INET6_ADDRSTRLEN];
	uint32_t word[4] = { 0 };
	char part[9] = "";

	for (int i = 0; i < (is_6 ? 4 : 1); i++) {
		memcpy(part, hex + 8 * i, 8);
		word[i] = (uint32_t)strtoul(part, NULL, 16);
	}
	if (!inet_ntop(is_6 ? AF_INET6 : AF_INET, word, text, sizeof text))
		*text = 0;
	snprintf(to, size, is_6 ? "[%s]:%u" : "%s:%u", text, port);
}

/* Of a connection the other end; of what listens its own. */
static void take_internet(struct stack_sockets *sockets, const char *line, uint64_t wanted)
{
	char own[40], other[40];
	unsigned own_port, other_port, state;
	struct socket *known;
	uint64_t inode;

	if (sscanf(line, "%*d: %39[0-9A-F]:%X %39[0-9A-F]:%X %X %*x:%*x %*x:%*x %*x %*u %*d %" SCNu64, own, &own_port,
		   other, &other_port, &state, &inode) != 6 ||
	    inode != wanted || (strlen(own) != 8 && strlen(own) != 32) || strlen(own) != strlen(other) ||
	    !(known = add(sockets, inode)))
		return;
	if (state == LISTEN || !other_port)
		put_address(own, own_port, known->text, sizeof known->text);
	else
		put_address(other, other_port, known->text, sizeof known->text);
}

static void take_unix(struct stack_sockets *sockets, const char *line, uint64_t wanted)
{
	char path[64] = "";
	struct socket *known;
	uint64_t inode;

	if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %" SCNu64 " %63[^\n]", &inode, path) < 1 || inode != wanted ||
	    !(known = add(sockets, inode)))
		return;
	snprintf(known->text, sizeof known->text, *path ? "%s" : "a socket of this machine%s", path);
}

static void read_list(struct stack_sockets *sockets, pid_t pid, const char *name, uint64_t wanted)
{
	char path[64], line[512];
	FILE *list;

	snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, name);
	list = fopen(path, "re");
	while (list && fgets(line, sizeof line, list) && !find(sockets, wanted))
		(*name == 'u' && name[1] == 'n' ? take_unix : take_internet)(sockets, line, wanted);
	if (list)
		fclose(list);
}

static void put_socket(struct stack_sockets *sockets, pid_t pid, uint64_t inode, uint64_t now_ns, char *to, size_t size)
{
	static const char *const lists[] = { "tcp", "tcp6", "udp", "udp6", "unix" };
	const struct socket *known = find(sockets, inode);

	if (!known && now_ns >= sockets->read_ns) {
		for (size_t i = 0; i < sizeof lists / sizeof *lists && !known; i++) {
			read_list(sockets, pid, lists[i], inode);
			known = find(sockets, inode);
		}
		if (!known)
			sockets->read_ns = now_ns + AGAIN_NS;
	}
	snprintf(to, size, "%s", known ? known->text : "a socket");
}

void stack_call_object(struct stack_sockets *sockets, pid_t tid, int fd, uint64_t now_ns, char *to, size_t size)
{
	char path[64], text[512];
	uint64_t inode;
	ssize_t len;

	*to = 0;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd); /* a thread has a folder, too */
	len = readlink(path, text, sizeof text - 1);
	if (len <= 0)
		return;
	text[len] = 0;
	if (sscanf(text, "socket:[%" SCNu64 "]", &inode) == 1)
		put_socket(sockets, tid, inode, now_ns, to, size);
	else if (!strncmp(text, "pipe:", 5))
		snprintf(to, size, "a pipe");
	else if (!strncmp(text, "anon_inode:", 11))
		snprintf(to, size, "%s", text + 11);
	else
		snprintf(to, size, "%s", text);
}

void stack_sockets_done(struct stack_sockets *sockets)
{
	array_done(&sockets->known, sizeof(struct socket));
}
