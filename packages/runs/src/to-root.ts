import type { Call, Json, RunRecord, RunSpec, Values } from '@waymark/contract';

/** The row of a run that begins by itself: its call is kept, to be sent again. */
export function toRoot(
  spec: RunSpec,
  call: Call,
  input: Values,
  runId: string,
  createdMs: number,
): RunRecord {
  const { id, rootId, authenticated, scopes } = call.principal;
  const key = call.input.by === 'request' ? call.input.headers['idempotency-key'] : undefined;
  return {
    runId,
    rootId: runId,
    parentId: null,
    spec,
    // When the credential ends is no matter of the run's.
    principal: { id, rootId, authenticated, scopes },
    // Durable routes take JSON only.
    call: { route: call.route.name, values: input as Json, via: call.via },
    // All anonymous callers are one.
    idempotencyKey: authenticated ? (key ?? null) : null,
    depth: 0,
    status: 'running',
    output: null,
    error: null,
    createdMs,
    endedMs: null,
  };
}
