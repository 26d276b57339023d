#!/usr/bin/env node
import module from 'node:module';

// Halves the time to the first line, where node has it (22.8 and newer).
module.enableCompileCache?.();
const { main } = await import('@waymark/server/cli');
await main(process.argv.slice(2));
