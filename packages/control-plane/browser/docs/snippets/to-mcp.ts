import type { Draft } from '../call/draft.ts';
import type { Operation } from '../model/api.ts';

/** Writes a call as the MCP message that uses its tool; undefined where it is none. */
export function toMcp({ id, facts }: Operation, { values }: Draft): string | undefined {
  if (!facts.tool) return undefined;
  const params = { name: id, arguments: Object.fromEntries(values) };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, null, 2);
}
