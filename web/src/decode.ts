// SPDX-License-Identifier: Apache-2.0
// Tiles as the server sends them: columns over one buffer, each padded to 8 bytes. Nothing is copied.

export interface SliceTile {
	readonly begin: number;
	readonly pixel: number;
	/** Slices of at least one pixel, unclipped. */
	readonly big: {
		readonly begin: Float64Array;
		readonly end: Float64Array;
		readonly row: Uint32Array;
		readonly name: Uint32Array;
		readonly index: Uint32Array;
		/** Bit 15: the slice was cut off. */
		readonly class: Uint16Array;
	};
	/** Neighbouring pixels of smaller slices that look alike; `first` has one number more than `row`. */
	readonly runs: {
		readonly row: Uint32Array;
		readonly first: Uint32Array;
		readonly count: Uint32Array;
		readonly x: Uint16Array;
		readonly length: Uint16Array;
		readonly class: Uint16Array;
		readonly fill: Uint8Array;
		readonly longest: Uint8Array;
	};
}

export interface CounterColumns {
	readonly before: number;
	readonly x: Uint16Array;
	readonly min: Float32Array;
	readonly max: Float32Array;
	readonly last: Float32Array;
}

export interface CounterTile {
	readonly begin: number;
	readonly pixel: number;
	readonly counters: ReadonlyMap<number, CounterColumns>;
}

export const CUT = 0x8000;
const SLICES = 0x31544649;
const COUNTERS = 0x31434649;

type Column<T> = new (buffer: ArrayBuffer, at: number, length: number) => T;

class Reader {
	at = 0;
	constructor(readonly buffer: ArrayBuffer) {}
	take<T extends ArrayBufferView>(Type: Column<T>, length: number): T {
		const column = new Type(this.buffer, this.at, length);
		this.at += (column.byteLength + 7) & ~7;
		return column;
	}
}

/** Instead of a tile: the recording has changed, and numbers of rows with it. */
export const isChanged = (buffer: ArrayBuffer): boolean =>
	buffer.byteLength === 16 && new DataView(buffer).getUint32(0, true) === 0x30544649;

/** Throws where the bytes are no tile. */
export function sliceTile(buffer: ArrayBuffer, begin: number, pixel: number): SliceTile {
	const reader = new Reader(buffer);
	const [magic, nBig, nRows, nRuns] = reader.take(Uint32Array, 4);
	if (magic !== SLICES) throw new Error('not a tile');
	const big = {
		begin: reader.take(Float64Array, nBig),
		end: reader.take(Float64Array, nBig),
		row: reader.take(Uint32Array, nBig),
		name: reader.take(Uint32Array, nBig),
		index: reader.take(Uint32Array, nBig),
		class: reader.take(Uint16Array, nBig),
	};
	const row = reader.take(Uint32Array, nRows);
	const first = new Uint32Array(nRows + 1);
	first.set(reader.take(Uint32Array, nRows));
	first[nRows] = nRuns;
	const runs = {
		row,
		first,
		count: reader.take(Uint32Array, nRuns),
		x: reader.take(Uint16Array, nRuns),
		length: reader.take(Uint16Array, nRuns),
		class: reader.take(Uint16Array, nRuns),
		fill: reader.take(Uint8Array, nRuns),
		longest: reader.take(Uint8Array, nRuns),
	};
	return { begin, pixel, big, runs };
}

/** Throws where the bytes are no tile. */
export function counterTile(buffer: ArrayBuffer, begin: number, pixel: number): CounterTile {
	const reader = new Reader(buffer);
	const [magic, n] = reader.take(Uint32Array, 2);
	if (magic !== COUNTERS) throw new Error('not a tile of counters');
	const counters = new Map<number, CounterColumns>();
	for (let i = 0; i < n; i++) {
		const [id, length] = reader.take(Uint32Array, 2);
		const [before] = reader.take(Float64Array, 1);
		counters.set(id, {
			before,
			x: reader.take(Uint16Array, length),
			min: reader.take(Float32Array, length),
			max: reader.take(Float32Array, length),
			last: reader.take(Float32Array, length),
		});
	}
	return { begin, pixel, counters };
}
