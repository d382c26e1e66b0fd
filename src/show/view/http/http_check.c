// SPDX-License-Identifier: Apache-2.0
/*
 * Who may ask: a page of this server alone. The token keeps out other users and programs of the machine; Host keeps out
 * pages that reach the server under a name of their own; Origin and Sec-Fetch-Site keep out all other pages.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "show/view/http/http_in.h"

int http_self_init(struct http_self *self, uint16_t port, struct err *err)
{
	static const char *const name[] = { "127.0.0.1", "localhost" };
	unsigned char random[HTTP_TOKEN_LEN / 2];

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return err_set(err, EIO, "cannot make a secret address: the kernel gives no random numbers");
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(self->token + 2 * i, 3, "%02x", random[i]);
	for (int i = 0; i < 2; i++) {
		/* browsers leave out the port of the protocol */
		if (port == 80)
			snprintf(self->host[i], sizeof self->host[i], "%s", name[i]);
		else
			snprintf(self->host[i], sizeof self->host[i], "%s:%u", name[i], port);
		snprintf(self->origin[i], sizeof self->origin[i], "http://%s", self->host[i]);
	}
	return 0;
}

/* Takes as long for any token of the same length. */
static bool is_token(const struct http_self *self, const char *token)
{
	unsigned char differs = 0;

	if (strlen(token) != HTTP_TOKEN_LEN)
		return false;
	for (size_t i = 0; i < HTTP_TOKEN_LEN; i++)
		differs |= (unsigned char)(token[i] ^ self->token[i]);
	return !differs;
}

struct headers {
	const struct http_self *self;
	unsigned n_hosts, n_wrong_hosts, n_origins, n_foreign, n_foreign_sites;
	bool has_body, is_navigation, is_document;
};

/* Each header by itself: a look-up by name would see the first of two. */
static enum MHD_Result take_header(void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct headers *to = ctx;
	const struct http_self *self = to->self;

	value = value ? value : "";
	if (!strcasecmp(key, "Host")) {
		to->n_hosts++;
		to->n_wrong_hosts += strcmp(value, self->host[0]) && strcmp(value, self->host[1]);
	} else if (!strcasecmp(key, "Origin")) {
		to->n_origins++;
		to->n_foreign += strcmp(value, self->origin[0]) && strcmp(value, self->origin[1]);
	} else if (!strcasecmp(key, "Sec-Fetch-Site")) {
		to->n_foreign_sites += strcmp(value, "same-origin") && strcmp(value, "none");
	} else if (!strcasecmp(key, "Sec-Fetch-Mode")) {
		to->is_navigation = !strcmp(value, "navigate");
	} else if (!strcasecmp(key, "Sec-Fetch-Dest")) {
		to->is_document = !strcmp(value, "document");
	} else if (!strcasecmp(key, "Transfer-Encoding")) {
		to->has_body = true;
	} else if (!strcasecmp(key, "Content-Length")) {
		to->has_body |= strcmp(value, "0") != 0;
	}
	return MHD_YES;
}

unsigned http_check(const struct http_self *self, struct MHD_Connection *connection, const struct http_request *request,
		    const char *method, bool takes_posts, const char **why)
{
	bool is_post = takes_posts && !strcmp(method, "POST");
	struct headers headers = { .self = self };

	mhd()->get_connection_values(connection, MHD_HEADER_KIND, take_header, &headers);
	if (headers.n_hosts != 1 || headers.n_wrong_hosts) {
		*why = "this server answers to 127.0.0.1 and localhost with its port alone";
		return MHD_HTTP_FORBIDDEN;
	}
	/* a link to the page may stand anywhere: who follows it has the token, and no other page sees the answer */
	if (headers.is_navigation && headers.is_document && !*request->name)
		headers.n_foreign_sites = 0;
	if (headers.n_foreign || headers.n_foreign_sites) {
		*why = "another page may not ask this server";
		return MHD_HTTP_FORBIDDEN;
	}
	if (!is_token(self, request->token)) {
		*why = "the address has no valid token; inftrace printed the whole address when it started";
		return MHD_HTTP_FORBIDDEN;
	}
	/* the page's own scripts always send it */
	if (is_post && headers.n_origins != 1) {
		*why = "only the page itself may ask for this";
		return MHD_HTTP_FORBIDDEN;
	}
	if (strcmp(method, "GET") && !is_post) {
		*why = "this server answers GET alone";
		return MHD_HTTP_METHOD_NOT_ALLOWED;
	}
	if (headers.has_body) {
		*why = "a request may not have a body";
		return MHD_HTTP_CONTENT_TOO_LARGE;
	}
	return 0;
}
