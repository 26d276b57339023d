import type { Fault } from '@waymark/contract/declaring';
import type { Kind } from './kind.ts';

/** What a number may be. */
export interface Range {
  readonly least: number;
  readonly most: number;
  /** What the report proposes. */
  readonly example: number;
  /** Parts are allowed; whole numbers only by default. */
  readonly parts?: boolean;
}

/** Finds options that are numbers outside of their ranges; those of another type are said of elsewhere. */
export function checkRanges<K extends Kind>(
  kind: K,
  options: object,
  ranges: Readonly<Record<string, Range>>,
): readonly Fault<`${K}-range`>[] {
  return Object.entries(ranges).flatMap(([name, { least, most, example, parts = false }]) => {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (typeof value !== 'number') return [];
    if (value >= least && value <= most && (parts || Number.isInteger(value))) return [];
    const number = parts ? 'a number' : 'a whole number';
    const rule = `${name} is not ${number} from ${comma(least)} to ${comma(most)}`;
    return [{ code: `${kind}-range` as const, rule, fix: `write ${name}: ${example}` }];
  });
}

function comma(count: number): string {
  return count.toLocaleString('en-US');
}
