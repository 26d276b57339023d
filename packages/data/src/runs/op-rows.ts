import type { Values } from '@waymark/contract';
import type { Spend } from '@waymark/contract/models';
import type { OpRecord, OpSpend } from '@waymark/contract/stores';
import { type Blobs, decodeValue } from './stored-value.ts';

/** What `toOp` needs of a row. */
export const opColumns = `run_id, seq, kind, name, fp, state, ord, tree_tokens, started_ms, ended_ms, spend, input,
  value`;

/** A row of `opColumns`. What stands in blobs that are not given is told by type and size. */
export function toOp(row: Values, blobs: Blobs): OpRecord {
  // The columns are what `commitOps` wrote.
  const one = row as unknown as OpRow;
  return {
    runId: one.run_id,
    seq: one.seq,
    kind: one.kind,
    name: one.name,
    input: decodeValue(one.input, blobs),
    fingerprint: one.fp,
    state: one.state,
    value: decodeValue(one.value, blobs),
    ord: one.ord,
    treeTokens: one.tree_tokens,
    startedMs: one.started_ms,
    endedMs: one.ended_ms,
  };
}

/** SQL of what two lists of costs hold, either of which may be null. */
export function joinedSpend(one: string, other: string): string {
  return `case when ${one} is null then ${other} when ${other} is null then ${one}
    else substr(${one}, 1, length(${one}) - 1) || ',' || substr(${other}, 2) end`;
}

const nothing: readonly never[] = [];

/** What the op of a row cost. */
export function spendOf(row: Values): readonly Spend[] {
  const { spend } = row as unknown as OpRow;
  const rows: readonly Spend[] = spend === null ? nothing : JSON.parse(spend);
  return rows;
}

/** The same, with the place of the op. */
export function toOpSpend(row: Values): readonly OpSpend[] {
  const { run_id: runId, seq, spend } = row as unknown as OpRow;
  // As most have it.
  if (spend === null) return nothing;
  return spendOf(row).map((one) => ({ ...one, runId, seq }));
}

interface OpRow {
  readonly run_id: string;
  readonly seq: number;
  readonly kind: OpRecord['kind'];
  readonly name: string;
  readonly fp: string;
  readonly state: OpRecord['state'];
  readonly ord: number | null;
  readonly tree_tokens: number;
  readonly started_ms: number;
  readonly ended_ms: number | null;
  readonly spend: string | null;
  readonly input: string;
  readonly value: string;
}
