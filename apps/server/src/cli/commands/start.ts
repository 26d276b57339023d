import { DeclarationError } from '@waymark/contract';
import type { Application } from '../../application.ts';
import { formatReport } from '../../boot/first-screen.ts';
import { runUntilSignal } from '../../boot/run-until-signal.ts';
import { countProcesses, type StartupReport } from '../../boot/startup-report.ts';
import { type ConsoleLinkOptions, consoleLink } from '../../develop/console-link.ts';
import type { Flags } from '../../options/application-options.ts';
import { isPort, toPort } from '../../options/port.ts';
import { standIns } from '../dev/stand-ins.ts';
import { loadApplication } from '../load/load-application.ts';
import { readVariables } from '../load/read-variables.ts';
import { UsageError } from '../output/usage-error.ts';
import { hasColors } from '../terminal/has-colors.ts';
import { command, fileArgument } from './command.ts';

/** The arguments of the commands that serve. */
export const serveArguments = {
  ...fileArgument,
  host: { type: 'string', description: 'Address to bind', valueHint: '127.0.0.1' },
  port: { type: 'string', description: 'Port to listen on; 0 takes a free one', valueHint: '8000' },
  workers: { type: 'string', description: 'Processes that serve', valueHint: 'one for each CPU' },
  json: { type: 'boolean', description: 'Print the startup report as one line of JSON', default: false },
} as const;

/** What was given for them. */
export interface ServeArguments {
  readonly file?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly workers?: string | undefined;
  readonly json: boolean;
}

/** `waymark start`: serves an application until it is told to stop. */
export const start = command(
  {
    meta: { name: 'start', description: 'Serve an application' },
    args: serveArguments,
    run: ({ args }) => serve(args),
  },
  { examples: ['start', 'start src/application.ts --port 8080'] },
);

/** How `serve` is asked to begin. */
export interface Beginning {
  /** When the wait for it began, on the clock of the process; with the process. */
  readonly begunAtMs?: number;
  /** Seconds; the application's. */
  readonly shutdownTimeout?: number;
  /** What stands in for what this machine lacks; nothing. */
  readonly development?: Flags['development'];
  /** At the end of the first screen; nothing. */
  readonly hint?: string | undefined;
  /** Says that it serves; on standard output. */
  readonly say?: (text: string, report: StartupReport) => void;
}

/** Serves an application until a signal ends the process. */
export async function serve(
  args: ServeArguments,
  { begunAtMs = 0, shutdownTimeout, development, hint, say = (text) => console.log(text) }: Beginning = {},
): Promise<number> {
  const flags = toFlags(args);
  const application = await loadApplication(args.file);
  const plan = application.plan(flags);
  const { processes, because } = plan;
  // What is wrong with the number is said by whoever starts.
  if (!development && Number.isInteger(processes) && processes > 1) return supervise(args, plan);
  const running = await application.listen({
    ...flags,
    ...(shutdownTimeout !== undefined && { shutdownTimeout }),
    ...(development && { development }),
  });
  // Before anything is said: whoever reads "is ready" may stop it at once.
  const stopped = runUntilSignal(running);
  const consoleUrl = development && (await consoleLink(consoleOf(running.report, args.file)));
  const report = {
    ...running.report,
    ...(!development && because !== undefined && { processes: countProcesses(plan) }),
    bootMs: running.report.bootMs - begunAtMs,
    ...(consoleUrl !== undefined && { consoleUrl }),
  };
  const screen = { color: hasColors(process.stdout), ...(hint !== undefined && { hint }) };
  say(args.json ? JSON.stringify(report) : formatReport(report, screen), report);
  return stopped;
}

/** Keeps several processes, each of which runs this program once more. */
async function supervise(args: ServeArguments, plan: ReturnType<Application['plan']>): Promise<never> {
  const problems = await plan.problems();
  // Said once, and not by each process.
  if (problems.length > 0) throw new DeclarationError(problems);
  const { Supervisor } = await import('../../workers/supervisor.ts');
  const [exec = '', , ...given] = process.argv.slice(1);
  const code = await new Supervisor({
    ...{ exec, args: ['worker', ...given], processes: plan.processes, because: plan.because },
    ...{ host: plan.host, port: plan.port, shutdownMs: plan.shutdownTimeout * 1000 },
    onReady: (report) => {
      const screen = { color: hasColors(process.stdout) };
      const whole = { ...report, bootMs: performance.now() };
      console.log(args.json ? JSON.stringify(whole) : formatReport(whole, screen));
    },
    say: (text) => console.error(text),
  }).run();
  // Whatever it could not say, it has served.
  process.exit(code);
}

/** The console of a service in development, with the keys that were made for it. */
function consoleOf({ url, mcpUrl }: StartupReport, file: string | undefined): ConsoleLinkOptions {
  const { keysFile = '' } = standIns(file);
  const controlPrefix = mcpUrl.slice(url.length, -'/mcp'.length);
  return { url, controlPrefix, keys: Object.values(readVariables(keysFile)) };
}

/** Reads where to listen. @throws {UsageError} a port that is none */
export function toFlags({ host, port, workers }: ServeArguments): Flags {
  if (port !== undefined && !isPort(toPort(port)))
    throw new UsageError(`--port ${port} is not a number from 0 to 65535`);
  if (workers !== undefined && !/^[1-9]\d{0,3}$/.test(workers))
    throw new UsageError(`--workers ${workers} is not a positive number`);
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: Number(port) }),
    ...(workers !== undefined && { workers: Number(workers) }),
  };
}
