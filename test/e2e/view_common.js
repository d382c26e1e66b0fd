// SPDX-License-Identifier: Apache-2.0
// Shared by the steps that view_drive.js takes.
'use strict';

exports.near = (a, b, share = 0.02) => Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b), 1);
exports.length = view => view.end - view.begin;

/** The middle of the canvas of the events. */
exports.middle = async d => {
	const box = await d.box('canvas.events');
	return [box.x + box.width / 2, box.y + Math.min(box.height, 160) / 2];
};

/** The first row of a table, as the server says it. */
exports.firstOf = (d, what) =>
	d.page.evaluate(async name => {
		const table = await (await fetch(`table?what=${name}&limit=1`)).json();
		return Object.fromEntries(table.columns.map((column, i) => [column.name, table.rows[0][i]]));
	}, what);
