// SPDX-License-Identifier: Apache-2.0
// Files that the reader brings: chosen, or dropped on the page. The server gets a copy, which it drops when it ends. An
// editor opens its files itself.
import { useEffect, useState } from 'preact/hooks';
import * as api from './api';
import type { App } from './app';
import { Dialog } from './dialogs';
import { baseName, bytes, oneLine } from './format';
import { host } from './host';
import { START, toHash } from './place';

async function bring(file: File, beside: number | undefined): Promise<void> {
	const path = api.address('take', { name: file.name, beside });
	const got = await host.ask(path, { method: 'POST', body: file });
	const text = (await got.text()).trim();
	if (!got.ok) throw new Error(text || `status ${got.status}`);
	host.go(toHash({ ...START, of: Number(text) }), true);
	location.reload();
}

function Choice({ app, dropped, close }: { app: App; dropped: File | null; close: () => void }) {
	const [file, setFile] = useState<File | null>(dropped);
	const [said, setSaid] = useState('');
	const [isBusy, setBusy] = useState(false);
	const go = (beside?: number): void => {
		if (!file) return;
		setBusy(true);
		setSaid('');
		bring(file, beside).catch(error => {
			setBusy(false);
			setSaid((error as Error).message);
		});
	};
	return (
		<Dialog title="Open a recording" close={close}>
			<form class="opening" onSubmit={event => (event.preventDefault(), go())}>
				<label>
					A recording, or a profile of another tool
					<input
						type="file"
						accept=".pftrace,.perfetto-trace,.json,.csv,.gz,.zst"
						onChange={event => setFile(event.currentTarget.files?.[0] ?? null)}
					/>
				</label>
				{file && (
					<p>
						<b>{oneLine(file.name)}</b> <span class="dim">{bytes(file.size)}</span>
					</p>
				)}
				{said && (
					<p class="bad" role="alert">
						{oneLine(said)}
					</p>
				)}
				<p class="deeds">
					<button type="submit" class="main" disabled={!file || isBusy}>
						{isBusy ? 'Reading …' : 'Open'}
					</button>
					<button
						type="button"
						disabled={!file || isBusy}
						title={`${baseName(app.recording.file)} is what it is compared with`}
						onClick={() => go(app.of)}
					>
						Compare with {baseName(app.recording.file)}
					</button>
				</p>
			</form>
		</Dialog>
	);
}

export function Open({ app }: { app: App }) {
	const [isOpen, setOpen] = useState(false);
	const [dropped, setDropped] = useState<File | null>(null);
	const isMeant = !host.isEditor && !app.recording.live;
	useEffect(() => {
		if (!isMeant) return undefined;
		const over = (event: DragEvent): void => {
			if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
		};
		const drop = (event: DragEvent): void => {
			const file = event.dataTransfer?.files[0];
			if (!file) return;
			event.preventDefault();
			setDropped(file);
			setOpen(true);
		};
		addEventListener('dragover', over);
		addEventListener('drop', drop);
		return () => {
			removeEventListener('dragover', over);
			removeEventListener('drop', drop);
		};
	}, [isMeant]);
	if (!isMeant) return null;
	return (
		<>
			<button
				class="quiet open-file"
				title="Open or compare a recording; you can also drop it here"
				onClick={() => setOpen(true)}
			>
				Open
			</button>
			{isOpen && (
				<Choice
					app={app}
					dropped={dropped}
					close={() => {
						setOpen(false);
						setDropped(null);
					}}
				/>
			)}
		</>
	);
}
