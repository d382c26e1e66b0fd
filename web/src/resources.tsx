// SPDX-License-Identifier: Apache-2.0
// The names and values of the resources beside their plots, and the choice of what is shown.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Counter } from './api';
import { usualResources, type App } from './app';
import { css, GROUPS } from './colours';
import { deviceAndName, oneLine } from './format';
import { PLOT, toneOf } from './paint_counters';
import { usePopover } from './use';

export function ownerOf(counter: Counter, app: App): string {
	if (counter.scope !== 'process') return counter.scope;
	const process = app.recording.tracks.find(track => track.kind === 'process' && track.id === counter.process);
	return oneLine(`${process?.name ?? 'process'} ${counter.pid ?? ''}`.trim());
}

/** What people call it. */
const TITLES: Readonly<Record<string, string>> = { cpu: 'CPU', rss: 'Memory', pss: 'Memory (PSS)' };

/** Its name without the device, and whose it is with it: where there is little room, names differ. */
function nameAndOwner(counter: Counter, app: App): readonly [string, string] {
	const [device, own] = deviceAndName(counter.name);
	const name = TITLES[own] ?? own;
	const owner = ownerOf(counter, app);
	// a process of four busy threads has 400 %, a machine never more than 100 %
	if (own === 'cpu') return [name, `${owner}, of ${counter.scope === 'process' ? 'one CPU' : 'all CPUs'}`];
	if (!device) return [oneLine(name), owner];
	return [oneLine(name), oneLine(counter.scope === 'process' ? `${device}, ${owner}` : device)];
}

export function toggleResource(app: App, id: number): void {
	const shown = app.shownResources.map(counter => counter.id);
	const resources = shown.includes(id) ? shown.filter(one => one !== id) : [...shown, id];
	app.counters.clear();
	app.go({ resources }, false);
}

export function ResourceNames({ app }: { app: App }) {
	return (
		<ul class="resource-names" aria-label="Resources">
			{app.shownResources.map(counter => (
				<li
					key={counter.id}
					style={{ height: `${PLOT}px` }}
					title={`${oneLine(counter.name)}, ${ownerOf(counter, app)}`}
				>
					<i class="swatch" style={{ background: css(toneOf(counter, app)) }} />
					<span class="resource-name">
						<b>{nameAndOwner(counter, app)[0]}</b>
						<small>{nameAndOwner(counter, app)[1]}</small>
					</span>
					<span class="value" data-value={counter.id} />
					<button
						class="hide"
						aria-label={`Hide ${nameAndOwner(counter, app).join(', ')}`}
						title="Hide"
						onClick={() => toggleResource(app, counter.id)}
					>
						×
					</button>
				</li>
			))}
		</ul>
	);
}

function Choice({ app, close }: { app: App; close: () => void }) {
	const [text, setText] = useState('');
	const box = useRef<HTMLDivElement>(null);
	const shown = new Set(app.shownResources.map(counter => counter.id));
	useEffect(() => {
		box.current?.querySelector('input')?.focus();
	}, []);
	const matching = app.recording.counters.filter(counter =>
		`${counter.name} ${ownerOf(counter, app)}`.toLowerCase().includes(text.toLowerCase()),
	);
	return (
		<div class="popover" ref={box} role="dialog" aria-label="Choose resources">
			<input
				type="search"
				placeholder="Filter"
				aria-label="Filter resources"
				value={text}
				onInput={event => setText(event.currentTarget.value)}
			/>
			<div class="choices">
				{GROUPS.filter(group => matching.some(counter => counter.group === group)).map(
					group => (
						<fieldset key={group}>
							<legend>{group}</legend>
							{matching
								.filter(counter => counter.group === group)
								.map(counter => (
									<label key={counter.id}>
										<input
											type="checkbox"
											checked={shown.has(counter.id)}
											onChange={() =>
												toggleResource(
													app,
													counter.id,
												)
											}
										/>
										<span>{oneLine(counter.name)}</span>
										<small>{ownerOf(counter, app)}</small>
									</label>
								))}
						</fieldset>
					),
				)}
				{matching.length === 0 && <p class="dim">No resource is called this.</p>}
			</div>
			<footer>
				<button
					onClick={() => (
						app.counters.clear(),
						app.go({ resources: usualResources(app.recording) }, false)
					)}
				>
					The usual
				</button>
				<button onClick={() => (app.counters.clear(), app.go({ resources: [] }, false))}>
					None
				</button>
				<button class="main" onClick={close}>
					Done
				</button>
			</footer>
		</div>
	);
}

export function ResourceBar({ app }: { app: App }) {
	const { box, isOpen, setOpen, onKeyDown } = usePopover();
	const { counters } = app.recording;
	return (
		<div class="bar resource-bar">
			<h2>Resources</h2>
			{counters.length ? (
				<span class="chooser" ref={box} onKeyDown={onKeyDown}>
					<button
						aria-haspopup="dialog"
						aria-expanded={isOpen}
						onClick={() => setOpen(!isOpen)}
					>
						{app.shownResources.length} of {counters.length}
						<span class="caret open" aria-hidden="true" />
					</button>
					{isOpen && <Choice app={app} close={() => setOpen(false)} />}
				</span>
			) : (
				<span class="dim">none were recorded</span>
			)}
		</div>
	);
}
