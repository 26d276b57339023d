import type { OpRecord } from '@waymark/contract';

/** A run asked for something else than what its journal holds: its root ends before anything executes. */
export class ReplayMismatch extends Error {
  override readonly name = 'ReplayMismatch';

  constructor(runId: string, seq: number, recorded: string, asked: string) {
    super(`run ${runId} differs from its journal at step ${seq}: recorded ${recorded}, asked ${asked}`);
  }
}

/** A step in the words of that error. */
export function describe({ kind, name, input }: Pick<OpRecord, 'kind' | 'name' | 'input'>): string {
  return `${kind} ${name} ${JSON.stringify(input).slice(0, 200)}`;
}
