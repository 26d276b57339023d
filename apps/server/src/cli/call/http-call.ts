import type { OpenApiDocument, Operation, Schema } from '@waymark/openapi';
import { Failure } from '../output/failure.ts';
import { UsageError } from '../output/usage-error.ts';
import type { Outcome, ToolUse } from './mcp-call.ts';
import { type Target, toRefusal } from './target.ts';

/** Calls the route of a tool over HTTP, as the OpenAPI document says. @throws {Failure} when it does not say */
export async function callOverHttp(target: Target, { tool, values }: ToolUse): Promise<Outcome> {
  const document = (await target.describe('/openapi.json')) as OpenApiDocument;
  const found = findOperation(document, tool);
  if (!found) throw new Failure(`the OpenAPI document has no operation "${tool}"`);
  const { path, init } = toRequest(found, values, document);
  const response = await target.send(path, init);
  if (!response.ok) return { ok: false, message: await toRefusal(response) };
  return { ok: true, ...(await readValue(response)) };
}

interface Found {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function findOperation({ paths }: OpenApiDocument, tool: string): Found | undefined {
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item))
      if (operation.operationId === tool) return { path, method, operation };
  return undefined;
}

function toRequest(
  { path, method, operation }: Found,
  values: ToolUse['values'],
  document: OpenApiDocument,
): { readonly path: string; readonly init: RequestInit } {
  let target = path;
  const query = new URLSearchParams();
  const rest = new Map(Object.entries(values));
  for (const { in: place, name: shown, 'x-waymark': extension } of operation.parameters ?? []) {
    const name = extension?.name ?? shown;
    const value = rest.get(name);
    rest.delete(name);
    if (place === 'path')
      target = target.replace(`{${shown}}`, toSegments(name, value, extension?.rest ?? false));
    else if (value !== undefined) for (const one of toTexts(name, value)) query.append(name, one);
  }
  const body = toBody(rest, operation, document);
  return {
    path: query.size === 0 ? target : `${target}?${query.toString()}`,
    init: {
      method: method.toUpperCase(),
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    },
  };
}

/** What would be left out is another call. @throws {UsageError} */
function toTexts(name: string, value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0 || items.includes(null))
    throw new UsageError(`--${name} cannot be ${JSON.stringify(value)} in a query; over MCP it can`);
  return items.map(String);
}

function toSegments(name: string, value: unknown, isRest: boolean): string {
  const text = String(value ?? '');
  const segments = isRest ? text.split('/') : [text];
  // Every URL parser takes them out, encoded or not, and another route would answer.
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new UsageError(`--${name} cannot be "${text}" in a path; over MCP it can`);
  return segments.map(encodeURIComponent).join('/');
}

/** What travels neither in path nor query: the members of the body, or the one value that is all of it. */
function toBody(
  rest: ReadonlyMap<string, unknown>,
  operation: Operation,
  document: OpenApiDocument,
): unknown {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return undefined;
  const [only, ...more] = rest;
  const { properties } = resolve(schema, document);
  const isWhole = only !== undefined && more.length === 0 && !Object.hasOwn(properties ?? {}, only[0]);
  return isWhole ? only[1] : Object.fromEntries(rest);
}

function resolve(schema: Schema, { components }: OpenApiDocument): { readonly properties?: object } {
  if (typeof schema !== 'object') return {};
  const [, name] = /^#\/components\/schemas\/(.+)$/.exec(String(schema['$ref'])) ?? [];
  const target = name === undefined ? schema : components?.schemas?.[name];
  return typeof target === 'object' ? target : {};
}

async function readValue(response: Response): Promise<{ readonly value: unknown; readonly text?: string }> {
  const [type = ''] = response.headers.get('content-type')?.split(';') ?? [];
  if (type.endsWith('json')) {
    const text = await response.text();
    try {
      return { value: JSON.parse(text) as unknown, text };
    } catch {
      // An upstream behind it may claim what its bytes are not.
      return { value: text };
    }
  }
  if (type === '' || type.startsWith('text/')) return { value: (await response.text()) || null };
  const bytes = Buffer.from(await response.arrayBuffer());
  return { value: { type, data: bytes.toString('base64') } };
}
