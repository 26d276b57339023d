// Tries once to take the write lock of a file, and prints `locked` or why not.
import Libsql from 'libsql';

const database = new Libsql(process.argv[2] ?? '', { timeout: 0 });
try {
  database.exec('BEGIN IMMEDIATE');
  console.log('locked');
} catch (error) {
  console.log(error instanceof Error && 'code' in error ? error.code : String(error));
}
