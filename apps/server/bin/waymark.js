#!/usr/bin/env node
import { run } from '@waymark/server/cli';

process.exitCode = await run(process.argv.slice(2));
