// SPDX-License-Identifier: Apache-2.0
// Whether the page is light or dark.
import { host } from './host';
import { settings } from './settings';

/** Colours follow the root's data-theme; paper is light. True: it is dark. */
export function applyTheme(): boolean {
	const { theme } = settings();
	const isWished = host.isEditor || theme === 'host' ? host.isDark() : theme === 'dark';
	const isDark = isWished && !matchMedia('print').matches;
	document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
	return isDark;
}
