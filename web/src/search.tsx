// SPDX-License-Identifier: Apache-2.0
// The search for names, and what it has found.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Found } from './api';
import type { App } from './app';
import { colourOf, css } from './colours';
import { count, duration, oneLine } from './format';
import { useApp } from './use';

export function Search({ app }: { app: App }) {
	useApp(app, 'place');
	const [text, setText] = useState(app.place.query);
	const [isOpen, setOpen] = useState(false);
	const [at, setAt] = useState(0);
	const input = useRef<HTMLInputElement>(null);
	const sent = useRef(app.place.query);
	useEffect(() => {
		// what came from here may be older than what has been typed since
		if (app.place.query !== sent.current) setText(app.place.query);
		sent.current = app.place.query;
	}, [app.place.query]);
	useEffect(() => {
		const timer = setTimeout(() => {
			if (text === app.place.query) return;
			sent.current = text;
			app.go({ query: text }, false);
		}, 150);
		return () => clearTimeout(timer);
	}, [text]);
	const query = app.place.query.toLowerCase();
	const isName = (one: Found): boolean => one.text.toLowerCase().includes(query);
	// those of a type follow those of a name
	const found = [...app.found.filter(isName), ...app.found.filter(one => !isName(one))];
	const tracks = query
		? app.recording.tracks.filter(one => one.name.toLowerCase().includes(query)).slice(0, 8)
		: [];
	const groupOf = (one: Found): string =>
		isName(one) ? 'Names' : `Of the type ${oneLine(app.recording.classes[one.class] ?? '')}`;
	const choose = (i: number, dir: 'next' | 'prev' = 'next'): void => {
		if (found[i]) void app.step(found[i].name, dir);
	};
	const onKey = (event: KeyboardEvent): void => {
		if (event.key === 'Enter') choose(at, event.shiftKey ? 'prev' : 'next');
		else if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
		else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
		else if (event.key === 'Escape') {
			setText('');
			app.go({ query: '' }, false);
			input.current?.blur();
			setOpen(false);
		} else return;
		event.preventDefault();
		event.stopPropagation();
	};
	const isListed = isOpen && app.place.query !== '';
	return (
		<div class="search" role="search">
			<input
				ref={input}
				id="search"
				type="text"
				list={undefined}
				placeholder="Search names and types"
				aria-label="Search names and types of slices, and tracks"
				role="combobox"
				aria-expanded={isListed}
				aria-controls="found"
				aria-activedescendant={isListed && found[at] ? `found-${at}` : undefined}
				autocomplete="off"
				spellcheck={false}
				value={text}
				onFocus={() => setOpen(true)}
				// a click into the list takes the focus first; it may be back by then
				onBlur={() => setTimeout(() => setOpen(document.activeElement === input.current), 150)}
				onInput={event => {
					setText(event.currentTarget.value);
					setAt(0);
					setOpen(true);
				}}
				onKeyDown={onKey}
			/>
			{!text && <kbd aria-hidden="true">/</kbd>}
			{app.place.query && (
				<span class="found-count">{found.length === 200 ? '200+' : found.length}</span>
			)}
			{isListed && (
				<ul id="found" class="found" role="listbox" aria-label="Names that were found">
					{found.length + tracks.length === 0 && (
						<li class="dim">No slice, type or track is called this.</li>
					)}
					{found.slice(0, 50).flatMap((one, i) => [
						(i === 0 ? '' : groupOf(found[i - 1])) !== groupOf(one) && (
							<li key={`group ${i}`} class="found-group" role="presentation">
								{groupOf(one)}
							</li>
						),
						<li
							key={one.name}
							id={`found-${i}`}
							role="option"
							aria-selected={i === at}
							onPointerDown={event => {
								event.preventDefault();
								setAt(i);
								choose(i);
							}}
						>
							<i
								class="swatch"
								style={{
									background: css(
										colourOf(
											app.recording.classes[
												one.class
											] ?? '',
											app.recording.class_kinds[
												one.class
											] ?? '',
											app.theme.isDark,
										),
									),
								}}
							/>
							<span class="found-name">{oneLine(one.text)}</span>
							<span class="dim">
								{count(one.slices)} × · {duration(one.total_ns)}
							</span>
						</li>,
					])}
					{tracks.length > 0 && (
						<li class="found-group" role="presentation">
							Tracks
						</li>
					)}
					{tracks.map(track => (
						<li
							key={`track ${track.id}`}
							role="option"
							aria-selected={false}
							onPointerDown={event => {
								event.preventDefault();
								app.showTrack(track.id);
							}}
						>
							<span class="found-track">{oneLine(track.name)}</span>
							<span class="dim">{track.kind}</span>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
