// SPDX-License-Identifier: Apache-2.0
// A link that lasts: an address ends with its server, so what is copied is the command that shows this place again.
import { useState } from 'preact/hooks';
import type { App } from './app';
import { toHash } from './place';

/** For a shell of the machine that has the file. */
export function commandOf(path: string, hash: string): string {
	return `inftrace view '${`${path}${hash}`.replaceAll("'", `'\\''`)}'`;
}

export function CopyLink({ app }: { app: App }) {
	const [said, setSaid] = useState('');
	const { path } = app.recording;
	if (!path || app.recording.live) return null;
	const copy = async (): Promise<void> => {
		try {
			await navigator.clipboard.writeText(commandOf(path, toHash({ ...app.place, of: 0 })));
			setSaid('Copied');
		} catch {
			setSaid('Not allowed here');
		}
		setTimeout(() => setSaid(''), 2000);
	};
	return (
		<button
			class="quiet link"
			title="Copy the command that shows this place again, also when this page is gone"
			aria-live="polite"
			onClick={() => void copy()}
		>
			{said || 'Link'}
		</button>
	);
}
