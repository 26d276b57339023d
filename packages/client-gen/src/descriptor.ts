import type { Route } from '@waymark/contract';
import { listProperty, quote } from './layout.ts';
import type { Operation } from './operations.ts';
import { sendsMembers } from './signature.ts';

/** Milliseconds that a client waits longer than the service works, so that the service's 504 comes first. */
const marginMs = 5_000;
/** The service's time limits (decision 2.11), and how long a timer can wait at all. */
const requestTimeoutMs = 30_000;
const agentTimeoutMs = 600_000;
const longestTimeoutMs = 2_147_483_647;

/** Writes the method of an operation: data that the client's runtime makes requests from. */
export function toMethod(operation: Operation, indent: string): string {
  const inner = `${indent}  `;
  const { route, path, raw, answer } = operation;
  const query = route.parameters.filter(({ place }) => place === 'query').map(({ name }) => quote(name));
  const content = route.parameters.find(({ place }) => place === 'content');
  const timeoutMs = timeoutOf(route);
  const lines = [
    `method: '${route.method}',`,
    `path: ${quote(path)},`,
    ...(sendsMembers(route) ? ['members: true,'] : []),
    ...(content ? [`content: ${quote(content.name)},`] : []),
    ...(raw ? [`bytes: ${quote(raw.bytes)},`, `contentType: ${quote(raw.contentType)},`] : []),
    ...(answer.kind === 'declared' && answer.json ? ['json: true,'] : []),
    ...(operation.progress ? ['progress: true,'] : []),
    ...(route.method === 'GET' && route.readOnly && route.idempotent ? ['retry: true,'] : []),
    ...(timeoutMs === requestTimeoutMs + marginMs ? [] : [`timeoutMs: ${withUnderscores(timeoutMs)},`]),
  ].map((line) => `${inner}${line}\n`);
  if (query.length > 0) lines.splice(2, 0, listProperty('query', query, inner));
  return `${indent}${operation.method}: call({\n${lines.join('')}${indent}}),\n`;
}

function timeoutOf({ timeoutMs, engine: { kind, durability } }: Route): number {
  // What decides on an approval waits for the run, too.
  const runs = durability === 'run' || kind === 'agent' || kind === 'behaviour' || kind === 'flow';
  return Math.min(
    longestTimeoutMs,
    Math.ceil((timeoutMs ?? (runs ? agentTimeoutMs : requestTimeoutMs)) + marginMs),
  );
}

function withUnderscores(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, '_');
}
