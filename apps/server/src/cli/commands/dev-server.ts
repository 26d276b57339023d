import fs, { type PathOrFileDescriptor } from 'node:fs';
import module from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { standIns } from '../dev/stand-ins.ts';
import { UsageError } from '../output/usage-error.ts';
import { command } from './command.ts';
import { serve, serveArguments } from './start.ts';

/** What `waymark dev` is told by a process it has started. */
export type FromServer =
  | { readonly read: string }
  /** It serves, at the URL; the text says so, for `dev` to print. */
  | { readonly ready: string; readonly at: Address };

/** Where it serves. */
export interface Address {
  readonly url: string;
  readonly controlPrefix: string;
}

/** What it tells such a process: to serve now. `sinceMs` is when that began to be waited for, epoch milliseconds. */
export interface ToServer {
  readonly sinceMs: number;
  /** Stands at the end of the first screen. */
  readonly hint?: string | undefined;
}

/** The process that `waymark dev` starts: ready but for the application, which it loads when it is told to. */
export const devServer = command(
  {
    meta: { name: 'dev-server', description: 'Started by waymark dev' },
    args: serveArguments,
    async run({ args }) {
      if (!process.send) throw new UsageError('dev-server is for waymark dev alone');
      // Nobody is left who could stop it.
      process.once('disconnect', () => process.exit());
      reportReads();
      // What every application imports first.
      await import('../../index.ts');
      const { sinceMs, hint } = await new Promise<ToServer>((resolve) => process.once('message', resolve));
      return serve(args, {
        // Whoever has just saved a file does not wait for what is under way.
        shutdownTimeout: 0.05,
        begunAtMs: sinceMs - performance.timeOrigin,
        development: standIns(args.file),
        hint,
        say: (ready, { url, mcpUrl }) =>
          tell({ ready, at: { url, controlPrefix: mcpUrl.slice(url.length, -'/mcp'.length) } }),
      });
    },
  },
  { examples: ['dev'] },
);

function tell(message: FromServer): void {
  process.send?.(message);
}

/**
 * Tells of each file that is loaded from now on, and of templates and statements that are read. Older versions of Node
 * cannot say what is loaded; then the application's own file counts.
 */
function reportReads(): void {
  reportTexts();
  if (!('registerHooks' in module)) return;
  module.registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:') && !url.includes('/node_modules/')) tell({ read: fileURLToPath(url) });
      return next(url, context);
    },
  });
}

/** What people write and applications read at their start. Other files they may also write themselves, and would restart for ever. */
const text = /\.(?:hbs|html|sql)$/;

function reportTexts(): void {
  const { readFileSync } = fs;
  fs.readFileSync = ((path: PathOrFileDescriptor, ...rest: []) => {
    const read = readFileSync(path, ...rest);
    const name = path instanceof URL ? fileURLToPath(path) : String(path);
    if (text.test(name) && !name.includes('/node_modules/')) tell({ read: resolve(name) });
    return read;
  }) as typeof readFileSync;
  // `import { readFileSync }` is this one, too, from now on.
  module.syncBuiltinESMExports();
}
