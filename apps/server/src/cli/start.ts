import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { defineCommand } from 'citty';
import type { Flags } from '../options.ts';
import { runUntilSignal } from '../run-until-signal.ts';
import { formatReport } from '../startup-report.ts';
import { loadApplication } from './load-application.ts';
import { UsageError } from './usage-error.ts';

/** The arguments of the commands that serve. */
export const serveArguments = {
  file: {
    type: 'positional',
    required: false,
    description: 'File that exports the application (application.ts, src/application.ts)',
  },
  host: { type: 'string', description: 'Address to bind', valueHint: '127.0.0.1' },
  port: { type: 'string', description: 'Port to listen on; 0 takes a free one', valueHint: '8000' },
} as const;

/** `waymark start`: serves an application until it is told to stop. */
export const start = defineCommand({
  meta: {
    name: 'start',
    description: 'Serve an application, e.g. waymark start src/application.ts --port 8080',
  },
  args: serveArguments,
  async run({ args }) {
    if (existsSync('.env')) loadEnvFile('.env');
    const application = await loadApplication(args.file);
    const running = await application.listen(toFlags(args));
    // Before anything is said: whoever reads "is ready" may stop it at once.
    const stopped = runUntilSignal(running);
    console.log(formatReport(running.report));
    await stopped;
  },
});

function toFlags({
  host,
  port,
}: {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}): Flags {
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new UsageError(`--port ${port} is not a number from 0 to 65535`);
  return { ...(host !== undefined && { host }), ...(port !== undefined && { port: Number(port) }) };
}
