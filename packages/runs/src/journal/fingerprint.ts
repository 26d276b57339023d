import { hash } from 'node:crypto';
import type { Json } from '@waymark/contract';
import type { OpSpec } from '@waymark/contract/runs';

/** JSON with sorted keys: equal values, equal texts. Members that are undefined are left out. */
export function canonicalJson(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** A hash of JSON: of arguments a human looks at, of what a step asks. */
export function hashOf(value: Json): string {
  return hash('sha256', canonicalJson(value), 'base64url');
}

/** Kinds of which only the kind counts: a new prompt, tool list or window does not break runs that wait. */
const byKind: readonly OpSpec['kind'][] = ['model', 'compaction', 'history'];

/** Kinds of which the name counts as well, and nothing else. */
const byName: readonly OpSpec['kind'][] = ['context', 'handoff', 'value'];

/** Names what must be the same when a step is asked for again. */
export function fingerprintOf(kind: OpSpec['kind'], name: string, input: Json): string {
  if (byKind.includes(kind)) return kind;
  return isAnyInput(kind) ? `${kind} ${name}` : `${kind} ${name} ${hashOf(input)}`;
}

/** Whether what is asked may be another when the step is asked for again. */
export function isAnyInput(kind: OpSpec['kind']): boolean {
  return byKind.includes(kind) || byName.includes(kind);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
