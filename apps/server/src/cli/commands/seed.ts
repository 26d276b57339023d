import { loadApplication } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { runSeed, seedFile } from '../upkeep/run-seed.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark seed`: fills the database with what an application begins with. */
export const seed = command(
  {
    meta: { name: 'seed', description: 'Run seed.ts, seed.js or seed.sql beside the application' },
    args: {
      ...fileArgument,
      from: { type: 'string', description: 'Another file, .ts, .js or .sql', valueHint: 'seeds/demo.ts' },
      force: { type: 'boolean', description: 'Also where NODE_ENV is production', default: false },
      ...jsonOption,
    },
    async run({ args }) {
      const application = await loadApplication(args.file);
      const { database, home } = application.upkeep();
      if (database === undefined)
        throw new Failure("the application has no database; write database: 'sqlite://app.db'");
      if (database.includes(':memory:'))
        throw new Failure('the database is in memory, and gone when this command ends; name a file');
      if (process.env['NODE_ENV'] === 'production' && !args.force)
        throw new Failure(
          'NODE_ENV is production, and seeds are mostly made up; --force runs them here, too',
        );
      const file = seedFile(home, args.from);
      const startMs = performance.now();
      await runSeed(application, file);
      const ms = Math.round(performance.now() - startMs);
      if (args.json) console.log(JSON.stringify({ file, ms }));
      else console.log(`ran ${file} in ${ms} ms`);
    },
  },
  { examples: ['seed', 'seed src/application.ts --from seeds/demo.sql'] },
);
