import { RehearsalError } from '../../rehearse/rehearsal.ts';
import { dryRun } from '../dry-run/dry-run.ts';
import { jsonReport, textReport } from '../dry-run/dry-run-report.ts';
import { findFrames } from '../dry-run/frame-files.ts';
import { readReadings } from '../dry-run/read-readings.ts';
import { loadDescribable } from '../load/load-application.ts';
import { exitCodes } from '../output/print-failure.ts';
import { UsageError, unknownName } from '../output/usage-error.ts';
import { command, jsonOption } from './command.ts';

/** Of a line that goes into a pipe. */
const pipeColumns = 120;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `waymark watch --dry-run`: what a watcher would make of pictures, what it would call, and what that would cost. */
export const watch = command(
  {
    meta: {
      name: 'watch',
      description: 'Show a watcher pictures from files: what it would say and call, and what it would cost',
    },
    args: {
      watcher: { type: 'positional', required: true, description: 'Name of the watcher' },
      frames: {
        type: 'positional',
        required: false,
        description: 'Pictures, or folders of them, in the order in which they are shown',
      },
      'dry-run': { type: 'boolean', description: 'Nobody is called but the model; needed', default: false },
      telemetry: {
        type: 'string',
        description: 'File with a reading as JSON, or a list with one for each frame',
        valueHint: 'readings.json',
      },
      model: {
        type: 'string',
        description: 'An alias or a model, or simulator; what the agent declares by default',
        valueHint: 'fast',
      },
      file: { type: 'string', description: 'Application that has the watcher', valueHint: 'application.ts' },
      json: { ...jsonOption.json, description: 'Print one line of JSON for each frame, and for the sum' },
    },
    async run({ args }) {
      if (!args['dry-run']) throw new UsageError(onlyDry);
      const frames = findFrames(args._.slice(1));
      const readings = args.telemetry === undefined ? [] : readReadings(args.telemetry, frames.length);
      if (frames.length + readings.length === 0)
        throw new UsageError('name pictures, folders of them, or --telemetry');
      return rehearse(args.watcher, { ...args, frames, readings });
    },
  },
  {
    examples: [
      'watch lobby_watch --dry-run frames/',
      'watch lobby_watch --dry-run 1.jpg 2.jpg --telemetry readings.json --model simulator',
      'watch lobby_watch --dry-run frames/ --model fast --json',
    ],
    takesMore: true,
  },
);

const onlyDry =
  'a server runs its watchers itself, and GET {prefix}/watchers says how they are; --dry-run shows one what you name';

interface WatchArguments {
  readonly frames: readonly string[];
  readonly readings: ReturnType<typeof readReadings>;
  readonly model?: string | undefined;
  readonly file?: string | undefined;
  readonly json: boolean;
}

async function rehearse(
  watcher: string,
  { frames, readings, model, file, json }: WatchArguments,
): Promise<number> {
  const application = await loadDescribable(file);
  const rehearsal = await application
    .rehearse(watcher, model === undefined ? {} : { model })
    .catch(blame(watcher));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new DOMException('somebody stopped it', 'AbortError'));
  for (const name of signals) process.on(name, onSignal);
  try {
    const columns = process.stdout.columns || pipeColumns;
    const { failed } = await dryRun({
      ...{ rehearsal, frames, readings, signal: stop.signal },
      report: json
        ? jsonReport(rehearsal)
        : textReport(rehearsal, columns, frames.length > 0 ? 'frame' : 'reading'),
      print: (line) => console.log(line),
      monotonic: () => performance.now(),
    });
    return failed > 0 ? exitCodes.failure : 0;
  } finally {
    for (const name of signals) process.removeListener(name, onSignal);
    await rehearsal.close();
  }
}

/** A name that leads nowhere was typed wrongly. */
function blame(watcher: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof RehearsalError)) throw error;
    const { watchers, message } = error;
    throw watchers && watchers.length > 0
      ? unknownName('watcher', watcher, watchers)
      : new UsageError(message);
  };
}
