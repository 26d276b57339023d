import { nameOf } from './attacks.ts';
import type { Fared, Outcome } from './trial.ts';

/** Outcomes as a table: one line each, then what was broken. */
export function toTable(quiet: Fared, outcomes: readonly Outcome[]): string {
  const head = `${'attack'.padEnd(70)}   p50   p99    max ms  RSS+  rose  back ms  deeds`;
  return [head, line('nobody', quiet, ''), ...outcomes.map(lineOf)].join('\n');
}

/** One of its lines. */
export function lineOf(outcome: Outcome): string {
  const deeds = Object.entries(outcome.deeds).map(([what, times]) => `${what}:${times}`);
  const { rssMb, roseMb, recoveryMs, broken } = outcome;
  const more = `${number(rssMb, 5)} ${number(roseMb, 5)} ${number(recoveryMs, 8)}  ${deeds.join(' ')}`;
  return [line(nameOf(outcome.attack), outcome, more), ...broken.map((one) => `    ${one}`)].join('\n');
}

function line(name: string, { p50Ms, p99Ms, maxMs }: Fared, more: string): string {
  return `${name.padEnd(70)} ${number(p50Ms, 5)} ${number(p99Ms, 5)} ${number(maxMs, 8)}  ${more}`;
}

function number(value: number, width: number): string {
  return value.toFixed(value < 10 ? 1 : 0).padStart(width);
}
