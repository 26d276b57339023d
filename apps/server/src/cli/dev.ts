import { spawn } from 'node:child_process';
import { defineCommand } from 'citty';
import { serveArguments } from './start.ts';

/** `waymark dev`: the same, started again whenever a file it has read changes. */
export const dev = defineCommand({
  meta: {
    name: 'dev',
    description:
      'Serve an application and start it again when a file changes, e.g. waymark dev src/application.ts',
  },
  args: serveArguments,
  run: ({ rawArgs }) => watch(['start', ...rawArgs]),
});

/** Runs this command line again under `node --watch`. @returns its exit code */
function watch(argv: readonly string[]): Promise<number> {
  const [, entry = ''] = process.argv;
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--watch', '--watch-preserve-output', entry, ...argv],
    {
      stdio: 'inherit',
    },
  );
  return new Promise((resolve, reject) => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    // Node's watcher passes on these two only; a terminal that closes must not leave a server behind.
    const forward = (signal: NodeJS.Signals): void =>
      void child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    for (const signal of signals) process.on(signal, forward);
    child.once('error', reject);
    child.once('exit', (code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code ?? 0);
    });
  });
}
