import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { application } from './application.ts';
import { Client, type ClientEnd } from './client.ts';
import { countCutOff, findFaults } from './find-faults.ts';
import { Fleet, keys, type Server } from './fleet.ts';
import { Humans } from './humans.ts';
import { type Job, makeJobs, shapeNames } from './jobs.ts';
import { chooseKill, momentOf } from './kill.ts';
import { Journal, type Observed } from './observed.ts';
import { type Outside, startOutside } from './outside.ts';
import type { Sqld } from './sqld.ts';
import { type TakeOver, watchTakeOver } from './take-over.ts';

/** Servers on one database that are killed again and again while clients, humans and models go on. */
export interface Series {
  readonly kills: number;
  /** Servers that work at the same time; 1, 2 or 3. */
  readonly servers: number;
  /** Chooses jobs and moments. */
  readonly seed: number;
  /** The application changes from one start to the next. */
  readonly changes?: boolean;
  /** Models fail now and then, for up to so long, milliseconds. */
  readonly outageMs?: number;
  /** Clocks on the wall are set by up to two hours. */
  readonly setsClocks?: boolean;
  /** Sometimes nobody is up for so long, milliseconds: approvals expire meanwhile. */
  readonly downMs?: number;
  /** A server that keeps their database, which is up; a file by default. */
  readonly sqld?: Sqld;
  /** That is killed, too, and is down for up to so long, milliseconds. */
  readonly sqldDownMs?: number;
  /** Jobs that are under way at the same time. */
  readonly atOnce?: number;
  /** The process of models and effects; one of its own by default. */
  readonly outside?: Outside;
  /** The number of the first job: none has that of another series on the same outside. */
  readonly firstJob?: number;
  /** Told what happens. */
  readonly say?: (line: string) => void;
}

/** How a series came out. */
export interface SeriesReport {
  /** Every promise that was not kept. */
  readonly faults: readonly string[];
  readonly kills: number;
  /** Times that the server of the database was killed. */
  readonly outages: number;
  /** Servers that were told to end, and did. */
  readonly ended: number;
  readonly jobs: number;
  readonly takeOvers: readonly TakeOver[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Everything has ended by then, when nobody kills any more. */
const lastMs = 90_000;

/** As short as a lease may be: a silent server cannot be told from a slow one elsewhere. */
const shortestLease = { LEASE: '3' };

/** Deaths around one run without a step in between; at one more it is a crash loop. */
const mostDeaths = 4;
const spareMs = 20_000;

/** Plays a series, and checks what must hold at its end. */
export async function playSeries(series: Series): Promise<SeriesReport> {
  const folder = mkdtempSync(join(tmpdir(), 'servers-'));
  const outside = series.outside ?? (await startOutside());
  const { sqld } = series;
  const elsewhere = sqld && { sqld, env: shortestLease };
  const fleet = new Fleet({ folder, outside: outside.url, application, ...elsewhere });
  try {
    return await new Play(series, fleet, outside).run();
  } finally {
    for (const server of fleet.servers) server.program.child.kill('SIGKILL');
    if (!series.outside) await outside.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

class Play {
  readonly #series: Series;
  readonly #fleet: Fleet;
  readonly #outside: Outside;
  readonly #random: () => number;
  readonly #say: (line: string) => void;
  readonly #jobs = new Map<string, Job>();
  readonly #ends = new Map<string, ClientEnd>();
  readonly #onDecide = new Set<() => void>();
  readonly #takeOvers: TakeOver[] = [];
  readonly #watching = new Set<Promise<unknown>>();
  readonly #firstHappened: number;
  readonly #killedMs: number[] = [];
  #journal: Journal | undefined;
  #nextJob: number;
  #nextShape: number;
  #kills = 0;
  #ended = 0;
  #outages = 0;
  #starts = 0;

  constructor(series: Series, fleet: Fleet, outside: Outside) {
    this.#series = series;
    this.#fleet = fleet;
    this.#outside = outside;
    this.#firstHappened = outside.happened.length;
    this.#random = randomOf(series.seed);
    this.#say = series.say ?? (() => {});
    this.#nextJob = series.firstJob ?? 1;
    this.#nextShape = series.seed;
  }

  async run(): Promise<SeriesReport> {
    const { kills, servers } = this.#series;
    await this.#start();
    this.#journal = new Journal(this.#fleet.file);
    const humans = new Humans(this.#fleet, this.#jobs, () => {
      for (const told of this.#onDecide) told();
    });
    while (this.#fleet.servers.length < servers) await this.#start();
    while (this.#kills < kills) await this.#live();
    await this.#last();
    await humans.stop();
    await Promise.all(this.#watching);
    const steps = await this.#readSteps();
    await this.#fleet.close();
    const stored = this.#journal.read();
    this.#journal.close();
    const names = new Set(this.#jobs.keys());
    const seen: Observed = {
      ...stored,
      ...{ jobs: [...this.#jobs.values()], ends: this.#ends, decisions: humans.decisions, steps },
      happened: this.#outside.happened
        .slice(this.#firstHappened)
        .filter((one) => one.what !== 'listens' && names.has(one.job)),
      ...{ killedMs: this.#killedMs, clocksWereSet: this.#series.setsClocks ?? false },
      isElsewhere: this.#series.sqld !== undefined,
      complaints: this.#fleet.complaints,
    };
    return this.#report(seen);
  }

  /** One life of a server, and its end. */
  async #live(): Promise<void> {
    const { outageMs = 0, setsClocks = false, downMs = 0, sqldDownMs = 0, servers } = this.#series;
    this.#post();
    const [server] = this.#fleet.servers;
    if (!server) return void (await this.#start());
    if (outageMs > 0 && this.#chance(0.25)) this.#breakModels(outageMs);
    // However short a series is, it has one of them.
    const isDue = this.#outages === 0 && this.#kills + 1 === this.#series.kills;
    if (sqldDownMs > 0 && (this.#chance(0.3) || isDue)) await this.#breakDatabase(sqldDownMs);
    if (setsClocks && this.#chance(0.3)) server.setClock(Math.round((this.#random() - 0.5) * 4 * 3_600_000));
    await momentOf(chooseKill(this.#random), this.#outside, this.#onDecide);
    await this.#spare();
    const gently = this.#chance(0.08);
    this.#killedMs.push(...(gently ? [] : [Date.now()]));
    const ending = this.#fleet.end(server, gently ? 'SIGTERM' : 'SIGKILL');
    if (gently) this.#ended++;
    else this.#kills++;
    await ending;
    const orphans = this.#journal?.underWay() ?? new Map();
    if (downMs > 0 && this.#chance(0.1)) await sleep(downMs);
    const next = await this.#start();
    // With a second one nobody can say who died, and who goes on.
    if (servers === 1 && !gently) this.#watch(next, orphans);
    if (this.#kills % 10 === 0 && !gently)
      this.#say(`${this.#kills} kills, ${this.#ends.size} of ${this.#jobs.size} jobs at their end`);
  }

  /** Nobody is killed around a run that would be given up for it: that is no fault, and promised. */
  async #spare(): Promise<void> {
    const untilMs = performance.now() + spareMs;
    const isNext = (): boolean =>
      [...(this.#journal?.underWay().values() ?? [])].some(({ attempts }) => attempts >= mostDeaths);
    while (performance.now() < untilMs && isNext()) await sleep(20);
  }

  #watch(server: Server, orphans: ReturnType<Journal['underWay']>): void {
    if (!this.#journal) return;
    const isOver = (): boolean => !this.#fleet.servers.includes(server);
    const watching = watchTakeOver(this.#journal, orphans, server.readyMs, isOver).then((one) => {
      this.#takeOvers.push(one);
    });
    this.#watching.add(watching);
  }

  /** Clients start what they have to do, as long as not too much is under way. */
  #post(): void {
    const { atOnce = 14 } = this.#series;
    while (this.#jobs.size - this.#ends.size < atOnce) {
      const shape = shapeNames[this.#nextShape++ % shapeNames.length] ?? '';
      for (const job of makeJobs(shape, this.#nextJob, this.#random)) {
        this.#nextJob++;
        this.#jobs.set(job.name, job);
        void new Client(this.#fleet, job).end().then((end) => this.#ends.set(job.name, end));
      }
    }
  }

  #breakModels(mostMs: number): void {
    const kinds = ['503', '429', 'reset', 'hang'] as const;
    const kind = kinds[Math.floor(this.#random() * kinds.length)] ?? '503';
    const forMs = 1_000 + this.#random() * Math.max(0, mostMs - 1_000);
    this.#say(`models fail with ${kind} for ${forMs.toFixed(0)} ms`);
    this.#outside.fail(kind, forMs);
  }

  /** What servers could not say meanwhile of what they did, they say before the next one is killed. */
  async #breakDatabase(mostMs: number): Promise<void> {
    const { sqld } = this.#series;
    const forMs = this.#random() * mostMs;
    this.#say(`the database is away for ${forMs.toFixed(0)} ms`);
    this.#outages++;
    await sqld?.stop();
    await sleep(forMs);
    await sqld?.start();
    await this.#fleet.well();
  }

  async #start(): Promise<Server> {
    const edition = this.#series.changes && this.#starts % 2 === 1 ? 2 : 1;
    this.#starts++;
    return this.#fleet.start(edition);
  }

  /** Nobody is killed any more, nothing fails: all that was begun comes to its end. */
  async #last(): Promise<void> {
    this.#outside.fail('none', 0);
    const untilMs = performance.now() + lastMs;
    while (this.#ends.size < this.#jobs.size && performance.now() < untilMs) await sleep(50);
    // The log is written in batches.
    await sleep(300);
  }

  /** What whoever reads events is told who comes last. */
  async #readSteps(): Promise<ReadonlyMap<string, readonly number[]>> {
    const steps = new Map<string, readonly number[]>();
    const url = await this.#fleet.url();
    for (const { name, path, reading } of this.#jobs.values()) {
      const { runId } = this.#ends.get(name) ?? {};
      if (reading === 'whole' || runId === undefined) continue;
      const response = await fetch(`${url}${path}/runs/${runId}`, {
        headers: { 'x-api-key': keys.DESK_KEY, accept: 'text/event-stream' },
      });
      const told = await response.text();
      steps.set(
        name,
        [...told.matchAll(/^id: [^/\n]+\/(\d+)$/gm)].map(([, id]) => Number(id)),
      );
    }
    return steps;
  }

  #report(seen: Observed): SeriesReport {
    const count = (what: string): number => seen.happened.filter((one) => one.what === what).length;
    const { approvals, decisions, ops, runs } = seen;
    return {
      faults: findFaults(seen),
      ...{
        kills: this.#kills,
        outages: this.#outages,
        ended: this.#ended,
        jobs: this.#jobs.size,
        takeOvers: this.#takeOvers,
      },
      counts: {
        ...{ runs: runs.length, steps: ops.length, approvals: approvals.length },
        expired: approvals.filter(({ status }) => status === 'expired').length,
        decisions: decisions.length,
        unheard: decisions.filter(({ status }) => status === undefined).length,
        ...{ asked: count('asked'), answers: count('answered'), refused: count('refused') },
        ...{ cutOff: countCutOff(seen), effects: count('effect'), rows: seen.rows.length },
        failed: runs.filter(({ runId, rootId, status }) => runId === rootId && status === 'failed').length,
        askedAgain: [...this.#ends.values()].reduce((sum, { asked }) => sum + asked - 1, 0),
      },
    };
  }

  #chance(of: number): boolean {
    return this.#random() < of;
  }
}

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
