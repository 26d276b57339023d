import type { RpcRequest } from '../protocol/envelope.ts';
import type { Refusal } from '../protocol/refusal.ts';
import { headerMismatch } from '../protocol/rpc-text.ts';
import { readHeaderValue } from './header-value.ts';

type Headers = Readonly<Record<string, string>>;

/** The member of `params` that `Mcp-Name` repeats. */
const nameMembers: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Compares `Mcp-Method` and `Mcp-Name` with the body: proxies route by them, so they must not say something else. */
export function checkHeaders({ method, params }: RpcRequest, headers: Headers): Refusal | undefined {
  if (headers['mcp-method'] !== method) return mismatch('Mcp-Method', headers['mcp-method'], 'method');
  const member = nameMembers.get(method);
  if (member === undefined) return undefined;
  const header = headers['mcp-name'];
  if (header !== undefined && readHeaderValue(header) === params?.[member]) return undefined;
  return mismatch('Mcp-Name', header, `params.${member}`);
}

/** The refusal for a header that is missing, or differs from what it repeats. */
export function mismatch(name: string, value: string | undefined, member: string): Refusal {
  const fault = value === undefined ? `is missing; it must repeat ${member}` : `differs from ${member}`;
  return { status: 400, code: headerMismatch, message: `the header ${name} ${fault}` };
}
