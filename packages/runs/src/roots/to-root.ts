import { HTTPError, type Json, type Values } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import type { RunSpec } from '@waymark/contract/runs';
import type { RunRecord } from '@waymark/contract/stores';
import { hashOf } from '../journal/fingerprint.ts';
import { toStoredText } from '../journal/stored-form.ts';

const maxMemoBytes = 4_096;

/** Characters of an idempotency key. */
export const maxKeyLength = 255;

/**
 * The row of a run that begins by itself: its call is kept, to be sent again.
 *
 * @throws {HTTPError} 422 its idempotency key is empty or too long · 500 its input is nested deeper than is kept
 */
export function toRoot(
  spec: RunSpec,
  call: Call,
  input: Values,
  runId: string,
  createdMs: number,
): RunRecord {
  if (call.transient && spec.session)
    throw new Error(`a transient call of ${call.route.name} can have no session`);
  // Doors allow less: whoever calls in code may give anything.
  toStoredText(input as Json, `the input of ${spec.name}`);
  const { id, rootId, authenticated, scopes } = call.principal;
  // All anonymous callers are one.
  const key = authenticated ? idempotencyKeyOf(call) : null;
  return {
    runId,
    rootId: runId,
    parentId: null,
    spec,
    // When the credential ends is no matter of the run's.
    principal: { id, rootId, authenticated, scopes },
    // Durable routes take JSON only.
    call: {
      route: call.route.name,
      values: input as Json,
      via: call.via,
      ...(call.transient && { transient: true }),
      ...(call.memo !== undefined && { memo: withinRoom(call.memo, call.route.name) }),
    },
    idempotencyKey: key,
    inputHash: key === null ? null : hashOf(input as Json),
    depth: 0,
    status: 'running',
    output: null,
    error: null,
    createdMs,
    endedMs: null,
  };
}

/** What is too large is no mistake of a caller outside: no door takes memos. */
function withinRoom(memo: Json, route: string): Json {
  if (Buffer.byteLength(JSON.stringify(memo)) > maxMemoBytes)
    throw new Error(`the memo of a call of ${route} must have at most ${maxMemoBytes} bytes`);
  return memo;
}

/** An empty key is a mistake of its client: all its requests would be one. */
function idempotencyKeyOf({ input, idempotencyKey }: Call): string | null {
  const key = idempotencyKey ?? (input.by === 'request' ? input.headers['idempotency-key'] : undefined);
  if (key === undefined) return null;
  if (key === '' || key.length > maxKeyLength)
    throw new HTTPError(422, `an idempotency key must have 1 to ${maxKeyLength} characters`);
  return key;
}
