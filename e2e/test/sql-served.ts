import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application, RunningApplication } from '@waymark/server';
import { onTestFinished } from 'vitest';
import { post } from './mcp/messages.ts';
import { application, serve } from './served.ts';

/** What a caller saw of one request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Read as JSON; undefined for an empty body. */
  readonly value: unknown;
}

/** What a caller saw of one tool call. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: { readonly result?: unknown };
  readonly isError: boolean;
}

/** The secret of who calls; nobody's is undefined. */
export type Caller = string | undefined;

/** An application over a file of the test. */
export interface ServedSql {
  readonly app: Application;
  readonly running: RunningApplication;
  /** The path of its database. */
  readonly file: string;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** Calls a tool over MCP. */
  call(name: string, values: object, caller?: Caller): Promise<ToolAnswer>;
}

/** What goes with a request. */
export interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly caller?: Caller;
}

/** Serves what is declared, over a new file, until the test is over. */
export function servedSql(...declare: readonly ((app: Application) => unknown)[]): Promise<ServedSql> {
  return servedSqlFile(newFile(), ...declare);
}

/** The same over a file that is there already. */
export async function servedSqlFile(
  file: string,
  ...declare: readonly ((app: Application) => unknown)[]
): Promise<ServedSql> {
  const app = application({ database: `sqlite://${file}` });
  for (const one of declare) one(app);
  const running = await serve(app);
  return { app, running, file, ...clientOf(running.url) };
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-sql-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'app.db');
}

/** Sends requests to a server, and calls its tools. */
export function clientOf(url: string): Pick<ServedSql, 'send' | 'call'> {
  return {
    async send(method, path, { body, headers = {}, caller } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(caller && { 'x-api-key': caller }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const value: unknown = text === '' ? undefined : JSON.parse(text);
      return { status: response.status, headers: response.headers, text, value };
    },
    async call(name, values, caller) {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: values },
      };
      const { json } = await post(
        { port: Number(new URL(url).port), ...(caller && { key: caller }) },
        message,
        // One JSON text, however long it takes.
        [
          ['mcp-protocol-version', '2025-11-25'],
          ['accept', 'application/json'],
        ],
      );
      const { result, error } = json as { readonly result?: ToolAnswer; readonly error?: object };
      return result ?? { content: [{ type: 'text', text: JSON.stringify(error) }], isError: true };
    },
  };
}
