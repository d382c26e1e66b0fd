/* SPDX-License-Identifier: Apache-2.0 */
/* What the keyboard gives. A header of its own, because curses.h and the events have names in common. */
#ifndef SHOW_TOP_KEYS_H
#define SHOW_TOP_KEYS_H

/* Keys beyond characters. A character is its code point. */
enum top_key {
	TOP_KEY_UP = 0x200000,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_TAB,
	TOP_KEY_ENTER,
	TOP_KEY_ESCAPE,
	TOP_KEY_BACKSPACE,
	TOP_KEY_REDRAW, /* Ctrl-L */
	TOP_KEY_F1,	/* and those up to F10 */
	TOP_KEY_F10 = TOP_KEY_F1 + 9,
};

#endif
