import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  createRouteTable,
  DeclarationError,
  HTTPError,
  Reply,
  type RouteRequest,
  type RouteTable,
  type Values,
} from '@waymark/contract';
import { type Database, type EngineContext, RouteResponse, toErrorResponse } from '@waymark/contract/engine';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { validateValue } from '@waymark/contract/schema';
import { testHost } from '@waymark/contract/testing';
import { onTestFinished } from 'vitest';
import { type CreatePagesOptions, createPages, type PagesDeclaration } from '../src/index.ts';

/** Makes files below a new folder, which goes when the test is over. */
export function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-pages-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** How a route is asked. */
export interface AskOptions {
  readonly path?: string;
  readonly method?: string;
  readonly principal?: Principal;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: RouteRequest['query'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Declarations at work, asked by the names of their routes. */
export interface Served {
  readonly table: RouteTable;
  ask(name: string, input?: Values, options?: AskOptions): Promise<RouteResponse>;
  /** The text of an answer. */
  read(name: string, input?: Values, options?: AskOptions): Promise<string>;
}

/** Puts declarations to work the way an application does: checked, in a frozen table, started. */
export async function serve(
  declarations: readonly PagesDeclaration[],
  options: CreatePagesOptions = {},
  database?: Database,
): Promise<Served> {
  const plugin = createPages(declarations, options);
  const table = createRouteTable(plugin.routes).freeze();
  const problems = (plugin.check?.({ table, env: () => undefined }) ?? []).filter(
    ({ severity }) => severity !== 'warning',
  );
  if (problems.length > 0) throw new DeclarationError(problems);
  await plugin.start?.(testHost({ table, ...(database && { database }) }));
  const ask: Served['ask'] = async (name, input = {}, given = {}) => {
    try {
      return await answerTo(table, name, input, given);
    } catch (error) {
      if (!(error instanceof HTTPError)) throw error;
      return toErrorResponse(error);
    }
  };
  return {
    table,
    ask,
    read: async (name, input, given) => textOf(await ask(name, input, given)),
  };
}

/** What a dispatcher does for a caller by name: validation, the engine. */
async function answerTo(
  table: RouteTable,
  name: string,
  input: Values,
  {
    path,
    method = 'GET',
    principal = anonymous(),
    params = {},
    query = {},
    headers = {},
    signal = new AbortController().signal,
  }: AskOptions,
): Promise<RouteResponse> {
  const route = table.get(name);
  if (!route) throw new Error(`no route ${name}`);
  const errors = validateValue(route.inputSchema, input);
  if (errors.length > 0) throw new HTTPError(422, 'invalid', { errors });
  const request = { path: path ?? route.path, method, params, query, headers };
  // The engines of this package read these members of their context and no other.
  const context = { route, principal, input, request, signal } as unknown as EngineContext;
  const answer = await route.engine.answer?.(context);
  return answer instanceof Reply
    ? new RouteResponse(answer.status, { kind: 'empty' }, answer.headers)
    : (answer as RouteResponse);
}

/** The body as text, whatever it is. */
export async function textOf({ body }: RouteResponse): Promise<string> {
  switch (body.kind) {
    case 'bytes':
      return new TextDecoder().decode(body.bytes);
    case 'stream':
      return new Response(body.stream).text();
    case 'problem':
      return body.detail;
    default:
      return '';
  }
}

/** The problems of declarations, without anything being started. */
export function problemsOf(declarations: readonly PagesDeclaration[], options: CreatePagesOptions = {}) {
  const plugin = createPages(declarations, options);
  const table = createRouteTable(plugin.routes);
  return [...table.problems, ...(plugin.check?.({ table, env: () => undefined }) ?? [])];
}
