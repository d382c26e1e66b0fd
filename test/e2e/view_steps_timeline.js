// SPDX-License-Identifier: Apache-2.0
// The answer and the timeline of the page of `inftrace view`, on a recording with several inferences.
'use strict';
const assert = require('assert/strict');
const { firstOf, length, middle, near } = require('./view_common.js');

/** Columns of a line of pixels that differ from its first pixel. */
const columns = (d, selector, y) =>
	d.page.evaluate(
		(of, line) => {
			const canvas = document.querySelector(of);
			const copy = document.createElement('canvas');
			copy.width = canvas.width;
			copy.height = canvas.height;
			copy.getContext('2d').drawImage(canvas, 0, 0);
			const pixels = new Uint32Array(
				copy.getContext('2d').getImageData(0, line, canvas.width - 90, 1).data.buffer,
			);
			const counts = new Map();
			pixels.forEach(pixel => counts.set(pixel, (counts.get(pixel) ?? 0) + 1));
			const ground = [...counts].sort((a, b) => b[1] - a[1])[0][0];
			return [...pixels].map((pixel, x) => (pixel !== ground ? x : -1)).filter(x => x >= 0);
		},
		selector,
		y,
	);

exports.the_answer_comes_first = async d => {
	await d.until(() => document.querySelector('.verdict p')?.textContent.length > 20);
	const [said, report] = await d.page.evaluate(async () => [
		document.querySelector('.verdict p').textContent,
		await (await fetch('report.json')).json(),
	]);
	const inUnits = text => text.replace(/(\d) us\b/g, '$1 µs');
	assert.equal(said, inUnits(report.verdict));
	// the figures that lead to their evidence
	const tiles = await d.page.$$eval('.tiles b', all => all.map(one => one.textContent));
	assert.equal(tiles[0], String(report.models[0].inferences.count));
	const findings = await d.page.$$eval('.findings li', all => all.map(one => one.textContent));
	assert.equal(findings.length, report.insights.length);
	report.insights.forEach((one, i) =>
		assert.ok(findings[i].includes(one.finding) && findings[i].includes(inUnits(one.evidence))),
	);
	if (await d.page.$('.findings button')) {
		await d.page.click('.findings button');
		await d.until(() => inftrace.app.place.model && inftrace.app.place.tab === 'inferences');
		await d.page.goBack();
		await d.until(() => !inftrace.app.place.model);
	}
	await d.click('button', 'What to look at');
	await d.until(() => !document.querySelector('.findings') && location.hash.includes('a=0'));
	await d.press('v');
	if (report.insights.length) await d.until(() => document.querySelector('.findings'));
	await d.rest();
};

exports.both_plots_agree_at_every_zoom = async d => {
	const { end_of_all: end } = await d.view();
	await d.page.evaluate(() => (document.querySelector('.scroller').scrollTop = 0));
	for (const part of [1, 0.31, 0.02, 0.0007, 0.00001]) {
		const begin = end * 0.4 * (1 - part);
		await d.page.evaluate(
			(from, to) => inftrace.app.setView({ begin: from, end: to }),
			begin,
			begin + part * end,
		);
		await d.rest();
		const said = await d.page.$$eval('canvas.events, .resources canvas', all =>
			all.map(one => one.dataset.view),
		);
		assert.equal(said[0], said[1]);
		// the lines of the time axis, in a gap between two lines of events and above the resource
		const above = await columns(d, '.resources canvas', 1);
		const below = await columns(d, 'canvas.events', 2);
		assert.ok(below.length >= 4, `only ${below.length} lines at ${part}`);
		assert.deepEqual(above, below);
	}
	await d.press('0');
	await d.until(() => inftrace.app.place.view === null);
	await d.rest();
};

exports.slices_are_drawn_where_they_are = async d => {
	const one = await firstOf(d, 'inferences');
	for (const wide of [4, 40, 400]) {
		const pad = one.duration * wide;
		await d.page.evaluate(
			(from, to) => inftrace.app.setView({ begin: from, end: to }),
			one.begin - pad,
			one.begin + one.duration + pad,
		);
		await d.rest();
		const got = await d.page.evaluate(({ row, begin, duration }) => {
			const { app, plots } = inftrace;
			const line = app.lineOfRow[row];
			const y = line * 20 + 8 - plots.at.scroller.scrollTop;
			const at = time => plots.hit(plots.xOf(time), y);
			return {
				inside: at(begin + duration / 2),
				from: plots.xOf(begin),
				to: plots.xOf(begin + duration),
			};
		}, one);
		if (got.to - got.from >= 2)
			assert.deepEqual([got.inside.begin, got.inside.end], [one.begin, one.begin + one.duration]);
		else assert.ok(got.inside, 'nothing is drawn');
	}
};

exports.wheel_and_mouse_zoom_and_move = async d => {
	await d.press('0');
	await d.until(() => inftrace.app.place.view === null);
	const all = await d.view();
	const [x, y] = await middle(d);
	await d.page.mouse.move(x, y);
	await d.until(() => !document.querySelector('.cross').hidden && document.querySelector('.bubble').textContent);
	await d.page.mouse.wheel({ deltaY: -500 });
	await d.until(() => inftrace.app.place.view !== null);
	const closer = await d.view();
	assert.ok(near(length(closer), length(all) / Math.E), `${length(closer)}`);
	assert.ok(near((all.begin + all.end) / 2, (closer.begin + closer.end) / 2));
	await d.page.keyboard.down('Shift');
	await d.page.mouse.wheel({ deltaY: 200 });
	await d.page.keyboard.up('Shift');
	await d.until(begin => inftrace.app.view.begin > begin, closer.begin);
	const moved = await d.view();
	assert.ok(near(length(moved), length(closer)));
	await d.drag([x, y], [x + 150, y]);
	const back = await d.view();
	assert.ok(back.begin < moved.begin && near(length(back), length(moved)));
	// pinch comes as a wheel with ctrl
	await d.page.keyboard.down('Control');
	await d.page.mouse.wheel({ deltaY: -50 });
	await d.page.keyboard.up('Control');
	await d.until(wide => inftrace.app.view.end - inftrace.app.view.begin < wide * 0.9, length(back));
	await d.rest();
};

exports.buttons_zoom = async d => {
	for (const [name, isSo] of [
		['Zoom in', (a, b) => length(b) < length(a)],
		['Zoom out', (a, b) => length(b) > length(a)],
		['Zoom in', (a, b) => length(b) < length(a)],
		['All: show everything', (a, b) => length(b) === b.end_of_all],
	]) {
		const before = await d.view();
		await d.click('button', name);
		await d.until(
			old => inftrace.app.view.begin !== old.begin || inftrace.app.view.end !== old.end,
			before,
		);
		await d.rest();
		assert.ok(isSo(before, await d.view()), name);
	}
};

exports.keys_zoom_and_move = async d => {
	await d.page.focus('canvas.events');
	await d.page.mouse.move(5, 5);
	const changes = [
		['w', (a, b) => length(b) < length(a)],
		['s', (a, b) => length(b) > length(a)],
		['+', (a, b) => length(b) < length(a)],
		['d', (a, b) => b.begin > a.begin],
		['a', (a, b) => b.begin < a.begin],
		['ArrowRight', (a, b) => b.begin > a.begin],
		['ArrowLeft', (a, b) => b.begin < a.begin],
		['-', (a, b) => length(b) > length(a)],
	];
	for (const [key, isSo] of changes) {
		const before = await d.view();
		await d.press(key);
		assert.ok(isSo(before, await d.view()), key);
	}
	await d.press('ArrowDown', 'ArrowUp');
	await d.press('0');
	await d.until(() => inftrace.app.place.view === null);
	await d.press('z');
	await d.until(() => inftrace.app.place.view !== null);
	await d.press('0');
	await d.until(() => inftrace.app.place.view === null);
	await d.press('g');
	await d.page.waitForSelector('dialog[open] input');
	await d.page.keyboard.type('yesterday');
	await d.until(
		() => document.querySelector('dialog .bad') && document.querySelector('dialog form button').disabled,
	);
	await d.press('Escape');
	await d.until(() => !document.querySelector('dialog'));
	await d.press('w', 'w', 'w', 'w', 'g');
	await d.page.waitForSelector('dialog[open] input');
	await d.page.keyboard.type('20 ms');
	await d.press('Enter');
	await d.until(
		() =>
			!document.querySelector('dialog') &&
			inftrace.app.view.begin <= 20e6 &&
			inftrace.app.view.end >= 20e6,
	);
	await d.press('?');
	await d.until(() => document.querySelectorAll('dialog[open] kbd').length > 20);
	await d.click('button', 'Close');
	await d.until(() => !document.querySelector('dialog'));
	await d.click('button', 'Keys and mouse');
	await d.page.waitForSelector('dialog[open]');
	await d.press('Escape');
	await d.until(() => !document.querySelector('dialog'));
	await d.press('0');
	await d.until(() => inftrace.app.place.view === null);
};

exports.the_overview_has_a_brush = async d => {
	await d.rest();
	const box = await d.box('.overview');
	const y = box.y + box.height / 2;
	await d.drag([box.x + box.width * 0.3, y], [box.x + box.width * 0.5, y]);
	let view = await d.view();
	assert.ok(near(view.begin / view.end_of_all, 0.3) && near(view.end / view.end_of_all, 0.5));
	await d.drag([box.x + box.width * 0.4, y], [box.x + box.width * 0.6, y]);
	view = await d.view();
	assert.ok(near(view.begin / view.end_of_all, 0.5) && near(view.end / view.end_of_all, 0.7));
	await d.drag([box.x + box.width * 0.7, y], [box.x + box.width * 0.9, y]);
	await d.drag([box.x + box.width * 0.5, y], [box.x + box.width * 0.2, y]);
	view = await d.view();
	assert.ok(near(view.begin / view.end_of_all, 0.2) && near(view.end / view.end_of_all, 0.9));
	await d.page.mouse.click(box.x + box.width * 0.05, y);
	await d.until(before => inftrace.app.view.begin < before / 2, view.begin);
	await d.page.mouse.click(box.x + box.width * 0.5, y, { count: 2 });
	await d.until(() => inftrace.app.place.view === null);
};

exports.clicking_selects_and_shows_everything_about_a_slice = async d => {
	const one = await firstOf(d, 'inferences');
	await d.page.evaluate(
		({ begin, duration }) => inftrace.app.setView({ begin: begin - duration, end: begin + 2 * duration }),
		one,
	);
	await d.rest();
	const at = await d.page.evaluate(({ row, begin, duration }) => {
		const { app, plots } = inftrace;
		plots.at.scroller.scrollTop = 0;
		const box = plots.at.events.getBoundingClientRect();
		return [box.x + plots.xOf(begin + duration / 2), box.y + app.lineOfRow[row] * 20 + 8];
	}, one);
	await d.page.mouse.move(...at);
	await d.until(() => document.querySelector('.tip')?.textContent.includes('inference'));
	await d.page.mouse.click(...at);
	const slice = await d.selected();
	assert.deepEqual([slice.begin, slice.end, slice.kind], [one.begin, one.begin + one.duration, 'inference']);
	const said = await d.page.$eval('.details', element => element.textContent);
	for (const value of Object.values(slice.args))
		if (typeof value === 'string') assert.ok(said.includes(value), value);
	// the first inference of a session is compared with no other; all others with their median, or those of their shape
	await d.until(() => document.querySelector('.why-parts')?.ariaBusy === 'false');
	const why = await d.page.$eval('.why-parts', element => element.textContent);
	assert.match(why, slice.args.first ? /First inferences/ : /longer than the median|not slower| more( than|:)/i);
	await d.page.mouse.click(...at, { count: 2 });
	await d.until(wide => inftrace.app.view.end - inftrace.app.view.begin < 1.3 * wide, one.duration);
	await d.click('button', 'As range');
	await d.until(() => inftrace.app.place.range);
	await d.press('Escape');
	await d.until(() => !document.querySelector('.details'));
	await d.press('Escape');
	await d.until(() => !inftrace.app.place.range);
};

/** Without this nothing says why a bar grows no more. */
exports.the_deepest_zoom_is_said = async d => {
	// that dragging moves is said for a moment
	await d.until(() => !document.querySelector('.hint.on'));
	await d.page.evaluate(() => inftrace.app.setView({ begin: 1e6, end: 1e6 + 50 }));
	await d.rest();
	assert.equal(await d.page.$('.hint.on'), null);
	await d.page.mouse.move(...(await middle(d)));
	await d.page.mouse.wheel({ deltaY: -400 });
	await d.until(() => /^50 ns/.test(document.querySelector('.hint.on')?.textContent ?? ''));
	assert.equal(length(await d.view()), 50);
	await d.press('0');
	await d.until(() => inftrace.app.place.view === null);
};

exports.dragging_does_what_its_mode_says = async d => {
	const one = await firstOf(d, 'inferences');
	await d.page.evaluate(
		({ begin, duration }) => inftrace.app.setView({ begin: begin - duration, end: begin + 2 * duration }),
		one,
	);
	await d.rest();
	const points = await d.page.evaluate(({ row, begin, duration }) => {
		const { app, plots } = inftrace;
		plots.at.scroller.scrollTop = 0;
		const box = plots.at.events.getBoundingClientRect();
		const y = box.y + app.lineOfRow[row] * 20 + 8;
		// not quite at both ends of the inference
		return [begin, begin + duration].map((time, i) => [box.x + plots.xOf(time) + (i ? -4 : 4), y]);
	}, one);
	await d.click('button', 'Drag measures between two points');
	await d.until(() => document.querySelector('.mode-measure'));
	await d.drag(...points);
	const { measure, range } = await d.place();
	assert.deepEqual([measure, range], [[one.begin, one.begin + one.duration], null]);
	await d.until(() => /\d/.test(document.querySelector('.measure:not([hidden])')?.textContent ?? ''));
	assert.match(await d.page.evaluate(() => location.hash), /[#&]d=\d+/);
	// the figure of what is not on the screen is not there, either
	for (const share of [-4, 4]) {
		const shown = await d.view();
		const by = share * length(shown);
		await d.page.evaluate(
			({ begin, end }, by) => inftrace.app.setView({ begin: begin + by, end: end + by }),
			shown,
			by,
		);
		await d.until(() => document.querySelector('.measure').hidden);
		await d.page.evaluate(shown => inftrace.app.setView(shown), shown);
		await d.until(() => !document.querySelector('.measure').hidden);
	}
	await d.press('2');
	await d.until(() => document.querySelector('.mode-range'));
	await d.drag(...points);
	await d.until(() => inftrace.app.place.range);
	const before = await d.view();
	await d.press('1');
	await d.drag(...points);
	await d.until(begin => inftrace.app.view.begin < begin, before.begin);
	assert.ok(near(length(await d.view()), length(before)));
	await d.press('Escape');
	await d.until(() => !inftrace.app.place.measure && document.querySelector('.measure').hidden);
	await d.press('Escape', '0');
	await d.until(() => !inftrace.app.place.range && inftrace.app.place.view === null);
};

exports.a_kind_of_work_stands_out = async d => {
	const coloured = () =>
		d.page.evaluate(() => {
			const { app } = inftrace;
			const fills = app.colours.length / app.recording.classes.length;
			return app.recording.classes.map((_, i) => i).filter(one => app.colours[one * fills] !== app.pale[one * fills]).length;
		});
	const all = await coloured();
	await d.click('button', 'Inference');
	await d.until(() => document.querySelector('.legend [aria-pressed=true]')?.textContent === 'Inference');
	const some = await coloured();
	assert.ok(some > 0 && some < all);
	await d.click('button', 'Inference');
	await d.until(() => !document.querySelector('.legend [aria-pressed=true]'));
	assert.equal(await coloured(), all);
};

exports.from_slice_to_slice = async d => {
	const one = await firstOf(d, 'operators');
	await d.tab('Operators');
	await d.page.waitForSelector('.grid-row[data-line="0"]');
	await d.page.click('.grid-row[data-line="0"]');
	const first = await d.selected();
	assert.equal(first.name, one.name);
	await d.until(() => document.querySelector('.grid-row.selected'));
	await d.click('button', 'Next of this name');
	const next = await d.until(begin => inftrace.app.slice.begin > begin && inftrace.app.slice, first.begin);
	assert.equal(next.name, first.name);
	await d.press('[');
	await d.until(begin => inftrace.app.slice.begin === begin, first.begin);
	await d.press(']');
	await d.until(begin => inftrace.app.slice.begin === begin, next.begin);
	await d.click('button', 'Previous of this name');
	await d.until(begin => inftrace.app.slice.begin === begin, first.begin);
	await d.click('button', 'Next slice in this row');
	await d.until(index => inftrace.app.slice.index === index + 1, first.index);
	await d.press(',');
	await d.until(index => inftrace.app.slice.index === index, first.index);
	await d.press('.');
	await d.until(index => inftrace.app.slice.index === index + 1, first.index);
	await d.click('button', 'Previous slice in this row');
	await d.until(index => inftrace.app.slice.index === index, first.index);
	await d.click('button', 'Zoom to it');
	await d.until(
		() =>
			inftrace.app.view.end - inftrace.app.view.begin <
			3 * Math.max(50, inftrace.app.slice.end - inftrace.app.slice.begin),
	);
	await d.click('button', 'Close the details');
	await d.until(() => !document.querySelector('.details'));
	await d.rest();
	await d.press('Enter');
	await d.selected();
};

exports.a_child_leads_to_its_parent = async d => {
	const child = await d.page.evaluate(async () => {
		const { tracks } = inftrace.app.recording;
		const deep = tracks.find(track => track.rows > 1);
		return (await fetch(`slice?row=${deep.row + 1}&index=0`)).json();
	});
	await d.page.evaluate(({ row, index }) => inftrace.app.select(row, index), child);
	await d.until(row => inftrace.app.slice?.row === row, child.row);
	await d.click('button', 'Parent');
	await d.until(row => inftrace.app.slice?.row === row, child.parent.row);
	await d.page.evaluate(({ row, index }) => inftrace.app.select(row, index), child);
	await d.until(row => inftrace.app.slice?.row === row, child.row);
	await d.press('p');
	await d.until(row => inftrace.app.slice?.row === row, child.parent.row);
	await d.press('f');
	await d.until(() => {
		const { slice, view } = inftrace.app;
		return (
			view.begin <= slice.begin &&
			view.end >= slice.end &&
			view.end - view.begin < 1.5 * (slice.end - slice.begin)
		);
	});
	await d.press('Escape', '0');
	await d.until(() => inftrace.app.place.view === null && !inftrace.app.slice);
};

exports.a_server_that_is_gone_is_said_until_it_answers_again = async d => {
	await d.rest();
	await d.page.evaluate(() => {
		globalThis.realFetch = fetch;
		globalThis.fetch = () => Promise.reject(new TypeError('gone'));
		const { app } = inftrace;
		app.slices.clear();
		app.setView({ begin: app.end * 0.4, end: app.end * 0.41 });
	});
	await d.until(() => document.querySelector('.gone')?.textContent.startsWith('inftrace has ended'));
	// what screen readers hear and what is shown stay apart
	await d.until(() => document.querySelector('.said').textContent.startsWith('From '));
	assert.equal(await d.page.evaluate(() => document.querySelector('.trouble')), null);
	await d.page.evaluate(() => {
		globalThis.fetch = globalThis.realFetch;
	});
	await d.until(() => document.querySelector('.gone') === null);
	await d.press('0');
	await d.rest();
};
