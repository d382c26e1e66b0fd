// SPDX-License-Identifier: Apache-2.0
// What opens over the page: the help and "go to a time". They keep the focus until they close.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { App } from './app';
import { span } from './axis';
import { exact, parseTime } from './format';
import { KEYS, MOUSE } from './keys';

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
	const box = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		const dialog = box.current;
		dialog?.showModal();
		dialog?.querySelector('input')?.focus();
		return () => dialog?.close();
	}, []);
	return (
		<dialog
			ref={box}
			aria-label={title}
			onCancel={event => {
				event.preventDefault();
				close();
			}}
			onKeyDown={event => {
				event.stopPropagation();
				if (event.key === 'Escape') {
					event.preventDefault();
					close();
				}
			}}
			onClick={event => event.target === box.current && close()}
		>
			<header>
				<h2>{title}</h2>
				<button class="close" aria-label="Close" onClick={close}>
					×
				</button>
			</header>
			{children}
		</dialog>
	);
}

export function Help({ close }: { close: () => void }) {
	return (
		<Dialog title="Keys and mouse" close={close}>
			<div class="help">
				<dl>
					{KEYS.map(key => (
						<div key={key.shown}>
							<dt>
								{key.shown.split('  ').map(one => (
									<kbd key={one}>{one}</kbd>
								))}
							</dt>
							<dd>{key.text}</dd>
						</div>
					))}
				</dl>
				<dl>
					{MOUSE.map(([what, text]) => (
						<div key={what}>
							<dt>{what}</dt>
							<dd>{text}</dd>
						</div>
					))}
				</dl>
			</div>
		</Dialog>
	);
}

export function GoTo({ app, close }: { app: App; close: () => void }) {
	const [text, setText] = useState('');
	const time = parseTime(text);
	const isGood = Number.isFinite(time) && time >= 0 && time <= app.end;
	const go = (event: Event): void => {
		event.preventDefault();
		if (!isGood) return;
		const half = span(app.view) / 2;
		app.flyTo({ begin: time - half, end: time + half });
		close();
	};
	return (
		<Dialog title="Go to a time" close={close}>
			<form onSubmit={go}>
				<label>
					Time since the recording began
					<input
						placeholder="1.25 s, 300 ms, 12 us"
						value={text}
						onInput={event => setText(event.currentTarget.value)}
					/>
				</label>
				<p class={text && !isGood ? 'bad' : 'dim'} role="status">
					{text && !isGood
						? `A time from 0 to ${exact(app.end)}, such as 1.5 s.`
						: `The recording ends at ${exact(app.end)}.`}
				</p>
				<button class="main" disabled={!isGood}>
					Go
				</button>
			</form>
		</Dialog>
	);
}
