import { relative } from 'node:path';
import type { Restored } from '@waymark/data/upkeep';
import { loadApplication } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { databaseFile, failWith } from '../upkeep/database-file.ts';
import { command, jsonOption } from './command.ts';

/** `waymark restore`: puts a copy in the place of the database of a server that does not run. */
export const restore = command(
  {
    meta: {
      name: 'restore',
      description: 'Put a backup in the place of the database; the server must not run',
    },
    args: {
      backup: {
        type: 'positional',
        required: true,
        description: 'File that waymark backup wrote, or a copy',
      },
      file: {
        type: 'positional',
        required: false,
        description: 'File that exports the application (application.ts, src/application.ts)',
      },
      force: {
        type: 'boolean',
        description: 'Also one of another application, of an unknown one, or with other migrations',
        default: false,
      },
      ...jsonOption,
    },
    async run({ args }) {
      const upkeep = (await loadApplication(args.file)).upkeep();
      const to = await databaseFile(upkeep, 'restore');
      const { restoreFile } = await import('@waymark/data/upkeep');
      try {
        const restored = await restoreFile(args.backup, to, {
          ...{ application: upkeep.name, folder: await upkeep.folder(), atMs: Date.now(), force: args.force },
        });
        console.log(
          args.json ? JSON.stringify({ file: to, ...restored }) : format(shown(to), args.backup, restored),
        );
      } catch (error) {
        throw failWith(error, (message) => new Failure(`nothing was restored: ${message}`, { cause: error }));
      }
    },
  },
  { examples: ['restore backup.db', 'restore /var/backups/shop.db src/application.ts'] },
);

function format(
  to: string,
  from: string,
  { madeMs, before, pending, runs, approvals }: Omit<Restored, 'bytes'>,
): string {
  const made = madeMs === undefined ? '' : ` of ${new Date(madeMs).toISOString()}`;
  return [
    `${to} is ${from}${made}`,
    ...(before === undefined ? [] : [`what was there is ${shown(before)}; delete it once all is well`]),
    ...(pending.length === 0 ? [] : [`not applied yet: ${pending.join(', ')}`]),
    ...(runs === 0 ? [] : [`the next start goes on with ${of(runs, 'run')}, ${asked(approvals)}`]),
  ].join('\n');
}

/** What was done after the copy was made is not known to it. */
function asked(approvals: number): string {
  const again = 'which may do again what they have done since';
  return approvals === 0 ? again : `${again}; ${of(approvals, 'question')} to a human open`;
}

function of(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
