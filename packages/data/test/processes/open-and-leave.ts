// Opens a database, and does nothing more with it.
import { openDatabase } from '../../src/index.ts';

await openDatabase(process.argv[2] ?? '', { probeMs: 10 });
