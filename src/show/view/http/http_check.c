// SPDX-License-Identifier: Apache-2.0
/*
 * Who may ask: a page of this server alone. The token keeps out other users and programs of the machine. Host keeps out
 * pages that reach the server under a name of their own; a tunnel may have another port. Origin, which is that very
 * Host, and Sec-Fetch-Site keep out all other pages.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "show/view/http/http_in.h"

int http_token_init(char token[HTTP_TOKEN_LEN + 1], struct err *err)
{
	unsigned char random[HTTP_TOKEN_LEN / 2];

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return err_set(err, EIO, "cannot make a secret address: the kernel gives no random numbers");
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

/* Takes as long for any token of the same length. */
static bool is_token(const char *token, const char *given)
{
	unsigned char differs = 0;

	if (strlen(given) != HTTP_TOKEN_LEN)
		return false;
	for (size_t i = 0; i < HTTP_TOKEN_LEN; i++)
		differs |= (unsigned char)(given[i] ^ token[i]);
	return !differs;
}

/* A name of this machine that no name server answers for, with any port. */
static bool is_here(const char *host)
{
	static const char *const name[] = { "127.0.0.1", "localhost", "[::1]" };

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		const char *port = host + strlen(name[i]);

		if (strncmp(host, name[i], strlen(name[i])))
			continue;
		if (!*port)
			return true;
		return *port == ':' && port[1] && strlen(port + 1) <= 5 && !port[1 + strspn(port + 1, "0123456789")];
	}
	return false;
}

struct headers {
	const char *host, *origin; /* the last of each */
	unsigned n_hosts, n_origins, n_foreign_sites;
	bool has_body, is_navigation, is_document, is_frame;
};

/* Each header by itself: a look-up by name would see the first of two. */
static enum MHD_Result take_header(void *ctx, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct headers *to = ctx;

	value = value ? value : "";
	if (!strcasecmp(key, "Host")) {
		to->n_hosts++;
		to->host = value;
	} else if (!strcasecmp(key, "Origin")) {
		to->n_origins++;
		to->origin = value;
	} else if (!strcasecmp(key, "Sec-Fetch-Site")) {
		to->n_foreign_sites += strcmp(value, "same-origin") && strcmp(value, "none");
	} else if (!strcasecmp(key, "Sec-Fetch-Mode")) {
		to->is_navigation = !strcmp(value, "navigate");
	} else if (!strcasecmp(key, "Sec-Fetch-Dest")) {
		to->is_document = !strcmp(value, "document");
		to->is_frame = !strcmp(value, "iframe");
	} else if (!strcasecmp(key, "Transfer-Encoding")) {
		to->has_body = true;
	} else if (!strcasecmp(key, "Content-Length")) {
		to->has_body |= strcmp(value, "0") != 0;
	}
	return MHD_YES;
}

/* "http://" and the Host. */
static bool is_own(const struct headers *headers)
{
	static const char scheme[] = "http://";

	return headers->n_origins == 1 && !strncmp(headers->origin, scheme, sizeof scheme - 1) &&
	       !strcmp(headers->origin + sizeof scheme - 1, headers->host);
}

unsigned http_check(const struct http_rules *rules, struct MHD_Connection *connection,
		    const struct http_request *request, const char *method, const char **why)
{
	bool is_post = rules->takes_posts && !strcmp(method, "POST");
	struct headers headers = { 0 };

	mhd()->get_connection_values(connection, MHD_HEADER_KIND, take_header, &headers);
	if (headers.n_hosts != 1 || !is_here(headers.host)) {
		*why = "this server answers to 127.0.0.1, localhost and [::1] alone";
		return MHD_HTTP_FORBIDDEN;
	}
	/* a link to the page may stand anywhere: who follows it has the token, and no other page sees the answer */
	if (headers.is_navigation && !*request->name && (headers.is_document || (headers.is_frame && rules->is_framed)))
		headers.n_foreign_sites = 0;
	if ((headers.n_origins && !is_own(&headers)) || headers.n_foreign_sites) {
		*why = "another page may not ask this server";
		return MHD_HTTP_FORBIDDEN;
	}
	if (!is_token(rules->token, request->token)) {
		*why = "the address has no valid token; inftrace printed the whole address when it started";
		return MHD_HTTP_FORBIDDEN;
	}
	/* the page's own scripts always send it */
	if (is_post && !headers.n_origins) {
		*why = "only the page itself may ask for this";
		return MHD_HTTP_FORBIDDEN;
	}
	if (strcmp(method, "GET") && !is_post) {
		*why = "this server answers GET alone";
		return MHD_HTTP_METHOD_NOT_ALLOWED;
	}
	if (headers.has_body && !(is_post && rules->takes_files)) {
		*why = "a request may not have a body";
		return MHD_HTTP_CONTENT_TOO_LARGE;
	}
	return 0;
}
