import { listProperty, quote, withUnderscores } from './layout.ts';
import type { Operation } from './operations.ts';
import { sendsMembers } from './signature.ts';

/** Writes the method of an operation: data that the client's runtime makes requests from. */
export function toMethod(operation: Operation, indent: string): string {
  const inner = `${indent}  `;
  const { route, path, raw, answer, timeoutMs } = operation;
  const query = route.parameters.filter(({ place }) => place === 'query').map(({ name }) => quote(name));
  const content = route.parameters.find(({ place }) => place === 'content');
  const lines = [
    `method: '${route.method}',`,
    `path: ${quote(path)},`,
    ...(sendsMembers(route) ? ['members: true,'] : []),
    ...(content ? [`content: ${quote(content.name)},`] : []),
    ...(raw ? [`bytes: ${quote(raw.bytes)},`, `contentType: ${quote(raw.contentType)},`] : []),
    ...(answer.kind === 'declared' && answer.json ? ['json: true,'] : []),
    ...(operation.progress ? ['progress: true,'] : []),
    ...(route.method === 'GET' && route.readOnly && route.idempotent ? ['retry: true,'] : []),
    `timeoutMs: ${withUnderscores(timeoutMs)},`,
  ].map((line) => `${inner}${line}\n`);
  if (query.length > 0) lines.splice(2, 0, listProperty('query', query, inner));
  return `${indent}${operation.method}: call({\n${lines.join('')}${indent}}),\n`;
}
