import { existsSync } from 'node:fs';

/** Ends a process before it begins, as long as the file at `BROKEN` is there. */
if (existsSync(process.env['BROKEN'] ?? '')) process.exit(3);
