import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Program, startProgram } from '../program.ts';
import { temporaryFolder } from '../started-desk.ts';

export const keys = {
  DESK_KEY: 'desk-secret-of-more-than-16-bytes',
  GUEST_KEY: 'guest-secret-of-more-than-16-byte',
} as const;

/** What an answer was. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

/** What is asked besides the path. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds. */
  readonly withinMs?: number;
}

/** Several processes of one server, as `waymark start` runs them. */
export interface Crew {
  readonly program: Program;
  readonly url: string;
  readonly report: string;
  /** Of their database. */
  readonly file: string;
  /** Asks on a connection of its own, so that any process may answer. @throws the connection broke */
  ask(path: string, asking?: Asking): Promise<Answer>;
  /** The same as the desk, whose answer is wanted. */
  desk(path: string, asking?: Asking): Promise<Answer>;
  ownerPid(): Promise<number>;
  /** Pids that answer, the owner's too, once there are so many. */
  pids(count: number): Promise<readonly number[]>;
}

/** Starts the desk of several processes. @param onEnd takes what ends it; by default the end of the test does */
export async function startCrew(
  env: Readonly<Record<string, string>>,
  onEnd: (task: () => void | Promise<void>) => void = onTestFinished,
): Promise<Crew> {
  const folder = temporaryFolder(onEnd);
  const file = join(folder, 'desk.db');
  const program = startProgram('apps/server/bin/waymark.js', {
    cwd: folder,
    env: { ...keys, DATABASE: file, LOG_LEVEL: 'warn', ...env },
    argv: ['start', join(import.meta.dirname, '../programs/workers-desk.ts'), '--port', '0'],
  });
  onEnd(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
  });
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  const ask = (path: string, asking?: Asking): Promise<Answer> => askOnce(new URL(path, url), asking);
  const desk = (path: string, asking: Asking = {}): Promise<Answer> =>
    ask(path, { ...asking, headers: { 'x-api-key': keys.DESK_KEY, ...asking.headers } });
  const pidAt = async (path: string): Promise<number> => Number((await ask(path)).text);
  return {
    ...{ program, url, file, ask, desk },
    report: program.stdout(),
    ownerPid: () => pidAt('/owner-pid'),
    async pids(count) {
      const found = new Set<number>();
      while (found.size < count) found.add(await pidAt('/pid').catch(() => [...found][0] ?? 0));
      return [...found];
    },
  };
}

export async function askOnce(
  url: URL,
  { method = 'GET', headers = {}, body, withinMs = 30_000 }: Asking = {},
): Promise<Answer> {
  const req = request(url, { method, headers, agent: false, signal: AbortSignal.timeout(withinMs) });
  req.end(body);
  const [res] = await once(req, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of res) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  return {
    ...{ status: res.statusCode, headers: res.headers, text },
    get json() {
      return JSON.parse(text) as unknown;
    },
  };
}
