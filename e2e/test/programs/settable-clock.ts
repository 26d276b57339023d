import { readFileSync } from 'node:fs';

/** Sets the clock on the wall of this process, and no other clock: on SIGUSR2, by what the file CLOCK says in milliseconds. */
const { now } = Date;
let byMs = 0;
Date.now = () => now() + byMs;
process.on('SIGUSR2', () => {
  byMs = Number(readFileSync(process.env['CLOCK'] ?? '', 'utf8'));
  console.log(`clock ${byMs}`);
});
