import { HTTPError, type Values } from '@waymark/contract';

/** What a client of an agent's socket asks for. */
export type Asked = AskedTurn | AskedRun | AskedCancel;

/** A turn: what the agent's route takes, under a name that the client gave it. */
export interface AskedTurn {
  readonly kind: 'turn';
  readonly values: Values;
  readonly key: string | undefined;
}

/** A run that is taken up behind one of its steps. */
export interface AskedRun {
  readonly kind: 'run';
  readonly runId: string;
  readonly lastSeq: number;
}

/** The end of what is under way, or of one run. */
interface AskedCancel {
  readonly kind: 'cancel';
  readonly runId: string | undefined;
}

/** Characters of the id of a run; none of ours is as long. */
const maxIdLength = 128;

/** Characters of the key of a turn, as of that of a `POST`. Whatever is said of the turn repeats it. */
const maxKeyLength = 255;

/**
 * Reads one message of a client (decision 6.11). What a turn holds is for its route to judge.
 *
 * @throws {HTTPError} 400 nothing that is asked here
 */
export function toAsked(value: unknown): Asked {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HTTPError(400, 'a message is a JSON object: {"input": …}, {"run_id": …} or {"type": "cancel"}');
  const message = value as Values;
  if (Object.hasOwn(message, 'type')) return toCancel(message);
  const isRun = Object.hasOwn(message, 'run_id');
  if (isRun && Object.hasOwn(message, 'input'))
    throw new HTTPError(400, 'a message has "input", which begins a turn, or "run_id", which takes up a run');
  return isRun ? toRun(message) : toTurn(message);
}

function toTurn({ idempotency_key: key, ...values }: Values): AskedTurn {
  if (key !== undefined && typeof key !== 'string')
    throw new HTTPError(400, '"idempotency_key" must be a string');
  if (key === '' || (key !== undefined && key.length > maxKeyLength))
    throw new HTTPError(422, `an idempotency key must have 1 to ${maxKeyLength} characters`);
  return { kind: 'turn', values, key };
}

function toRun({ run_id: runId, last_seq: lastSeq = 0, ...others }: Values): AskedRun {
  refuseOthers(others, 'beside "run_id" a message has "last_seq" at most');
  if (typeof lastSeq !== 'number' || !Number.isSafeInteger(lastSeq) || lastSeq < 0)
    throw new HTTPError(400, '"last_seq" must be the seq of a step: a whole number from 0');
  return { kind: 'run', runId: toRunId(runId), lastSeq };
}

function toCancel({ type, run_id: runId, ...others }: Values): AskedCancel {
  if (type !== 'cancel') throw new HTTPError(400, 'the only "type" of a message is "cancel"');
  refuseOthers(others, 'a cancel has "run_id" at most');
  return { kind: 'cancel', runId: runId === undefined ? undefined : toRunId(runId) };
}

function toRunId(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > maxIdLength)
    throw new HTTPError(400, `"run_id" must be a string of 1 to ${maxIdLength} characters`);
  return value;
}

function refuseOthers(others: object, rule: string): void {
  if (Object.keys(others).length > 0) throw new HTTPError(400, rule);
}
