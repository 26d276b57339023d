import { existsSync } from 'node:fs';
import type { RouteTable } from '@waymark/contract';
import { standIns } from '../dev/stand-ins.ts';
import { loadApplication, loadEnvironment } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { UsageError } from '../output/usage-error.ts';
import { askControl } from './ask-control.ts';
import { howToShowKey } from './find-key.ts';

/** A server to ask, and what describes it. */
export interface Target {
  readonly url: string;
  /** Sends one request. @throws {Failure} when nothing answers */
  send(path: string, request?: RequestInit): Promise<Response>;
  /** What a route of the control plane answers: asked of the table where there is one, else of the server. @throws {Failure} when it refuses */
  describe(path: string): Promise<unknown>;
  readonly controlPrefix: string;
  close(): Promise<void>;
}

/** Options of the server that a command calls: where it is, and the headers of each request. */
export interface TargetOptions {
  /** Describes the server. Without `url` it is started on a free port, for as long as it is asked. */
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  /** Of a server that no file describes. */
  readonly controlPrefix: string;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Opens the way to a server: the one at the address, or that of a file.
 *
 * @throws {UsageError} an address that is none
 */
export async function openTarget({ file, url, controlPrefix, headers }: TargetOptions): Promise<Target> {
  if (url !== undefined) refuseNoAddress(url);
  if (file === undefined) {
    const base = url ?? defaultUrl();
    const to = requester(base, headers, 'start it with waymark dev, or name another with --url or --file');
    return {
      ...{ url: base, controlPrefix, send: to, close: async () => {} },
      describe: async (path) => readListing(await to(controlPrefix + path)),
    };
  }
  // Its log lines would end up between the answers.
  process.env['LOG_LEVEL'] ??= 'silent';
  const application = await loadApplication(file);
  const { table } = application;
  const described = describedBy(table);
  if (url !== undefined)
    return { ...described, url, send: requester(url, headers, 'start it first'), close: async () => {} };
  // Whoever has the keys of its development may use them here, too.
  const { keysFile } = standIns(file);
  const development = keysFile !== undefined && existsSync(keysFile) && { keysFile };
  const running = await application.listen({
    host: '127.0.0.1',
    port: 0,
    ...(development && { development }),
  });
  return {
    ...described,
    url: running.url,
    send: requester(running.url, headers, 'it ended'),
    close: () => running.close(),
  };
}

/** Where the server of an application is, that of this folder by itself, unless somebody says otherwise. */
export function defaultUrl(file?: string): string {
  loadEnvironment(file);
  return `http://127.0.0.1:${process.env['PORT'] || 8000}`;
}

function describedBy(table: RouteTable): Pick<Target, 'describe' | 'controlPrefix'> {
  return { describe: (path) => askControl(table, path), controlPrefix: table.controlPrefix };
}

function requester(base: string, headers: Readonly<Record<string, string>>, advice: string): Target['send'] {
  return async (path, request = {}) => {
    try {
      return await fetch(base.replace(/\/$/, '') + path, {
        ...request,
        // A redirect could carry the key to somebody else.
        redirect: 'manual',
        headers: { ...headers, ...(request.headers as Record<string, string>) },
      });
    } catch (cause) {
      throw new Failure(`nothing answers at ${base}: ${advice}`, { cause });
    }
  };
}

async function readListing(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  const refusal = await toRefusal(response);
  const advice = response.status === 403 ? '; give another key with --as, or let it in with mcpScopes' : '';
  throw new Failure(refusal + advice);
}

/** Refuses what `--url` was given. @throws {UsageError} an address that nobody can be asked at */
export function refuseNoAddress(url: string): void {
  const { protocol } = URL.canParse(url) ? new URL(url) : {};
  if (protocol === 'http:' || protocol === 'https:') return;
  const meant = /^[\w.-]+(?::\d+)?(?:\/|$)/.test(url) ? `http://${url}` : 'http://127.0.0.1:8000';
  throw new UsageError(`--url ${url} is no address; write ${meant}`);
}

/** What a server says when it refuses, in one line; who is not let in is told how to show a key. */
export async function toRefusal(response: Response): Promise<string> {
  const text = await response.text();
  const refusal = `${response.status} ${detailOf(text) ?? text.slice(0, 1000)}`.trim();
  return response.status === 401 ? `${refusal}; ${howToShowKey}` : refusal;
}

function detailOf(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    // Not from us: shown as it is.
    return undefined;
  }
}
