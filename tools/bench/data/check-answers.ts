import { deepStrictEqual } from 'node:assert';
import type { LoadRequest } from '../lib/load.ts';
import { answers, type CaseName, requests, rowCount } from './tickets.ts';

/** Makes sure that a server answers what everybody answers, stores what it is given, and refuses what is wrong. */
export async function checkAnswers(name: string, url: string): Promise<void> {
  for (const [what, expected] of Object.entries(answers)) {
    const [request] = requests[what as CaseName];
    if (!request) continue;
    const { status, value } = await send(url, request);
    deepStrictEqual({ status, value: withoutNewKey(value) }, expected, `${name} ${what}`);
  }
  const stored = await send(url, { path: `/tickets/${rowCount + 1}` });
  deepStrictEqual(withoutNewKey(stored.value), answers.insert.value, `${name} stored`);
  for (const { status: expected, ...request } of refused) {
    const { status } = await send(url, request);
    if (!expected.includes(status)) throw new Error(`${name} answers ${status} to ${request.path}`);
  }
}

async function send(
  url: string,
  { path, ...init }: LoadRequest,
): Promise<{ status: number; value: unknown }> {
  const response = await fetch(url + path, init);
  return { status: response.status, value: await response.json() };
}

/** The answer to an insert is the row. */
function withoutNewKey(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('id' in value) || value.id !== rowCount + 1)
    return value;
  const { id: _, ...row } = value;
  return row;
}

/** What only somebody lets pass who does not validate. */
const refused: readonly (LoadRequest & { readonly status: readonly number[] })[] = [
  { path: '/tickets/x', status: [400, 422] },
  { path: '/tickets/999999', status: [404] },
  { path: '/tickets?limit=0', status: [400, 422] },
  {
    path: '/tickets',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Printer","note":null,"priority":9,"urgent":true}',
    status: [400, 422],
  },
];
