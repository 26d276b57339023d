import { HTTPError, type RouteRequest } from '@waymark/contract';
import { isOptions } from '@waymark/contract/declaring';
import { HostError } from '@waymark/contract/engine';
import { cutChars } from '../run/cut-text.ts';
import type { ContextDeclaration, contextReturns } from './context.ts';
import type { ContextReading } from './context-reading.ts';
import type { ReadRows } from './context-sql.ts';

/** A declared context at work. */
export interface ContextProvider {
  readonly name: string;
  readonly kind: 'sql' | 'data' | 'function';
  readonly description: string;
  readonly maxChars: number;
  readonly params: readonly string[];
  readonly returns: (typeof contextReturns)[number];
  /** What a model is told, cut at `maxChars`, not escaped yet. @throws {HTTPError} whatever went wrong */
  read(reading: ContextReading): Promise<string>;
}

/**
 * Makes the provider of a declaration.
 *
 * @param rows what its statement gives; there once the database is
 */
export function toProvider(
  { name, options }: ContextDeclaration,
  rows: () => ReadRows | undefined,
): ContextProvider {
  const given: Partial<ContextDeclaration['options']> = isOptions(options) ? options : {};
  const { sql, data, read, description, params, returns, maxChars = 4_000 } = given;
  const load = async (reading: ContextReading): Promise<unknown> => {
    if (read) return read(toRequest(reading));
    if (sql === undefined) return data ?? null;
    const readRows = rows();
    if (!readRows) throw new HostError('the contexts of agents have not started');
    return readRows(reading);
  };
  return {
    name,
    kind: read ? 'function' : sql === undefined ? 'data' : 'sql',
    description: description ?? '',
    maxChars,
    params: Array.isArray(params) ? params : [],
    returns: returns ?? 'many',
    async read(reading) {
      try {
        return cutChars(toText(await load(reading)), maxChars);
      } catch (error) {
        if (error instanceof HTTPError) throw error;
        reading.log('error', 'a context failed', { context: name, error });
        throw new HTTPError(500, `context "${name}" failed`, { code: 'context_failed', cause: error });
      }
    },
  };
}

/** Text as it is; of a list one item a line, so that a cut leaves whole ones; else JSON. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item) ?? 'null').join('\n');
  return JSON.stringify(value) ?? 'null';
}

/** Request that a context function is given: the principal of the run, with the scopes of the run. */
function toRequest({ request, principal, input, signal }: ContextReading): RouteRequest {
  const { id, rootId, authenticated, scopes } = principal;
  const none: Readonly<Record<string, string>> = Object.freeze(Object.create(null));
  return {
    id: request.id,
    method: 'POST',
    path: request.path,
    params: none,
    query: none,
    // A run that goes on after a restart has none either.
    headers: none,
    body: new TextEncoder().encode(JSON.stringify(input)),
    user: { id, root_id: rootId, authenticated, scopes },
    scopes,
    signal,
    json: () => input,
    get: (name, fallback = null) => (Object.hasOwn(input, name) ? input[name] : fallback),
    progress: () => {},
  };
}
