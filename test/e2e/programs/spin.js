// SPDX-License-Identifier: Apache-2.0
// Computes in one function for two seconds of its time.
function spin(n) {
    let x = 0;
    for (let i = 0; i < n; i++) x = (x * 31 + i) % 1000003;
    return x;
}

const before = process.cpuUsage();
let sum = 0;
while (process.cpuUsage(before).user < 2e6) sum += spin(5e6);
require("fs").unlinkSync(`/tmp/perf-${process.pid}.map`);
