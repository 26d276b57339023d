import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, startProgram } from '../program.ts';
import type { Sqld } from './sqld.ts';

/** The secrets of those who ask, by the name of their variable. */
export const keys = {
  DESK_KEY: 'desk-secret-of-more-than-16-bytes',
  BOSS_KEY: 'boss-secret-of-more-than-16-bytes',
} as const;

/** What servers are started with. */
export interface FleetOptions {
  readonly folder: string;
  /** Where their models and effects are. */
  readonly outside: string;
  /** The module of their application. */
  readonly application: string;
  /** A server that keeps their database: each of them then is in a folder of its own. A file of the folder by default. */
  readonly sqld?: Sqld;
  /** Variables besides those that every server is given. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that listens. */
export interface Server {
  readonly program: Program;
  readonly url: string;
  /** Of `performance.now`, when it said that it is ready. */
  readonly readyMs: number;
  /** Sets its clock on the wall. */
  setClock(byMs: number): void;
}

const settableClock = join(import.meta.dirname, '../programs/settable-clock.ts');

/** What servers rightly say of themselves on a machine that has much else to do. */
const ofLoad = /"code":"(?:audit-behind|event-loop-slow)"/;

/** What they say while their database is away. */
const ofOutage = /database cannot be reached|database-unreachable|UNREACHABLE/;

/** Whoever had a trouble says so no more, once it is over, by then. */
const wellMs = 30_000;

/** Servers on one database, as `waymark start` starts them. */
export class Fleet {
  readonly file: string;
  readonly #options: FleetOptions;
  readonly #servers: Server[] = [];
  /** What servers said that was not expected of them. */
  readonly complaints: string[] = [];
  #turn = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.file = options.sqld?.file ?? join(options.folder, 'desk.db');
  }

  get servers(): readonly Server[] {
    return this.#servers;
  }

  /** One of those that live, by turns; waits until there is one. */
  async url(): Promise<string> {
    while (this.#servers.length === 0) await sleep(20);
    return this.#servers[this.#turn++ % this.#servers.length]?.url ?? '';
  }

  /** Until all of them say that they are well. */
  async well(): Promise<void> {
    const headers = { 'x-api-key': keys.BOSS_KEY };
    const untilMs = performance.now() + wellMs;
    for (const { url } of this.#servers)
      for (;;) {
        const { status, troubles = [] } = (await (await fetch(`${url}/_svc/health`, { headers })).json()) as {
          readonly status: string;
          readonly troubles?: readonly { readonly code: string }[];
        };
        // That a machine is busy with something else is no trouble of the server.
        const codes = troubles.map(({ code }) => code).filter((code) => code !== 'event-loop-slow');
        if (status !== 'draining' && codes.length === 0) break;
        if (performance.now() > untilMs)
          throw new Error(`${url} says that it is ${status}: ${codes.join(', ')}`);
        await sleep(20);
      }
  }

  /** @param edition of the application */
  async start(edition: 1 | 2): Promise<Server> {
    const { folder, outside, application, sqld, env } = this.#options;
    const clock = join(folder, 'clock');
    const program = startProgram('apps/server/bin/waymark.js', {
      cwd: sqld ? mkdtempSync(join(folder, 'machine-')) : folder,
      env: {
        ...keys,
        ...{
          DATABASE: sqld?.url ?? this.file,
          OUTSIDE: outside,
          EDITION: String(edition),
          LOG_LEVEL: 'error',
        },
        ...{ CLOCK: clock, NODE_OPTIONS: `--import=${settableClock}` },
        ...env,
      },
      argv: ['start', application, '--port', '0'],
    });
    const [url = ''] = await program.saying(/http:\/\/127\.0\.0\.1:\d+/);
    const setClock = (byMs: number): void => {
      writeFileSync(clock, String(byMs));
      program.child.kill('SIGUSR2');
    };
    const server = { program, url, readyMs: performance.now(), setClock };
    this.#servers.push(server);
    return server;
  }

  /** Ends a server; from then on nobody is sent to it. */
  async end(server: Server, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const at = this.#servers.indexOf(server);
    if (at >= 0) this.#servers.splice(at, 1);
    server.program.child.kill(signal);
    const code = await server.program.ended();
    if (signal === 'SIGTERM' && code !== 0) this.complaints.push(`SIGTERM: ended with ${code}`);
    const { sqld } = this.#options;
    const logged = server.program
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{') && !ofLoad.test(line) && !(sqld && ofOutage.test(line)));
    this.complaints.push(...logged, ...(server.program.stderr() ? [server.program.stderr()] : []));
  }

  /** Ends them all. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.slice().map((server) => this.end(server, 'SIGTERM')));
  }
}
