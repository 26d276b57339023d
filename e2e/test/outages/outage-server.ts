import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Program, startProgram } from '../program.ts';
import { type Answer, clientOf } from '../sql-served.ts';

const key = 'desk-secret-of-more-than-16-bytes';
const application = join(import.meta.dirname, '../programs/outage-desk.ts');

/** How soon a server must tell what is wrong, and that it no longer is. */
export const promisedMs = 5_000;

/** A server over a database file, as `waymark start` starts it. */
export interface OutageServer {
  readonly program: Program;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Stores a row. */
  note(text: string): Promise<Answer>;
  /** Waits until health tells exactly these codes of the database. */
  tells(codes: readonly string[], withinMs?: number): Promise<void>;
  /** @returns the exit code */
  stop(): Promise<number | null>;
}

/** Starts one; it is gone when the test or drill is over. @param env variables besides those that it is given */
export async function startServer(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<OutageServer> {
  const program = startDesk(file, env);
  const [url = ''] = await program.saying(/http:\/\/127\.0\.0\.1:\d+/);
  const client = clientOf(url);
  const send: OutageServer['send'] = (method, path, body) =>
    client.send(method, path, { caller: key, ...(body !== undefined && { body }) });
  return {
    ...{ program, send },
    note: (text) => send('POST', '/notes', { text }),
    tells: async (codes, withinMs = promisedMs) => {
      await expect
        .poll(
          async () => {
            const ready = await send('GET', '/_svc/health?ready');
            const { status, troubles } = ready.value as Health;
            // Of other parts there may be more: audit events wait, too.
            const told = troubles.map(({ code }) => code).filter((code) => ofDatabase.test(code));
            return codes.length > 0 ? [told, status, ready.status] : [told];
          },
          { timeout: 3 * withinMs },
        )
        .toEqual(codes.length > 0 ? [codes, 'degraded', 503] : [codes]);
    },
    stop: () => {
      program.child.kill('SIGTERM');
      return program.ended();
    },
  };
}

/** Starts one that may not come to listen. */
export function startDesk(file: string, env: Readonly<Record<string, string>> = {}): Program {
  const program = startProgram('apps/server/bin/waymark.js', {
    cwd: join(file, '..'),
    env: { DESK_KEY: key, DATABASE: file, LOG_LEVEL: 'error', ...env },
    argv: ['start', application, '--port', '0'],
  });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  return program;
}

interface Health {
  readonly status: string;
  readonly troubles: readonly { readonly code: string }[];
}

const ofDatabase = /^(database|disk)-/;

/** What a refused write is told. */
export function refusal({ status, headers, value }: Answer): readonly unknown[] {
  const { detail, code } = value as { readonly detail?: string; readonly code?: string };
  return [status, detail, code, headers.get('retry-after')];
}
