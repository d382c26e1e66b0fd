// SPDX-License-Identifier: Apache-2.0
// cppdbg.js ADAPTER: a debug adapter that takes launch configurations as the C/C++ extension does (MIMode, miDebuggerPath,
// args, environment), and has ADAPTER, which drives gdb, debug what they name. It passes all other messages on.
'use strict';
const { spawn } = require('child_process');

const adapter = spawn(process.execPath, [process.argv[2]], { stdio: ['pipe', 'inherit', 'inherit'] });
adapter.on('close', status => process.exit(status ?? 1));

const quoted = word => `'${word.replaceAll("'", "'\\''")}'`;

function launchOf({ MIMode, miDebuggerPath, args = [], environment = [], ...rest }) {
	if (MIMode !== 'gdb' || !rest.cwd || !rest.program) throw new Error('a launch of cppdbg has MIMode, cwd and program');
	const env = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
	return { ...rest, gdb: miDebuggerPath, arguments: args.map(quoted).join(' '), environment: env };
}

let rest = Buffer.alloc(0);
process.stdin.on('data', part => {
	rest = Buffer.concat([rest, part]);
	for (;;) {
		const head = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString('latin1', 0, 64));
		const end = head && head[0].length + Number(head[1]);
		if (!head || rest.length < end) return;
		const message = JSON.parse(rest.toString('utf8', head[0].length, end));
		rest = rest.subarray(end);
		if (message.command === 'launch') message.arguments = launchOf(message.arguments);
		const body = Buffer.from(JSON.stringify(message));
		adapter.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
		adapter.stdin.write(body);
	}
});
process.stdin.on('end', () => adapter.stdin.end());
