import type { Values } from '@waymark/contract';
import type { RunRecord, StoredCall } from '@waymark/contract/stores';
import type { Statement } from '../database/sql-transaction.ts';
import { type Blobs, decodeValue, encodeValue, notWritten, type StoredValue } from './stored-value.ts';

/** What a `toRun` needs of a row. */
export const runColumns = `id, root_id, parent_id, status, depth, idempotency_key, input_hash, created_ms, ended_ms, route, via,
  principal, spec, definition, input, output, error, memo`;

/** A new row of `svc__run`, and its values that may be large. */
export interface RunInsert {
  readonly statement: Statement;
  readonly values: readonly StoredValue[];
}

/** SQL of the owner, of the end of the lease, and of the owner's place in the order of starts. */
interface Lease {
  readonly owner: string;
  readonly until: string;
  readonly newest: string;
}

/**
 * A statement that adds a run where a condition holds and its id and idempotency key are new.
 *
 * @param lease of a root
 * @param args of the condition and the lease
 */
export function insertRun(
  run: RunRecord,
  condition: string,
  args: Values,
  lease: Lease = { owner: 'null', until: 'null', newest: '0' },
): RunInsert {
  const { codeVersion, scopes, tokenBudget, maxSteps, session, definition, kind, name } = run.spec;
  const input = run.call?.transient ? unwritten : encodeValue(run.call?.values ?? null);
  const stored = definition === undefined ? undefined : encodeValue(definition);
  const sql = `insert into svc__run
    (id, root_id, parent_id, status, epoch, owner, lease_until_ms, newest, kind, name, depth, principal_root, session,
      idempotency_key, input_hash, created_ms, route, via, principal, spec, definition, input, memo)
    select :id, :rootId, :parentId, 'running', 1, ${lease.owner}, ${lease.until}, ${lease.newest}, :kind, :name, :depth,
      :principalRoot, :session, :idempotencyKey, :inputHash, :createdMs, :route, :via, :principal, :spec, :definition, :input,
      :memo
    where ${condition} on conflict do nothing`;
  return {
    statement: {
      sql,
      args: {
        ...args,
        id: run.runId,
        rootId: run.rootId,
        parentId: run.parentId,
        kind,
        name,
        depth: run.depth,
        principalRoot: run.principal.rootId,
        session: session?.key ?? null,
        idempotencyKey: run.idempotencyKey,
        inputHash: run.inputHash,
        createdMs: run.createdMs,
        route: run.call?.route ?? null,
        via: run.call?.via ?? null,
        principal: JSON.stringify(run.principal),
        spec: JSON.stringify({ kind, name, codeVersion, scopes, tokenBudget, maxSteps, session }),
        definition: stored?.text ?? null,
        input: input.text,
        memo: run.call?.memo === undefined ? null : JSON.stringify(run.call.memo),
      },
    },
    values: stored ? [input, stored] : [input],
  };
}

const unwritten: StoredValue = { text: notWritten, blobs: [] };

/** A row of `runColumns`. What stands in blobs that are not given is told by type and size. */
export function toRun(row: Values, blobs: Blobs): RunRecord {
  // The columns are what `insertRun` and the end of a run wrote.
  const {
    id,
    root_id,
    parent_id,
    status,
    depth,
    created_ms,
    ended_ms,
    idempotency_key,
    input_hash,
    ...texts
  } = row as unknown as RunRow;
  const { route, via, principal, spec, definition, input, output, error, memo } = texts;
  return {
    runId: id,
    rootId: root_id,
    parentId: parent_id,
    spec: {
      ...JSON.parse(spec),
      ...(definition !== null && { definition: decodeValue(definition, blobs) }),
    },
    principal: JSON.parse(principal),
    call: route === null ? null : toCall({ route, via, input, memo }, blobs),
    idempotencyKey: idempotency_key,
    inputHash: input_hash,
    depth,
    status,
    output: output === null ? null : decodeValue(output, blobs),
    error: error === null ? null : JSON.parse(error),
    createdMs: created_ms,
    endedMs: ended_ms,
  };
}

function toCall(
  { route, via, input, memo }: Pick<RunRow, 'via' | 'input' | 'memo'> & Pick<StoredCall, 'route'>,
  blobs: Blobs,
): StoredCall {
  const isWritten = input !== notWritten;
  return {
    route,
    values: isWritten ? decodeValue(input, blobs) : null,
    via,
    ...(!isWritten && { transient: true }),
    ...(memo !== null && { memo: JSON.parse(memo) }),
  };
}

interface RunRow {
  readonly id: string;
  readonly root_id: string;
  readonly parent_id: string | null;
  readonly status: RunRecord['status'];
  readonly depth: number;
  readonly idempotency_key: string | null;
  readonly input_hash: string | null;
  readonly created_ms: number;
  readonly ended_ms: number | null;
  readonly route: string | null;
  readonly via: StoredCall['via'];
  readonly principal: string;
  readonly spec: string;
  readonly definition: string | null;
  readonly input: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly memo: string | null;
}
