import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { devHotKeys } from '../dev/dev-hot-keys.ts';
import { DevLoop } from '../dev/dev-loop.ts';
import { environmentFiles } from '../load/environment-files.ts';
import { findApplication } from '../load/load-application.ts';
import { refuseOldNode } from '../load/node-version.ts';
import { UsageError } from '../output/usage-error.ts';
import { helpHint, listenForKeys } from '../terminal/hot-keys.ts';
import { isForeground } from '../terminal/is-foreground.ts';
import { command } from './command.ts';
import { serveArguments, toFlags } from './start.ts';

/** `waymark dev`: serves an application, again whenever a file it has read changes. */
export const dev = command(
  {
    meta: { name: 'dev', description: 'Serve an application and start it again when a file changes' },
    args: serveArguments,
    async run({ args, rawArgs }) {
      // Before a process is made, which would wait for files to change.
      toFlags(args);
      const file = findApplication(args.file);
      if (file === undefined) throw new UsageError('no application is here; waymark new makes one');
      if (!existsSync(dirname(file))) throw new UsageError(`there is no folder ${dirname(file)}`);
      refuseOldNode(file);
      const hears = !args.json && process.stdin.isTTY && isForeground();
      const always = [resolve(file), ...environmentFiles(file)];
      const loop = new DevLoop(rawArgs, always, {
        ...(hears && { hint: helpHint }),
        output: args.json ? 'reports' : 'everything',
      });
      const keys = hears ? listenForKeys(devHotKeys(loop, file)) : undefined;
      const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
      // A terminal that closes must not leave a server behind, and a server knows two signals only.
      const stop = (signal: NodeJS.Signals): void => loop.stop(signal === 'SIGHUP' ? 'SIGTERM' : signal);
      for (const signal of signals) process.on(signal, stop);
      return loop.ended.finally(() => {
        keys?.close();
        for (const signal of signals) process.off(signal, stop);
      });
    },
  },
  { examples: ['dev', 'dev src/application.ts --port 8080'] },
);
