import type { Json, Values } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import type { RunSpec } from '@waymark/contract/runs';
import type { RunRecord } from '@waymark/contract/stores';
import { hashOf } from '../journal/fingerprint.ts';

/** The row of a run that begins by itself: its call is kept, to be sent again. */
export function toRoot(
  spec: RunSpec,
  call: Call,
  input: Values,
  runId: string,
  createdMs: number,
): RunRecord {
  const { id, rootId, authenticated, scopes } = call.principal;
  // All anonymous callers are one.
  const headers = authenticated && call.input.by === 'request' ? call.input.headers : {};
  const key = headers['idempotency-key'] ?? null;
  return {
    runId,
    rootId: runId,
    parentId: null,
    spec,
    // When the credential ends is no matter of the run's.
    principal: { id, rootId, authenticated, scopes },
    // Durable routes take JSON only.
    call: { route: call.route.name, values: input as Json, via: call.via },
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
