import { deepStrictEqual } from 'node:assert';
import type { Case } from './api.ts';

/** Makes sure that a server answers what everybody answers, and refuses what everybody refuses. */
export async function checkAnswers(name: string, url: string, cases: readonly Case[]): Promise<void> {
  for (const { request, status, answer } of cases) {
    const { path, ...init } = request;
    const response = await fetch(url + path, init);
    const found = { status: response.status, type: mediaType(response), answer: await response.text() };
    deepStrictEqual(found, { status, type: 'application/json', answer }, `${name} ${path}`);
  }
  for (const { path, ...init } of faulty) {
    const { status } = await fetch(url + path, init);
    if (status !== 400 && status !== 422) throw new Error(`${name} answers ${status} to ${path}`);
  }
}

function mediaType({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0];
}

/** What only somebody lets pass who does not validate. */
const faulty = [
  { path: '/tickets/x/summary?max=40' },
  { path: '/tickets/42/summary?max=500' },
  {
    path: '/tickets',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Printer down","priority":9}',
  },
];
