// SPDX-License-Identifier: Apache-2.0
// Parts that are saved, links that last, files that are brought, and two recordings beside each other.
'use strict';
const assert = require('assert/strict');
const fs = require('fs');
const path = require('path');
const { near, length, middle } = require('./view_common.js');

exports.a_part_is_saved_as_a_recording = async d => {
	// the inferences from the 100th to the 120th
	await d.page.evaluate(async () => {
		const table = await inftrace.app.get('table', { what: 'inferences', sort: 'begin', dir: 'asc', limit: 200 });
		const begin = table.columns.findIndex(column => column.name === 'begin');
		inftrace.app.go({ range: [table.rows[99][begin], table.rows[119][begin]] });
	});
	const part = await d.saved('recording-part.pftrace', () => d.click('button', 'Part'));
	assert.ok(part.length > 100 && part.length < fs.statSync(await d.page.evaluate(() => inftrace.app.recording.path)).size);
};

exports.a_link_is_a_command_that_shows_the_place = async d => {
	await d.browser.defaultBrowserContext().overridePermissions(new URL(d.address).origin, ['clipboard-sanitized-write', 'clipboard-read']);
	await d.click('button', 'Link');
	await d.until(() => [...document.querySelectorAll('button')].some(one => one.textContent === 'Copied'));
	const text = await d.page.evaluate(() => navigator.clipboard.readText());
	assert.match(text, /^inftrace view '\/.*recording\.pftrace#.*r=\d+-\d+/);
};

/** The page begins anew, with two recordings. */
const two = d =>
	d.until(() => globalThis.inftrace?.beside?.gate.busy === 0 && document.querySelectorAll('canvas.events').length === 2);

exports.a_file_that_is_dropped_is_compared = async d => {
	await d.page.evaluate(async () => {
		const name = 'after.pftrace';
		const content = await (await fetch('excerpt?from=0&to=1e15')).blob();
		const data = new DataTransfer();
		data.items.add(new File([content], name));
		document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
	});
	await d.until(() => document.querySelector('dialog')?.textContent.includes('after.pftrace'));
	await d.click('button', 'Compare with recording.pftrace');
	await two(d);
	// the same inferences are there twice
	await d.until(() => /Median.*±0 %/.test(document.querySelector('.tiles')?.textContent));
	await d.page.waitForSelector('.differences tbody tr');
	await d.page.waitForSelector('.histogram.both path.of-new');
};

exports.both_timelines_are_one_view = async d => {
	const views = () => d.page.evaluate(() => [inftrace.app.view, inftrace.beside.view]);
	const [before] = await views();
	await d.page.mouse.move(...(await middle(d)));
	await d.page.mouse.wheel({ deltaY: -400 });
	await d.until(was => inftrace.app.view.end - inftrace.app.view.begin < was / 1.2, length(before));
	const [base, fresh] = await views();
	assert.deepEqual(base, fresh);
	const first = await d.page.evaluate(() => [inftrace.app, inftrace.beside].map(app => app.recording.first_inference));
	assert.ok(near(first[0], first[1], 1e-6), first);
};

exports.an_operator_is_shown_in_both = async d => {
	await d.page.$eval('.differences td button', button => button.click());
	await d.until(() => inftrace.app.slice || inftrace.beside.slice);
	const name = await d.page.$eval('.differences td button', button => button.textContent);
	assert.equal(await d.page.evaluate(() => (inftrace.app.slice ?? inftrace.beside.slice).name), name);
	await d.page.waitForSelector('.details');
};

exports.a_file_that_is_chosen_is_opened = async d => {
	await d.click('button', 'Open');
	const input = await d.page.waitForSelector('dialog input[type=file]');
	await input.uploadFile(path.join(d.folder, 'recording-part.pftrace'));
	await d.until(() => document.querySelector('dialog').textContent.includes('recording-part.pftrace'));
	await d.page.$eval('dialog button[type=submit]', button => button.click());
	await d.until(() => globalThis.inftrace?.app.recording.file.endsWith('recording-part.pftrace'));
	// what is asked for is asked of this one
	await d.until(() => inftrace.app.report?.models.length === 1);
	const counts = await d.page.evaluate(async () => {
		const all = await (await fetch('table?what=inferences&limit=1')).json();
		const own = await inftrace.app.get('table', { what: 'inferences', limit: 1 });
		return [all.total, own.total];
	});
	// of a busy program a part has more, because events come in larger batches
	assert.ok(counts[1] >= 20 && counts[1] < counts[0] && counts[0] > 200, counts);
};

exports.what_cannot_be_compared_says_what_each_ran = async d => {
	await d.page.evaluate(async () => {
		const content = JSON.stringify([{ ph: 'X', pid: 1, tid: 1, ts: 0, dur: 900, name: 'work', cat: 'own' }]);
		const data = new DataTransfer();
		data.items.add(new File([content], 'other.json'));
		document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
	});
	await d.until(() => document.querySelector('dialog')?.textContent.includes('other.json'));
	await d.click('button', 'Compare with recording-part.pftrace');
	await two(d);
	await d.until(() => /no model in common/.test(document.querySelector('.differences caption')?.textContent));
	const rows = () => [...document.querySelectorAll('.differences tbody tr')].map(row => row.textContent);
	const texts = await d.page.evaluate(rows);
	assert.equal(texts.length, 2);
	assert.match(texts.join(), /cnn.*no model ran|no model ran.*cnn/);
};
