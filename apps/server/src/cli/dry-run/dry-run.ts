import { HTTPError, type Json } from '@waymark/contract';
import type { Rehearsal } from '../../rehearse/rehearsal.ts';
import { UsageError } from '../output/usage-error.ts';
import type { DryRunReport } from './dry-run-report.ts';
import { readFile } from './frame-files.ts';
import { afterLook, emptyTally, type Tally, toForecast } from './tally.ts';

/** What a dry run shows, and to whom it tells. */
export interface DryRunParts {
  readonly rehearsal: Rehearsal;
  /** Files. */
  readonly frames: readonly string[];
  /** As many as there are frames, or none; without frames a look for each. */
  readonly readings: readonly Json[];
  readonly report: DryRunReport;
  readonly print: (line: string) => void;
  /** Milliseconds of a clock that is never set. */
  readonly monotonic: () => number;
  /** Ends it after what was shown so far. */
  readonly signal: AbortSignal;
}

/**
 * Shows a watcher its frames and readings, one after the other.
 *
 * @throws {UsageError} one of them is none that the device would take; nobody was asked anything then
 */
export async function dryRun({
  rehearsal,
  frames,
  readings,
  report,
  print,
  monotonic,
  signal,
}: DryRunParts): Promise<Tally> {
  for (const file of frames) blame(file, () => rehearsal.readFrame(readFile(file)));
  const kept = readings.map((value, i) => blame(`reading ${i + 1}`, () => rehearsal.readReading(value)));
  const looks = Math.max(frames.length, kept.length);
  for (const line of report.begin()) print(line);
  let tally = emptyTally;
  for (let i = 0; i < looks && !signal.aborted; i++) {
    const file = frames[i];
    // Read again: together they may be more than memory holds.
    const frame = file === undefined ? undefined : blame(file, () => rehearsal.readFrame(readFile(file)));
    const beganMs = monotonic();
    const run = await rehearsal.show({ frame, telemetry: kept[i] }, signal);
    // It says nothing of the watcher: somebody stopped it.
    if (run.ran && run.status === 'cancelled') break;
    tally = afterLook(tally, run);
    const name = file ?? `reading ${i + 1}`;
    for (const line of report.look({ name, bytes: frame?.bytes.length, ms: monotonic() - beganMs, run }))
      print(line);
  }
  const left = looks - tally.frames;
  for (const line of report.end(tally, toForecast(tally, rehearsal), left)) print(line);
  return tally;
}

function blame<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof HTTPError ? new UsageError(`${name}: ${error.message}`) : error;
  }
}
