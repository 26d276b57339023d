import { defineRoute, type Route, Type } from '@waymark/contract';
import type { LoadRequest } from '../lib/load.ts';

/** Routes of an application of some size, five methods for each resource, with schemas of their own. */
export function manyRoutes(count: number): readonly Route[] {
  return Array.from({ length: count }, (_, i) => {
    const { method, path } = placeOf(i);
    return defineRoute(method, path, { input: inputs[i % inputs.length]?.() ?? {} }, () => ({ thing: i }));
  });
}

/** A request for each of them. */
export function manyRequests(count: number): readonly LoadRequest[] {
  return Array.from({ length: count }, (_, i) => {
    const { method, path } = placeOf(i);
    const target = path.replace('{id}', String(i + 1));
    if (method !== 'POST' && method !== 'PUT') return { method, path: target };
    const headers = { 'content-type': 'application/json' };
    return { method, path: target, headers, body: '{"name":"lamp","tags":["desk"]}' };
  });
}

function placeOf(i: number): { readonly method: (typeof methods)[number]; readonly path: string } {
  const resource = Math.floor(i / methods.length);
  const method = methods[i % methods.length] ?? 'GET';
  const collection = `/area${resource % 50}/things${resource}`;
  // The first GET and POST are for the collection.
  return { method, path: i % methods.length < 2 ? collection : `${collection}/{id}` };
}

const methods = ['GET', 'POST', 'GET', 'PUT', 'DELETE'] as const;

const id = (): Readonly<Record<string, object>> => ({ id: Type.Integer({ minimum: 1 }) });
const body = (): Readonly<Record<string, object>> => ({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  size: Type.Optional(Type.Number()),
  tags: Type.Array(Type.String()),
});

/** In the order of the methods. Made anew for each route, as declarations make them. */
const inputs: readonly (() => Readonly<Record<string, object>>)[] = [
  () => ({ limit: Type.Optional(Type.Integer()) }),
  body,
  id,
  () => ({ ...id(), ...body() }),
  id,
];
