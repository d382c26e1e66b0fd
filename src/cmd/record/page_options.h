/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of every command that serves a page: view, live, and --live of those that record. Says where the page is
 * and when it ends with whoever started it; serves nothing.
 */
#ifndef CMD_PAGE_OPTIONS_H
#define CMD_PAGE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/opt.h"
#include "show/view/http/http_door.h"

struct page_options {
	int port;
	const char *socket;
	bool no_browser, ends_with_stdin, is_framed;
};

/* The rows: `type` is the command's struct, `field` its struct page_options. */
#define PAGE_OPTIONS(type, field) \
	{ 0,  "port", "N", "serve the page on this port; 0: on any that is free", OPT_INT, offsetof(type, field.port), \
	  "0" }, \
	    { 0,       "socket", \
	      "PATH",  "serve the page on a new socket that you alone can open, instead of a port: for an editor", \
	      OPT_STR, offsetof(type, field.socket) }, \
	    { 0,	"embed", \
	      NULL,	"let another page of this machine, such as a notebook, show the page in a frame", \
	      OPT_FLAG, offsetof(type, field.is_framed) }, \
	    { 0,	"no-browser", \
	      NULL,	"open no browser; by default one is opened on a desktop", \
	      OPT_FLAG, offsetof(type, field.no_browser) }, \
	{ \
		0, "exit-with-stdin", NULL, "end when standard input, a pipe, is closed: for an editor", OPT_FLAG, \
		    offsetof(type, field.ends_with_stdin) \
	}

/* 0, or opt_misused's code and err. */
int page_options_check(const struct page_options *options, struct err *err);
struct http_door page_options_door(const struct page_options *options);
/*
 * Prints the page's address (`to`: stdout, or stderr where that is the program's) and opens a browser. 0, or -errno and
 * err: a page whose address nobody learns is of no use.
 */
int page_options_announce(const struct page_options *options, const char *address, FILE *to, struct err *err);

/* Adds standard input to an epoll descriptor if the page ends with it. 0, or -errno and err: it is no pipe. */
int page_options_watch(const struct page_options *options, int epoll, struct err *err);
/* Whether standard input has ended, of a page that ends with it. */
bool page_options_is_over(const struct page_options *options);

#endif
