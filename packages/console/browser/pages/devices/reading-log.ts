import { type ReadingMember, toReadingMembers } from './reading-members.ts';

/** Readings of one device, oldest first. */
export interface ReadingLog {
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly readings: readonly (readonly ReadingMember[])[];
}

/** Readings that are kept of one device: five minutes at the pace of this page. */
export const keptReadings = 150;

/** What nothing has come to. */
export const noReadings: ReadingLog = { times: [], readings: [] };

/** The log with one more. The same reading, asked for again, is none: it comes with the same moment. */
export function addReading(log: ReadingLog, atMs: number, reading: unknown): ReadingLog {
  const at = Math.round(atMs / 100) / 10;
  // How old it is is said in milliseconds, by two clocks.
  if (at - (log.times.at(-1) ?? Number.NEGATIVE_INFINITY) < 0.5) return log;
  return {
    times: [...log.times, at].slice(-keptReadings),
    readings: [...log.readings, toReadingMembers(reading)].slice(-keptReadings),
  };
}

/** The values of a member over time; null where a reading has none. */
export function seriesOf({ readings }: ReadingLog, name: string): readonly (number | null)[] {
  return readings.map((members) => members.find((one) => one.name === name)?.number ?? null);
}
