// Tries once to take the write lock of a file, and prints `locked` or why not.
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2] ?? '', { timeout: 0 });
try {
  database.exec('BEGIN IMMEDIATE');
  console.log('locked');
} catch (error) {
  console.log(error instanceof Error && 'errstr' in error ? error.errstr : String(error));
}
