// Opens a file and tries a server, and prints which libraries that are not node's own it has loaded for that.
// Arguments: the file, and the URL of a port where nobody listens.
import { openDatabase } from '../../src/index.ts';

const [file = '', nobody = ''] = process.argv.slice(2);
await (await openDatabase(`sqlite://${file}`)).close();
await openDatabase(nobody, { deadlineMs: 1 }).catch(() => undefined);
const { sharedObjects } = process.report.getReport() as unknown as {
  readonly sharedObjects: readonly string[];
};
console.log(sharedObjects.filter((path) => path.includes('node_modules') || path.endsWith('.node')).length);
