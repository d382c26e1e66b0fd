// SPDX-License-Identifier: Apache-2.0
// A recording that is still written while the page shows it.
'use strict';
const assert = require('assert/strict');
const fs = require('fs');
const path = require('path');

exports.the_page_follows_until_the_recording_is_complete = async d => {
	await d.rest();
	const [begin, slices] = await d.page.evaluate(() => [inftrace.app.end, inftrace.app.recording.events]);
	await d.until(end => inftrace.app.end > end, begin);
	process.kill(Number(fs.readFileSync(path.join(d.folder, 'program'))), 'SIGUSR1'); // now the program ends
	await d.until(() => !inftrace.app.recording.growing);
	await d.rest();
	const [end, events, view, growing] = await d.page.evaluate(() => {
		const { app } = inftrace;
		return [app.end, app.recording.events, app.view, document.querySelector('.live')];
	});
	assert.ok(events > slices);
	assert.deepEqual(view, { begin: 0, end });
	assert.equal(growing, null);
	// what came last is on the screen
	await d.until(async () => {
		const table = await (await fetch('table?what=inferences&limit=1&sort=begin&dir=desc')).json();
		const at = name => table.rows[0][table.columns.findIndex(column => column.name === name)];
		const { app, plots } = inftrace;
		plots.at.scroller.scrollTop = 0;
		return (
			plots.hit(plots.xOf(at('begin') + at('duration') / 2), app.lineOfRow[at('row')] * 20 + 8) !==
			null
		);
	});
};
