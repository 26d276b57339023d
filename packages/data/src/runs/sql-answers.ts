import type { TakenRoot } from '@waymark/contract/stores';
import type { SqlResult } from '../database/sql-result.ts';

/** Roots that a statement of `takeRoot` or `takeWoken` took. */
export function toTaken({ rows }: SqlResult): readonly TakenRoot[] {
  return rows.map(([id, epoch, wakes, attempts, retryOrd]) => ({
    fence: {
      ...{ rootId: String(id), epoch: Number(epoch), wakes: Number(wakes) },
      ...(Number(retryOrd) > 0 && { retryOrd: Number(retryOrd) }),
    },
    attempts: Number(attempts),
  }));
}

/** Whether the last statement answered a row. */
export function affects(results: readonly SqlResult[]): boolean {
  return (results.at(-1)?.rows.length ?? 0) > 0;
}

/** The number that the only row of a statement begins with. */
export function toNumber(result: SqlResult | undefined): number | undefined {
  const value = result?.rows[0]?.[0];
  return typeof value === 'number' ? value : undefined;
}

/** The text that it begins with. */
export function toText(result: SqlResult | undefined): string | undefined {
  const value = result?.rows[0]?.[0];
  return typeof value === 'string' ? value : undefined;
}

/** The texts that its rows begin with. */
export function toTexts(result: SqlResult | undefined): readonly string[] {
  return result?.rows.map(([value]) => String(value)) ?? [];
}
