import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { application } from '../servers/application.ts';
import { Client, type ClientEnd } from '../servers/client.ts';
import { findFaults } from '../servers/find-faults.ts';
import { Fleet, keys, type Server } from '../servers/fleet.ts';
import { Humans } from '../servers/humans.ts';
import { type Job, makeJobs, shapeNames } from '../servers/jobs.ts';
import { Journal } from '../servers/observed.ts';
import { type Outside, startOutside } from '../servers/outside.ts';
import { type FailingFiles, failingFiles } from './failing-files.ts';
import { type SteppedClock, steppedClock } from './stepped-clock.ts';

/** What is played each time. */
export interface Scenario {
  /** The shapes of its jobs. */
  readonly shapes: readonly string[];
  /** Rows that a client writes meanwhile, one after another, and reads. */
  readonly rows: number;
  /** All jobs are to end as if nothing failed. */
  readonly unharmed?: boolean;
}

/** An agent, one that waits for a human, a behaviour, a flow and a conversation. */
export const wholeScenario: Scenario = {
  shapes: ['flat', 'gated', 'errand', 'delivery', 'session'],
  rows: 12,
};

/** A flow with an agent and a behaviour in it, and an agent that waits for a human. */
export const smallScenario: Scenario = { shapes: ['delivery', 'gated'], rows: 3 };

/**
 * Every shape there is, and none may fail. But what expires does so at the time of day that humans are shown, which is an hour
 * away when the clock is set.
 */
export const unharmedScenario: Scenario = {
  shapes: shapeNames.filter((shape) => shape !== 'expiring'),
  rows: 12,
  unharmed: true,
};

/** Everything has been answered by then, or hangs. */
const patienceMs = 30_000;

const headers = { 'x-api-key': keys.DESK_KEY, 'content-type': 'application/json' };

/** What health says. */
export interface Health {
  readonly status: string;
  readonly troubles?: readonly { readonly code: string }[];
}

/** What a desk works with. */
interface Parts extends Pick<FaultedDesk, 'files' | 'clock' | 'outside' | 'server'> {
  readonly scenario: Scenario;
  readonly folder: string;
  readonly fleet: Fleet;
}

/** A server that `waymark start` started, whose files and models fail, and whose clock is set, when they are told to. */
export class FaultedDesk {
  readonly files: FailingFiles;
  readonly clock: SteppedClock;
  readonly outside: Outside;
  readonly server: Server;
  /** What hung, or was answered with something that nobody may be answered. */
  readonly complaints: string[] = [];
  readonly #scenario: Scenario;
  readonly #folder: string;
  readonly #fleet: Fleet;
  readonly #humans: Humans;
  readonly #jobs = new Map<string, Job>();
  readonly #ends = new Map<string, ClientEnd>();
  /** The status that each row was answered with, by its name. */
  readonly #written = new Map<string, number>();
  /** What failed in each play. */
  readonly #plays: string[] = [];

  private constructor({ scenario, folder, files, clock, outside, fleet, server }: Parts) {
    this.#scenario = scenario;
    this.#folder = folder;
    this.files = files;
    this.clock = clock;
    this.outside = outside;
    this.#fleet = fleet;
    this.server = server;
    this.#humans = new Humans(fleet, this.#jobs, () => {});
  }

  /** @returns undefined where calls cannot be made to fail */
  static async start(scenario = wholeScenario): Promise<FaultedDesk | undefined> {
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    const files = failingFiles(folder, 'desk.db');
    const clock = steppedClock(folder);
    if (!files || !clock) {
      rmSync(folder, { recursive: true });
      return undefined;
    }
    const outside = await startOutside();
    const libraries = `${files.env['LD_PRELOAD']}:${clock.env['LD_PRELOAD']}`;
    const env = { ...files.env, ...clock.env, LD_PRELOAD: libraries };
    const fleet = new Fleet({ folder, outside: outside.url, application, env });
    const server = await fleet.start(1);
    return new FaultedDesk({ scenario, folder, files, clock, outside, fleet, server });
  }

  /** Plays the scenario once, until everybody was told how it came out. @param what fails */
  async play(what = 'nothing'): Promise<void> {
    const first = 1 + this.#plays.length * jobsOfPlay;
    this.#plays.push(what);
    const jobs = this.#scenario.shapes
      .flatMap((shape, i) => makeJobs(shape, first + 2 * i, () => 0.5))
      .map((job) => ({ ...job, ...(!this.#scenario.unharmed && whereToolsFail(job)) }));
    for (const job of jobs) this.#jobs.set(job.name, job);
    const ending = jobs.map(async (job) =>
      this.#ends.set(job.name, await new Client(this.#fleet, job).end()),
    );
    await within(Promise.all([...ending, this.#writeRows(first)]));
    for (const { name } of jobs)
      if (!this.#ends.has(name)) this.complaints.push(`${name} has not ended after ${patienceMs} ms`);
  }

  async health(): Promise<Health> {
    const response = await fetch(`${await this.#fleet.url()}/_svc/health`, {
      signal: AbortSignal.timeout(patienceMs),
    });
    return (await response.json()) as Health;
  }

  /** Milliseconds until health is as it should be; undefined when it is not in time. */
  async until(isSo: (health: Health) => boolean, withinMs: number): Promise<number | undefined> {
    const startMs = performance.now();
    for (;;) {
      if (isSo(await this.health())) return performance.now() - startMs;
      if (performance.now() - startMs > withinMs) return undefined;
      await sleep(100);
    }
  }

  /** Ends the server, and reads everything in its file that must not be. */
  async close(): Promise<readonly string[]> {
    this.files.mend();
    await this.#humans.stop();
    const journal = new Journal(this.#fleet.file);
    // The log is written in batches.
    await sleep(300);
    await this.#fleet.close();
    const stored = journal.read();
    journal.close();
    const isDirect = (row: string): boolean => row.startsWith('direct-');
    const direct = new Set(stored.rows.filter(isDirect).map((row) => row.split(' ')[0]));
    const faults = findFaults({
      ...stored,
      rows: stored.rows.filter((row) => !isDirect(row)),
      ...{ jobs: [...this.#jobs.values()], ends: this.#ends, decisions: this.#humans.decisions },
      happened: this.outside.happened.filter(({ what }) => what !== 'listens'),
      ...{
        steps: new Map(),
        killedMs: [],
        clocksWereSet: this.clock.wasSet,
        isElsewhere: false,
        complaints: [],
      },
    });
    const wrongRows = [...this.#written].flatMap(([name, status]) => {
      if ((status === 201) === direct.has(name)) return [];
      return [`row ${name} was answered ${status}, and is ${direct.has(name) ? 'there' : 'lost'}`];
    });
    await this.outside.close();
    this.files.close();
    this.clock.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    return [...this.complaints, ...faults, ...wrongRows].map((fault) => this.#place(fault));
  }

  /** Says of a fault what had failed then. */
  #place(fault: string): string {
    const [, number] = /\b(?:job|direct)-(\d+)/.exec(fault) ?? [];
    if (number === undefined) return fault;
    return `${fault} (${this.#plays[Math.floor((Number(number) - 1) / jobsOfPlay)]} failed)`;
  }

  async #writeRows(first: number): Promise<void> {
    const url = `${await this.#fleet.url()}/notes`;
    for (let i = 0; i < this.#scenario.rows; i++) {
      const name = `direct-${first}-${i}`;
      const answer = await this.#ask(url, { method: 'POST', body: JSON.stringify({ job: name, n: i }) });
      // Nobody knows whether it was taken.
      if (!answer) continue;
      const { status, said } = answer;
      this.#written.set(name, status);
      if (status !== 201 && status !== 503)
        this.complaints.push(`row ${name} was answered ${status}: ${said}`);
      if (status === 201) await this.#readRow(`${url}/${JSON.parse(said).id}`, name);
    }
  }

  /** What was acknowledged is read as it was written, or cannot be read at the moment. */
  async #readRow(url: string, name: string): Promise<void> {
    const answer = await this.#ask(url);
    if (!answer || answer.status === 503) return;
    if (answer.status !== 200 || JSON.parse(answer.said).job !== name)
      this.complaints.push(`row ${name} was read with ${answer.status}: ${answer.said}`);
  }

  /** @returns undefined where nobody takes the connection */
  async #ask(
    url: string,
    options: RequestInit = {},
  ): Promise<{ readonly status: number; readonly said: string } | undefined> {
    try {
      const response = await fetch(url, { ...options, headers, signal: AbortSignal.timeout(patienceMs) });
      return { status: response.status, said: await response.text() };
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.complaints.push(`${url} hangs`);
      return undefined;
    }
  }
}

/** Numbers of jobs that one play may use. */
const jobsOfPlay = 50;

/** What a tool that cannot write or reach anybody says, and what comes of it. */
const codesOfTools = ['refused', 'step_failed', 'disk_failing', 'disk_full'];

/** A tool that cannot write says so to whoever called it: what comes of that is for its caller, who may give up. */
function whereToolsFail({ ends, codes }: Job): Pick<Job, 'ends' | 'codes' | 'rows'> {
  return { ends: [...ends, 'failed'], codes: [...codes, ...codesOfTools], rows: [] };
}

async function within(work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(patienceMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([work, late]);
  timer.abort();
}
