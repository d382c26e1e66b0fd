// SPDX-License-Identifier: Apache-2.0
// Wheel, mouse, pen and touch on the plots: drag moves, wheel and pinch zoom, shift-drag chooses a range, click selects.
import { pan, span, zoom, type View } from './axis';
import type { Mode } from './modes';
import type { Hit } from './paint_slices';
import type { Plots } from './plots';
import { settings } from './settings';

export interface Reactions {
	hover(hit: Hit | null, x: number, y: number): void;
	click(x: number, y: number, isEvents: boolean): void;
	open(x: number, y: number): void;
}

/** Further than this is a drag, not a click. */
const SLOP = 4;

export class Gestures {
	private readonly pointers = new Map<number, PointerEvent>();
	private begun: { x: number; y: number; view: View; scroll: number; mode: Mode; moved: boolean } | null = null;
	private pinch: { apart: number; middle: number; view: View } | null = null;
	private readonly off: (() => void)[] = [];

	constructor(
		private readonly plots: Plots,
		private readonly react: Reactions,
	) {
		const { events, resources, ruler } = plots.at;
		for (const canvas of [events, resources, ruler]) {
			this.on(canvas, 'wheel', event => this.wheel(event as WheelEvent), { passive: false });
			this.on(canvas, 'pointerdown', event => this.down(event as PointerEvent, canvas));
			this.on(canvas, 'pointermove', event => this.move(event as PointerEvent, canvas));
			this.on(canvas, 'pointerup', event => this.up(event as PointerEvent, canvas));
			this.on(canvas, 'pointercancel', event => this.cancel(event as PointerEvent));
			this.on(canvas, 'pointerleave', () => this.leave());
			this.on(canvas, 'dblclick', event => this.double(event as MouseEvent, canvas));
		}
	}

	close(): void {
		this.off.forEach(off => off());
	}

	private on(
		target: HTMLElement,
		type: string,
		listener: (event: Event) => void,
		options?: AddEventListenerOptions,
	): void {
		target.addEventListener(type, listener, options);
		this.off.push(() => target.removeEventListener(type, listener));
	}

	private x(event: { clientX: number }): number {
		return event.clientX - this.plots.at.events.getBoundingClientRect().left;
	}

	private wheel(event: WheelEvent): void {
		const { app } = this.plots;
		event.preventDefault();
		const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
		const dx = event.deltaX * unit;
		const dy = event.deltaY * unit;
		const scrolls = settings().wheel === 'scroll' && !event.ctrlKey;
		if (event.altKey !== (scrolls && !event.shiftKey && Math.abs(dy) >= Math.abs(dx)))
			this.plots.at.scroller.scrollTop += dy;
		else if (event.shiftKey || Math.abs(dx) > Math.abs(dy))
			app.setView(pan(app.view, (Math.abs(dx) > Math.abs(dy) ? dx : dy) / this.plots.width, app.end));
		else app.zoomAt(this.plots.timeOf(this.x(event)), Math.exp(dy * (event.ctrlKey ? 0.01 : 0.002)));
	}

	private down(event: PointerEvent, canvas: HTMLCanvasElement): void {
		if (event.button !== 0) return;
		canvas.setPointerCapture(event.pointerId);
		this.pointers.set(event.pointerId, event);
		const { app, at } = this.plots;
		if (this.pointers.size === 2) this.beginPinch();
		else
			this.begun = {
				x: this.x(event),
				y: event.clientY,
				view: app.view,
				scroll: at.scroller.scrollTop,
				mode: event.shiftKey || canvas === at.ruler ? 'range' : app.mode,
				moved: false,
			};
	}

	private beginPinch(): void {
		const [a, b] = [...this.pointers.values()].map(pointer => this.x(pointer));
		this.begun = null;
		this.pinch = { apart: Math.max(8, Math.abs(a - b)), middle: (a + b) / 2, view: this.plots.app.view };
	}

	private movePinch(): void {
		const { app, width } = this.plots;
		if (!this.pinch || this.pointers.size !== 2) return;
		const [a, b] = [...this.pointers.values()].map(pointer => this.x(pointer));
		const { view } = this.pinch;
		const at = view.begin + (this.pinch.middle / width) * span(view);
		const zoomed = zoom(view, at, this.pinch.apart / Math.max(8, Math.abs(a - b)), app.end);
		app.setView(pan(zoomed, (this.pinch.middle - (a + b) / 2) / width, app.end));
	}

	private move(event: PointerEvent, canvas: HTMLCanvasElement): void {
		const { plots } = this;
		const x = this.x(event);
		plots.pointer = Math.min(plots.width, Math.max(0, x));
		plots.placePointer();
		if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, event);
		if (this.pinch) this.movePinch();
		else if (this.begun) this.drag(event, x);
		else if (canvas === plots.at.events)
			this.react.hover(
				plots.hit(x, event.clientY - canvas.getBoundingClientRect().top),
				event.clientX,
				event.clientY,
			);
	}

	private drag(event: PointerEvent, x: number): void {
		const { plots, begun } = this;
		const { app } = plots;
		if (!begun) return;
		if (!begun.moved && Math.hypot(x - begun.x, event.clientY - begun.y) < SLOP) return;
		begun.moved = true;
		this.react.hover(null, 0, 0);
		if (begun.mode !== 'move') {
			const isRange = begun.mode === 'range';
			const time = (at: number, y: number): number =>
				isRange ? plots.timeOf(at) : plots.edgeAt(at, y);
			const [from, to] = [time(begun.x, begun.y), time(x, event.clientY)].sort((a, b) => a - b);
			plots.draft = { isRange, times: [Math.max(0, from), Math.min(app.end, to)] };
			plots.soon();
			return;
		}
		app.sayOnce('Dragging moves. With Shift, or after 2, it chooses a range; after 3, it measures.');
		plots.at.events.classList.add('grabbed');
		app.setView(pan(begun.view, (begun.x - x) / plots.width, app.end));
		plots.at.scroller.scrollTop = begun.scroll - (event.clientY - begun.y);
	}

	private up(event: PointerEvent, canvas: HTMLCanvasElement): void {
		const { plots, begun } = this;
		this.cancel(event);
		if (!begun) return;
		if (plots.draft) {
			const { isRange, times } = plots.draft;
			plots.draft = null;
			plots.app.go(isRange ? { range: times } : { measure: times });
		} else if (!begun.moved && canvas !== plots.at.ruler)
			this.react.click(
				this.x(event),
				event.clientY - canvas.getBoundingClientRect().top,
				canvas === plots.at.events,
			);
	}

	private cancel(event: PointerEvent): void {
		this.pointers.delete(event.pointerId);
		this.plots.at.events.classList.remove('grabbed');
		this.begun = null;
		if (this.pointers.size < 2) this.pinch = null;
	}

	private leave(): void {
		if (this.begun || this.pinch) return;
		this.plots.pointer = null;
		this.plots.placePointer();
		this.react.hover(null, 0, 0);
	}

	private double(event: MouseEvent, canvas: HTMLCanvasElement): void {
		if (canvas === this.plots.at.events)
			this.react.open(this.x(event), event.clientY - canvas.getBoundingClientRect().top);
	}
}
