// Opens a database without the rights of root, and prints the problem.
import { DeclarationError } from '@waymark/contract';
import { openDatabase } from '../../src/index.ts';

// What is loaded when the first database opens is loaded before: nobody may be kept from entering this folder.
const first = await openDatabase('sqlite://:memory:');
await first.close();
if (process.getuid?.() === 0) {
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
try {
  await openDatabase(process.argv[2] ?? '');
} catch (error) {
  console.log(JSON.stringify(error instanceof DeclarationError ? error.problems[0] : String(error)));
}
