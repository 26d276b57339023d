// Opens a database, prints how often its tables were made, and closes it.
import { openDatabase } from '../../src/index.ts';

const database = await openDatabase(process.argv[2] ?? '');
console.log(
  JSON.stringify(
    await database.many('select version, (select count(*) from svc__schema) as rows from svc__schema'),
  ),
);
await database.close();
