import type { Json } from '@waymark/contract';
import type { OpRecord, Redo } from '@waymark/contract/stores';

/** The value in the row of a step whose failure was undone, until it has a result again. */
const mark: Json = { redone: true };

/**
 * A failure as it is undone. Whether an effect that must not be repeated has happened is not known better by now: its row
 * says again that the process stopped in the middle.
 */
export function toRedone({ seq, value }: OpRecord): Redo['ops'][number] {
  const unknown = codeOf(value) === 'outcome_unknown';
  return { seq, state: unknown ? 'started' : 'waiting', value: mark };
}

/** Whether a step is asked for again after its failure was undone: what a human said of it is used up. */
export function isRedone(row: OpRecord | undefined): boolean {
  const { value = null } = row ?? {};
  return row?.state === 'waiting' && typeof value === 'object' && value !== null && 'redone' in value;
}

/** Whether a recorded result is a failure; of a call that is a result like others. */
export function isFailure({ kind, state, value }: OpRecord): boolean {
  if (state === 'failed') return true;
  return (
    kind === 'call' && typeof value === 'object' && value !== null && 'ok' in value && value.ok === false
  );
}

function codeOf(value: Json): Json | undefined {
  return typeof value === 'object' && value !== null && 'code' in value ? value.code : undefined;
}
