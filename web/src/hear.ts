// SPDX-License-Identifier: Apache-2.0
// The stream of events of the server: open while the page is seen, also of a recording that is complete, because its end
// is the first sign that inftrace has ended. Says nothing about what an event means.
import * as api from './api';
import type { Loading } from './api';
import type { App } from './app';
import { host, whenSeen, type Stream } from './host';

const AGAIN_MS = 1000;

/** came: with each event. seen: the page is seen again, and may have missed some. */
export function hear(app: App, came: (data: string) => void, seen: () => void): void {
	let events: Stream | null = null;
	const close = (): void => {
		events?.close();
		events = null;
	};
	/** The machine may have slept; or inftrace has ended, which the question finds out. */
	const lose = async (): Promise<void> => {
		close();
		try {
			await api.get<Loading>('loading.json');
			window.setTimeout(() => whenSeen(open), AGAIN_MS);
			seen();
		} catch {
			// the bar says so
		}
	};
	const open = (): void => {
		if (!host.isHidden() && !events && !app.isGone)
			events = host.listen('events', 'grow', came, () => void lose());
	};
	// an open stream holds one of the browser's few connections
	host.onHidden(() => {
		if (host.isHidden()) return close();
		open();
		if (!app.isGone) seen();
	});
	app.listen(change => {
		if (change === 'place') open();
	});
	open();
}
