// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "fleet/door/door_in.h"

enum { LONGEST = 64 << 10 };

char *secret_read(const char *path, const char *what, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = fd < 0 ? NULL : malloc(LONGEST + 1);
	ssize_t got = text ? read(fd, text, LONGEST + 1) : -1;
	int code = errno;

	if (fd >= 0)
		close(fd);
	if (got > LONGEST) {
		free(text);
		err_set(err, EFBIG, "cannot read the %s from %.160s: the file is larger than %d KiB", what, path,
			LONGEST >> 10);
		return NULL;
	}
	while (got > 0 && strchr(" \t\r\n", text[got - 1]))
		got--;
	if (got > 0) {
		text[got] = 0;
		return text;
	}
	free(text);
	if (got < 0)
		err_set(err, code, "cannot read the %s from %.160s: %s", what, path, strerror(code));
	else
		err_set(err, EINVAL, "cannot read the %s from %.160s: the file is empty", what, path);
	return NULL;
}

/* In constant time. */
static bool secret_is(const char *secret, const char *given)
{
	size_t len = strlen(secret), given_len = strlen(given);
	unsigned char differs = len != given_len;

	for (size_t i = 0; i < len; i++)
		differs |= (unsigned char)(secret[i] ^ given[given_len ? i % given_len : 0]);
	return !differs;
}

bool secret_is_borne(const char *secret, const char *given)
{
	static const char scheme[] = "Bearer ";

	return given && !strncasecmp(given, scheme, sizeof scheme - 1) && secret_is(secret, given + sizeof scheme - 1);
}
