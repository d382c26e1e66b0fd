// SPDX-License-Identifier: Apache-2.0
// The frame of the page.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Answer } from './answer';
import type { Recording } from './api';
import type { App } from './app';
import { CopyLink } from './copy';
import { Details } from './details';
import { GoTo, Help } from './dialogs';
import { baseName, commandName, bytes, count, duration, oneLine } from './format';
import { host } from './host';
import { listen, type Actions } from './keys';
import { LiveNotes, LiveState } from './live_bar';
import { Open } from './open';
import { Palette } from './palette';
import type { Plots } from './plots';
import { Search } from './search';
import { Tables } from './tables';
import { Timeline } from './timeline';
import { useApp, useNarrow } from './use';

/** That of the file; a live page without one has the name of what runs. */
function nameOf({ file, live }: Recording): string {
	if (!live) return baseName(file);
	return live.file ? baseName(live.file) : commandName(file);
}

function Header({ app, help }: { app: App; help: () => void }) {
	const { recording } = app;
	const { live } = recording;
	const name = nameOf(recording);
	const title = live && !live.over ? `live: ${name}` : name;
	useEffect(() => {
		document.title = `${title} · inftrace`;
	}, [title]);
	return (
		<header class="head">
			{!host.isEditor && <img src="icon.svg" alt="" width="22" height="22" />}
			<h1 title={oneLine(live?.file ?? recording.file)}>{name}</h1>
			<p class="facts">
				{live?.file && (
					<span title={oneLine(recording.file)}>{commandName(recording.file)}</span>
				)}
				<span>{duration(recording.end)}</span>
				<span>{`${count(recording.events)} ${recording.events === 1 ? 'event' : 'events'}`}</span>
				<span title="Memory that inftrace view uses for it">
					{bytes(recording.memory_bytes)}
					{recording.events >= 100000 &&
						`, ${Math.round(recording.bytes_per_event)} bytes an event`}
				</span>
				{recording.growing && !live && <span class="live">growing</span>}
			</p>
			<LiveState app={app} />
			<Search app={app} />
			<CopyLink app={app} />
			<Open app={app} />
			<button class="quiet" onClick={help} aria-label="Keys and mouse" title="Keys and mouse (?)">
				?
			</button>
		</header>
	);
}

/** The border between timeline and tables, which can be moved. */
function Splitter({ share, setShare }: { share: number; setShare: (share: number | null) => void }) {
	const limit = (value: number): number => Math.min(0.8, Math.max(0.15, value));
	const box = useRef<HTMLDivElement>(null);
	const move = (event: PointerEvent): void => {
		const parent = box.current?.parentElement;
		if (!parent || !event.currentTarget || !(event.buttons & 1)) return;
		const { top, height } = parent.getBoundingClientRect();
		setShare(limit(1 - (event.clientY - top) / height));
	};
	return (
		<div
			ref={box}
			class="splitter"
			role="separator"
			aria-orientation="horizontal"
			aria-label="Height of the tables"
			aria-valuenow={Math.round(share * 100)}
			aria-valuemin={15}
			aria-valuemax={80}
			tabIndex={0}
			onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
			onPointerMove={move}
			onDblClick={() => setShare(null)}
			onKeyDown={event => {
				const by = { ArrowUp: 0.04, ArrowDown: -0.04 }[event.key];
				if (!by) return;
				setShare(limit(share + by));
				event.preventDefault();
				event.stopPropagation();
			}}
		/>
	);
}

function selectHere(app: App, plots: Plots): void {
	const x = plots.pointer ?? plots.width / 2;
	const { area } = plots;
	for (let y = 4; y < area.height; y += 10) {
		const hit = plots.hit(x, y);
		if (hit?.slice) {
			void app.select(hit.row, hit.slice.index, false);
			return;
		}
	}
}

/** For screen readers. */
function Said({ app }: { app: App }) {
	useApp(app, 'said');
	return (
		<p class="said" role="status" aria-live="polite">
			{app.said}
		</p>
	);
}

type Over = 'help' | 'goto' | 'commands' | null;

function actionsOf(app: App, plots: () => Plots | null, over: Over, setOver: (over: Over) => void): Actions {
	return {
		search: () => document.getElementById('search')?.focus(),
		goTo: () => setOver('goto'),
		help: () => setOver('help'),
		commands: () => setOver('commands'),
		closeTop: () => {
			if (over) setOver(null);
			return over !== null;
		},
		scroll: by => plots()?.at.scroller.scrollBy({ top: by }),
		centre: () => {
			const at = plots();
			return at && at.pointer !== null ? at.timeOf(at.pointer) : (app.view.begin + app.view.end) / 2;
		},
		selectHere: () => {
			const at = plots();
			if (at) selectHere(app, at);
		},
	};
}

export function Page({ app, onPlots }: { app: App; onPlots: (plots: Plots) => void }) {
	useApp(app, 'place', 'slice');
	const [over, setOver] = useState<Over>(null);
	// where the window is as narrow as a tablet, the histogram lies above the rows
	const usual = matchMedia('(max-width: 800px)').matches ? 0.42 : 0.32;
	const share = app.place.tall === null ? usual : app.place.tall / 100;
	const setShare = (to: number | null): void =>
		app.go({ tall: to === null ? null : Math.round(to * 100) }, false);
	const plots = useRef<Plots | null>(null);
	const get = (): Plots | null => plots.current;
	const actions = actionsOf(app, get, over, setOver);
	useEffect(() => listen(app, actions), [app, over]);
	const hasDetails = app.slice !== null && app.place.selection !== null;
	const isNarrow = useNarrow();
	// a link to a part of the time is about the timeline
	const [isOpen, setOpen] = useState(app.place.view !== null);
	const isFolded = isNarrow && !isOpen;
	const timeline = (
		<Timeline
			key="timeline"
			app={app}
			onPlots={made => {
				plots.current = made;
				onPlots(made);
			}}
		/>
	);
	const splitter = <Splitter key="splitter" share={share} setShare={setShare} />;
	const below = (
		<div key="below" class={hasDetails ? 'below with-details' : 'below'}>
			<Tables app={app} plots={get} />
			<Details app={app} />
		</div>
	);
	const unfold = (
		<button key="unfold" class="unfold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
			<span class={isOpen ? 'caret open' : 'caret'} aria-hidden="true" /> Timeline
		</button>
	);
	return (
		<>
			<nav aria-label="Skip">
				<a
					class="skip"
					href="#tables"
					onClick={event => (
						event.preventDefault(),
						document.getElementById(`tab-${app.place.tab}`)?.focus()
					)}
				>
					To the tables
				</a>
			</nav>
			<Header app={app} help={() => setOver('help')} />
			<Answer app={app} />
			<LiveNotes app={app} />
			<main
				class={isFolded ? 'folded' : ''}
				style={{ gridTemplateRows: `minmax(0, ${1 - share}fr) auto minmax(0, ${share}fr)` }}
			>
				{isNarrow ? [below, unfold, timeline] : [timeline, splitter, below]}
			</main>
			{app.trouble && (
				<p class="trouble" role="alert">
					{oneLine(app.trouble)}
					<button
						onClick={() => ((app.trouble = ''), app.tell('place'))}
						aria-label="Close the message"
					>
						×
					</button>
				</p>
			)}
			<Said app={app} />
			{over === 'help' && <Help close={() => setOver(null)} />}
			{over === 'commands' && <Palette app={app} actions={actions} close={() => setOver(null)} />}
			{over === 'goto' && <GoTo app={app} close={() => setOver(null)} />}
		</>
	);
}
