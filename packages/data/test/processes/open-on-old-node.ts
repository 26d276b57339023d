// Opens a file where node brings no SQLite, and prints why that fails, or that it does not.
import { openDatabase } from '../../src/index.ts';

Object.defineProperty(process, 'getBuiltinModule', { value: undefined });
console.log(
  await openDatabase(`sqlite://${process.argv[2]}`).then(
    () => 'opened',
    (error: unknown) => String(error),
  ),
);
