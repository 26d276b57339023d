import type { Json } from '@waymark/contract';
import type { Spend } from '@waymark/contract/models';
import type { OpSpec } from '@waymark/contract/runs';
import type { AskedWait } from '@waymark/contract/stores';
import { maxToolBytes } from '@waymark/contract/tools';
import { toStoredError } from '../journal/stored-error.ts';
import { toStoredText } from '../journal/stored-form.ts';

/** The result of a step, in the form in which it is stored. */
export interface Settled {
  readonly state: 'done' | 'failed';
  readonly value: Json;
  readonly spend: readonly Spend[];
}

/** A step that something outside kept from being done: it is tried again. */
export interface Postponed {
  readonly state: 'waiting';
  readonly wait: AskedWait;
  /** What the try cost all the same. */
  readonly spend: readonly Spend[];
}

/** Makes a result of what a step gave. One that is too large for a journal is a failure of its tool. @throws {HTTPError} too deep */
export function toResult(spec: OpSpec, given: Json, spend: readonly Spend[]): Settled {
  const text = toStoredText(given, `the result of ${spec.name}`);
  if (spec.kind !== 'call' || text.length <= maxToolBytes)
    return { state: 'done', value: JSON.parse(text) as Json, spend };
  const message = `the result of ${spec.name} is larger than ${maxToolBytes / 1_048_576} MB`;
  return { state: 'done', value: { ok: false, status: 502, message }, spend };
}

/** Makes a result of what a step threw. What is recorded of a call is a tool result, whatever happened. */
export function toFailure(spec: OpSpec, error: unknown, spend: readonly Spend[]): Settled {
  const stored = toStoredError(error) as { readonly [member: string]: Json };
  if (spec.kind !== 'call') return { state: 'failed', value: stored, spend };
  const { status = 500, message = '', code } = stored;
  return { state: 'done', value: { ok: false, status, message, ...(code !== undefined && { code }) }, spend };
}
