// Takes roots that are ready and decides approvals until none is left, against others that do the same.
// Arguments: file, name of the holder, ids of the roots.
import { openDatabase, sqlRunStore } from '../../src/index.ts';

const [file = '', holder = '', ids = ''] = process.argv.slice(2);
const database = await openDatabase(`sqlite://${file}`, { synchronous: 'normal' });
const runs = sqlRunStore(database);
const roots = ids.split(',').sort(() => Math.random() - 0.5);
for (const rootId of roots) {
  const [taken, decided] = await Promise.all([
    runs.take(holder, 1, 600_000, rootId),
    runs.decide(`a-${rootId}`, { status: 'approved', note: '', by: holder }),
  ]);
  if (taken.length > 0) console.log(`took ${rootId}`);
  if (decided.outcome === 'decided') console.log(`decided ${rootId}`);
}
await database.close();
