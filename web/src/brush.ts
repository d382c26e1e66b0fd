// SPDX-License-Identifier: Apache-2.0
// The brush of the overview strip: drag its window, its edges, or a new one beside it.
import { span } from './axis';
import type { Plots } from './plots';

type Grip = 'begin' | 'end' | 'window' | 'new';

export class Brush {
	private grip: Grip | null = null;
	private from = 0;
	private view = { begin: 0, end: 0 };
	private readonly off: (() => void)[] = [];

	constructor(
		private readonly plots: Plots,
		private readonly strip: HTMLElement,
	) {
		const on = (type: string, listener: (event: PointerEvent) => void): void => {
			strip.addEventListener(type, listener as EventListener);
			this.off.push(() => strip.removeEventListener(type, listener as EventListener));
		};
		on('pointerdown', event => this.down(event));
		on('pointermove', event => this.move(event));
		on('pointerup', event => this.up(event));
		on('pointercancel', () => (this.grip = null));
		on('dblclick', () => plots.app.flyTo(plots.app.all));
	}

	close(): void {
		this.off.forEach(off => off());
	}

	private time(event: PointerEvent): number {
		const { width, app } = this.plots;
		const x = event.clientX - this.strip.getBoundingClientRect().left;
		return app.all.begin + (Math.min(width, Math.max(0, x)) / width) * span(app.all);
	}

	private down(event: PointerEvent): void {
		const { app, width } = this.plots;
		if (event.button !== 0) return;
		event.preventDefault();
		this.strip.setPointerCapture(event.pointerId);
		this.from = this.time(event);
		this.view = app.view;
		const near = (7 / width) * span(app.all);
		const isAll = app.place.view === null;
		if (!isAll && Math.abs(this.from - app.view.begin) < near) this.grip = 'begin';
		else if (!isAll && Math.abs(this.from - app.view.end) < near) this.grip = 'end';
		else if (!isAll && this.from > app.view.begin && this.from < app.view.end) this.grip = 'window';
		else this.grip = 'new';
	}

	private move(event: PointerEvent): void {
		const { app, width } = this.plots;
		const time = this.time(event);
		const { view, from } = this;
		if (this.grip === 'window')
			app.setView({ begin: view.begin + time - from, end: view.end + time - from });
		else if (this.grip === 'begin') app.setView({ begin: Math.min(time, view.end - 1), end: view.end });
		else if (this.grip === 'end') app.setView({ begin: view.begin, end: Math.max(time, view.begin + 1) });
		else if (this.grip === 'new' && Math.abs(time - from) > (3 / width) * span(app.all))
			app.setView({ begin: Math.min(from, time), end: Math.max(from, time) });
	}

	private up(event: PointerEvent): void {
		const { app, width } = this.plots;
		const time = this.time(event);
		// a click beside the window brings it there
		if (
			this.grip === 'new' &&
			Math.abs(time - this.from) <= (3 / width) * span(app.all) &&
			app.place.view
		) {
			const half = (app.view.end - app.view.begin) / 2;
			app.flyTo({ begin: time - half, end: time + half });
		}
		this.grip = null;
	}
}
