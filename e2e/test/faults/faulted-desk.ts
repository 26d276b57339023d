import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { application } from '../servers/application.ts';
import { Client, type ClientEnd } from '../servers/client.ts';
import { findFaults } from '../servers/find-faults.ts';
import { Fleet, keys } from '../servers/fleet.ts';
import { Humans } from '../servers/humans.ts';
import { type Job, makeJobs } from '../servers/jobs.ts';
import { Journal } from '../servers/observed.ts';
import { type Outside, startOutside } from '../servers/outside.ts';
import { type FailingFiles, failingFiles } from './failing-files.ts';

/** What is played each time: an agent, one that waits for a human, a behaviour, a flow and a conversation. */
const scenario = ['flat', 'gated', 'errand', 'delivery', 'session'] as const;

/** Rows that a client writes meanwhile, one after another. */
const writes = 12;

/** Everything has been answered by then, or hangs. */
const patienceMs = 30_000;

const headers = { 'x-api-key': keys.DESK_KEY, 'content-type': 'application/json' };

/** What health says. */
export interface Health {
  readonly status: string;
  readonly troubles?: readonly { readonly code: string }[];
}

/** A server that `waymark start` started, whose files and models fail when they are told to. */
export class FaultedDesk {
  readonly files: FailingFiles;
  readonly outside: Outside;
  /** What hung, or was answered with something that nobody may be answered. */
  readonly complaints: string[] = [];
  readonly #folder: string;
  readonly #fleet: Fleet;
  readonly #humans: Humans;
  readonly #jobs = new Map<string, Job>();
  readonly #ends = new Map<string, ClientEnd>();
  /** The status that each row was answered with, by its name. */
  readonly #written = new Map<string, number>();
  #plays = 0;

  private constructor(folder: string, files: FailingFiles, outside: Outside, fleet: Fleet) {
    this.#folder = folder;
    this.files = files;
    this.outside = outside;
    this.#fleet = fleet;
    this.#humans = new Humans(fleet, this.#jobs, () => {});
  }

  /** @returns undefined where calls cannot be made to fail */
  static async start(): Promise<FaultedDesk | undefined> {
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    const files = failingFiles(folder, 'desk.db');
    if (!files) {
      rmSync(folder, { recursive: true });
      return undefined;
    }
    const outside = await startOutside();
    const fleet = new Fleet({ folder, outside: outside.url, application, env: files.env });
    await fleet.start(1);
    return new FaultedDesk(folder, files, outside, fleet);
  }

  /** Plays the scenario once, until everybody was told how it came out. */
  async play(): Promise<void> {
    const first = 1 + this.#plays * 10;
    this.#plays++;
    const jobs = scenario
      .flatMap((shape, i) => makeJobs(shape, first + 2 * i, () => 0.5))
      .map((job) => ({ ...job, ...whereToolsFail(job) }));
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
      ...{ steps: new Map(), killedMs: [], clocksWereSet: false, complaints: [] },
    });
    const wrongRows = [...this.#written].flatMap(([name, status]) => {
      if ((status === 201) === direct.has(name)) return [];
      return [`row ${name} was answered ${status}, and is ${direct.has(name) ? 'there' : 'lost'}`];
    });
    await this.outside.close();
    this.files.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    return [...this.complaints, ...faults, ...wrongRows];
  }

  async #writeRows(first: number): Promise<void> {
    const url = await this.#fleet.url();
    for (let i = 0; i < writes; i++) {
      const name = `direct-${first}-${i}`;
      const response = await fetch(`${url}/notes`, {
        ...{ method: 'POST', headers, signal: AbortSignal.timeout(patienceMs) },
        body: JSON.stringify({ job: name, n: i }),
      });
      const said = await response.text();
      this.#written.set(name, response.status);
      if (response.status !== 201 && response.status !== 503)
        this.complaints.push(`row ${name} was answered ${response.status}: ${said}`);
    }
  }
}

/** A tool that cannot write says so to whoever called it: what comes of that is for its caller, who may give up. */
function whereToolsFail({ ends, codes }: Job): Pick<Job, 'ends' | 'codes' | 'rows'> {
  return { ends: [...ends, 'failed'], codes: [...codes, 'refused', 'step_failed'], rows: [] };
}

async function within(work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(patienceMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([work, late]);
  timer.abort();
}
