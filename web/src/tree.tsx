// SPDX-License-Identifier: Apache-2.0
// The names of the tracks, beside their lines: a tree that the keyboard walks.
import type { Track } from './api';
import type { App } from './app';
import { count, oneLine } from './format';
import { ROW } from './paint_slices';
import type { Line } from './rows';

/** What people call tracks whose names are short for those who know. */
const TITLES: Readonly<Record<string, string>> = {
	'providers › libraries': 'libraries of providers',
	traced: 'held by a tracer',
};

/** What a row of a track has, where its name does not say it. */
const ROWS: Readonly<Record<string, string>> = {
	operator: 'operators',
	setup: 'setup',
	phase: 'phases',
	specialize: 'specialization',
	kernel: 'kernels',
	user: 'your program',
};

export function detailOf({ track }: Line): string {
	if (track.kind === 'process' && track.pid !== undefined) return String(track.pid);
	if (track.kind === 'thread' && track.tid !== undefined) {
		const number = track.name === `thread ${track.tid}` ? '' : track.tid;
		return [ROWS[track.row_kinds[0]], number].filter(Boolean).join(' · ');
	}
	return '';
}

/** Of a row below the first: '' where it has what the one above it has. */
export function titleOfRow({ row_kinds: kinds }: Track, depth: number): string {
	return depth > 0 && kinds[depth] !== kinds[depth - 1] ? (ROWS[kinds[depth]] ?? '') : '';
}

export function toggle(app: App, id: number): void {
	const collapsed = app.collapsed;
	if (!collapsed.delete(id)) collapsed.add(id);
	app.go({ collapsed: [...collapsed] }, false);
}

function onKey(app: App, line: Line, event: KeyboardEvent): void {
	const items = [
		...(event.currentTarget as HTMLElement).parentElement!.querySelectorAll<HTMLElement>('[role=treeitem]'),
	];
	const at = items.indexOf(event.currentTarget as HTMLElement);
	const to = (i: number): void => items[Math.max(0, Math.min(items.length - 1, i))]?.focus();
	const above = (): number => {
		for (let i = at - 1; i >= 0; i--) if (Number(items[i].ariaLevel) < line.level + 1) return i;
		return at;
	};
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	if (event.key === 'ArrowDown') to(at + 1);
	else if (event.key === 'ArrowUp') to(at - 1);
	else if (event.key === 'Home') to(0);
	else if (event.key === 'End') to(items.length - 1);
	else if (event.key === 'ArrowLeft') {
		if (line.hasMore && !line.isCollapsed) toggle(app, line.track.id);
		else to(above());
	} else if (event.key === 'ArrowRight') {
		if (line.hasMore && line.isCollapsed) toggle(app, line.track.id);
		else to(at + 1);
	} else if (event.key === 'Enter' || event.key === ' ') {
		if (line.hasMore) toggle(app, line.track.id);
	} else if (event.key === 'Delete' || event.key === 'h') hide(app, line.track.id);
	else return;
	event.preventDefault();
	event.stopPropagation();
}

function hide(app: App, id: number): void {
	app.go({ hidden: [...app.place.hidden, id] });
}

export function Tree({ app }: { app: App }) {
	let isFirst = true;
	return (
		<div class="tree" role="tree" aria-label="Tracks">
			{app.lines.map((line, i) => {
				const { track } = line;
				const place = {
					top: `${i * ROW}px`,
					height: `${ROW}px`,
					paddingLeft: `calc(4px + ${line.level} * var(--indent))`,
				};
				if (line.depth !== 0) {
					const title = titleOfRow(track, line.depth);
					return title ? (
						<div
							key={`${track.id} ${line.depth}`}
							class="track-row"
							style={place}
							aria-hidden="true"
						>
							{title}
						</div>
					) : null;
				}
				const isMain =
					track.kind === 'thread' && track.tid === track.pid && track.tid !== undefined;
				const name = TITLES[line.label] ?? (oneLine(line.label) || 'without a name');
				const detail = detailOf(line);
				const rows = track.row_kinds
					.map((_, depth) => titleOfRow(track, depth))
					.filter(Boolean);
				const below = rows.length ? `below it ${rows.join(', ')}` : undefined;
				const label = `${name}${detail && ' '}${detail}, ${track.kind}, ${count(track.slices)} slices`;
				const tab = isFirst ? 0 : -1;
				isFirst = false;
				return (
					<div
						key={track.id}
						class={`track ${track.kind}`}
						style={place}
						role="treeitem"
						aria-level={line.level + 1}
						aria-expanded={line.hasMore ? !line.isCollapsed : undefined}
						aria-label={label}
						aria-description={below}
						aria-keyshortcuts="h"
						tabIndex={tab}
						title={label}
						onKeyDown={event => onKey(app, line, event)}
						onClick={() => line.hasMore && toggle(app, track.id)}
					>
						<span
							class={
								line.hasMore
									? line.isCollapsed
										? 'caret'
										: 'caret open'
									: 'caret none'
							}
							aria-hidden="true"
						/>
						<span class="track-name">{isMain ? 'main thread' : name}</span>{' '}
						<span class="track-detail">{detail}</span>
						{/* for the mouse: an item of a tree holds no button; its key is h */}
						<span
							class="hide"
							aria-hidden="true"
							title="Hide this track (h)"
							onClick={event => {
								event.stopPropagation();
								hide(app, track.id);
							}}
						>
							×
						</span>
					</div>
				);
			})}
		</div>
	);
}
