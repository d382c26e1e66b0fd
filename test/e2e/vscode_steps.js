// SPDX-License-Identifier: Apache-2.0
// What a person does with the extension: see test_vscode.py for the programs and recordings that are there.
'use strict';
const assert = require('assert/strict');
const fs = require('fs');

exports.programs_and_recordings_are_listed = async w => {
	await w.show();
	await w.tree('serve.py').waitFor();
	await w.tree('first.pftrace').waitFor();
};

exports.a_recording_opens_as_a_timeline = async w => {
	await w.tree('first.pftrace').click();
	const frame = await w.timeline('first.pftrace');
	const answer = await frame.evaluate(() => document.querySelector('.answer').textContent);
	assert.match(answer, /inference/);
	// no network is there to be used
	const isBarred = await frame.evaluate(() => fetch('data:,x').then(() => false, () => true));
	assert.ok(isBarred);
	const box = await (await frame.$('canvas.events')).boundingBox();
	const before = await frame.evaluate(() => inftrace.app.view.end - inftrace.app.view.begin);
	await w.page.mouse.move(box.x + box.width * 0.6, box.y + 40);
	for (let i = 0; i < 6; i++) await w.page.mouse.wheel(0, -240);
	await frame.waitForFunction(
		was => inftrace.app.view.end - inftrace.app.view.begin < was / 4 && inftrace.app.gate.busy === 0,
		before,
	);
};

exports.lines_that_ran_models_have_their_figures = async w => {
	await w.open('run.py');
	// drawn by a rule of CSS, behind the line
	await w.until(
		() =>
			w.page.evaluate(() =>
				[...document.querySelectorAll('.view-line span')].some(span =>
					/cnn: \d+ inferences · median/.test(getComputedStyle(span, '::after').content),
				),
			),
		'the line has its figures',
	);
	await w.page.locator('.codelens-decoration').filter({ hasText: 'Record with inftrace' }).first().waitFor();
};

exports.a_command_line_is_recorded_and_opened = async w => {
	await w.command('inftrace: Record Command Line');
	await w.type(process.env.VSCODE_COMMAND);
	await w.status(/inferences/).waitFor();
	await w.answer(/ in run\.pftrace/, 'Open');
	await w.timeline('run.pftrace');
};

exports.a_running_program_is_recorded_and_reported = async w => {
	await w.command('inftrace: Record Running Program');
	await w.pick('serve.py');
	await w.answer(/serve\.py.* inferences in/, 'Open Report');
	await w.frame(() => /inferences of/.test(document.body.textContent) && document.querySelector('h1') !== null);
};

/** Goes on while other things are done. */
exports.a_model_is_profiled_on_a_device = async w => {
	await w.command('inftrace: Profile Model');
	await w.pick('cnn.onnx');
	await w.pick('CPUExecutionProvider');
	await w.type('100ms');
	await w.status(/\d\d:\d\d/).waitFor();
};

/** Questions of the view of programs to inftrace. */
const asked = () =>
	fs.readFileSync(process.env.VSCODE_ASKED, 'utf8').split('\n').filter(line => line === 'ps --json').length;
let askedWhileSeen = 0;

exports.two_recordings_are_compared = async w => {
	await w.page.locator('.activitybar a[aria-label^="Explorer"]').click();
	await w.tab('first.pftrace').click();
	await w.timeline('first.pftrace');
	// a question may have been on its way when the views were left
	askedWhileSeen = asked();
	await w.command('inftrace: Compare Recordings');
	await w.pick('run.pftrace');
	// the older one is the base
	await w.tab('first.pftrace → run.pftrace').waitFor();
	const frame = await w.frame(() => globalThis.inftrace?.beside && document.querySelector('.differences tbody tr'));
	const [verdict, ends] = await frame.evaluate(() => [
		document.querySelector('.verdict').textContent,
		[inftrace.app.view.end, inftrace.beside.view.end],
	]);
	assert.match(verdict, /operators of cnn|differ/);
	assert.equal(ends[0], ends[1]);
};

/** Of high contrast, whose text is all of one colour. */
function hasNoGrey() {
	const was = document.body.className;
	document.body.className = 'vscode-high-contrast';
	const style = getComputedStyle(document.documentElement);
	const [dim, ink] = ['--dim', '--ink'].map(name => style.getPropertyValue(name));
	document.body.className = was;
	return dim !== '' && dim === ink;
}

exports.the_theme_is_that_of_the_workbench = async w => {
	await w.tab('first.pftrace').click();
	const frame = await w.timeline('first.pftrace');
	assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), 'light');
	await w.command('Preferences: Toggle between Light/Dark Themes');
	await frame.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
	// that of the report, too
	const report = await w.frame(
		() => document.querySelector('h1') && getComputedStyle(document.documentElement).colorScheme === 'dark',
	);
	for (const one of [frame, report]) assert.ok(await one.evaluate(hasNoGrey));
};

exports.the_report_of_the_model_is_offered = async w => {
	await w.answer(/profile cnn\.onnx: the report/, 'Open Report');
	await w.tab('profile cnn.onnx').waitFor();
	await w.frame(() => /CPUExecutionProvider|cpu/.test(document.body.textContent) && /cnn/.test(document.body.textContent));
};

exports.views_ask_nothing_while_they_are_hidden = async w => {
	assert.equal(asked(), askedWhileSeen);
	await w.show();
	await w.until(() => asked() > askedWhileSeen, 'the view asks again');
};

const live = { frame: null, end: 0 };

async function grows(frame) {
	const before = await frame.evaluate(() => inftrace.app.end);
	await frame.waitForFunction(was => inftrace.app.end > was + 1e9, before);
}

exports.live_goes_on_by_itself = async w => {
	await w.tree('serve.py').hover();
	await w.tree('serve.py').getByRole('button', { name: 'Live' }).click();
	live.frame = await w.frame(() => globalThis.inftrace?.app.recording.live && inftrace.app.end > 1e9);
	await grows(live.frame);
	await w.tab('first.pftrace').click();
	// what it had asked for when the tab was left has come
	live.end = await w.until(
		() => live.frame.evaluate(() => inftrace.host.isHidden() && inftrace.host.waiting.size === 0 && inftrace.app.end),
		'the page learns that it is hidden',
	);
};

exports.a_page_whose_server_was_killed_says_so_at_once = async w => {
	await w.tab('first.pftrace').click();
	const frame = await w.timeline('first.pftrace');
	for (const pid of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
		let words = [];
		try {
			words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
		} catch {}
		if (words[1] === 'view' && words.at(-2).endsWith('/workspace/first.pftrace')) process.kill(Number(pid), 'SIGKILL');
	}
	// nobody touches the page
	await frame.waitForFunction(() => document.querySelector('.gone') !== null);
};

exports.a_live_page_rests_while_it_is_hidden = async w => {
	assert.equal(await live.frame.evaluate(() => inftrace.app.end), live.end);
	await w.tab('Live: ').click();
	await grows(live.frame);
	await w.tab('Live: ').locator('.action-label').click();
};
