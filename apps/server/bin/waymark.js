#!/usr/bin/env node
import module from 'node:module';

// Halves the time to the first line, where node has it (22.8 and newer).
module.enableCompileCache?.();
const { run } = await import('@waymark/server/cli');
const code = await run(process.argv.slice(2));
// An application that was only looked at may have left timers or connections behind. What was written goes out first.
process.stdout.write('', () => process.exit(code));
