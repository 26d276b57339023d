import { basename, dirname } from 'node:path';
import { loadApplication } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { makeFolder } from '../output/make-folder.ts';
import { databaseFile, failWith } from '../upkeep/database-file.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark backup`: copies the database into one file, while the server runs and writes. */
export const backup = command(
  {
    meta: { name: 'backup', description: 'Copy the database into a file, while the server runs' },
    args: {
      ...fileArgument,
      out: { type: 'string', description: 'The copy; shop-20261127T081500Z.db here', valueHint: 'backup.db' },
      force: { type: 'boolean', description: 'Replace a file that is there', default: false },
      ...jsonOption,
    },
    async run({ args }) {
      const upkeep = (await loadApplication(args.file)).upkeep();
      const from = await databaseFile(upkeep, 'back up');
      const atMs = Date.now();
      const out = args.out ?? usualName(from, atMs);
      const { backupFile } = await import('@waymark/data/upkeep');
      try {
        makeFolder(dirname(out));
        const made = await backupFile(from, out, { application: upkeep.name, atMs, replaces: args.force });
        const { bytes, pages, copyMs, checkMs } = made;
        console.log(
          args.json
            ? JSON.stringify({ file: out, ...made })
            : `wrote ${out}: ${bytes} bytes, ${pages} pages, copied in ${Math.round(copyMs)} ms, looked through in ${Math.round(checkMs)} ms`,
        );
      } catch (error) {
        throw failWith(error, (message) => new Failure(`no backup was made: ${message}`, { cause: error }));
      }
    },
  },
  { examples: ['backup', 'backup --out /var/backups/shop.db --force'] },
);

function usualName(from: string, atMs: number): string {
  const time = new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${basename(from).replace(/\.[^.]*$/, '')}-${time}.db`;
}
