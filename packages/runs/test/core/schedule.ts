import { Violation } from './checks.ts';
import { ModelProcess } from './model-process.ts';
import { ModelStore } from './model-store.ts';
import { type Program, type Result, randomProgram } from './programs.ts';

const mostSteps = 20_000;
const mostEvents = 8;

/** How often things happened. */
export interface Counts {
  schedules: number;
  steps: number;
  legs: number;
  parked: number;
  kills: number;
  /** A process that stood still, and another one has its root. */
  stale: number;
  drains: number;
  decisions: number;
  /** Tries that something outside kept from being done. */
  postponed: number;
  /** Steps that were done once more. */
  pauses: number;
  mismatches: number;
}

function noCounts(): Counts {
  return {
    ...{ schedules: 0, steps: 0, legs: 0, parked: 0, kills: 0 },
    ...{ stale: 0, drains: 0, decisions: 0, postponed: 0, pauses: 0, mismatches: 0 },
  };
}

/** Everything that outlives a process, and what chooses between what may happen next. */
export class World {
  readonly random: () => number;
  readonly store = new ModelStore();
  /** Numbers of the steps of each run, in the order in which they were delivered. */
  readonly history = new Map<string, number[]>();
  readonly counts: Counts;
  program: Program;
  /** Its code was changed. */
  isEdited = false;
  /** Its code asked for something else than what is recorded. */
  mismatches = false;
  processes: ModelProcess[] = [];
  #events = 0;
  #value = 0;

  constructor(seed: number, counts: Counts) {
    this.counts = counts;
    this.random = randoms(seed);
    this.program = randomProgram(this.random, 1 + Math.floor(this.random() * 16));
  }

  /** A value as nobody had one before; one of five is a failure. */
  readonly fresh = (): Result => {
    this.#value++;
    return this.random() < 0.2 ? -10 - this.#value : this.#value;
  };

  expectMismatch(): void {
    if (!this.isEdited) throw new Violation('code that did not change asks for something else');
    this.mismatches = true;
    this.counts.mismatches++;
  }

  /** Lets something happen until the root has ended and nothing is under way. */
  run(): void {
    const { store, counts } = this;
    counts.schedules++;
    this.processes.push(new ModelProcess(this));
    let steps = 0;
    for (; this.#step(); steps++) if (steps > mostSteps) throw new Violation('a root comes to no end');
    counts.steps += steps;
    if (!store.hasEnded) throw new Violation(`nobody goes on with a root that is ${store.status}`);
    if (store.pending.length > 0) throw new Violation('a root has ended, and humans are asked');
  }

  #step(): boolean {
    if (this.#events < mostEvents && this.random() < 0.06) this.#happens();
    const { store, processes } = this;
    const first = Math.floor(this.random() * processes.length);
    for (let i = 0; i < processes.length; i++)
      if (processes[(first + i) % processes.length]?.step()) return true;
    if (store.hasEnded) return false;
    return this.#goOn();
  }

  /** Nothing happens by itself any more: the root waits for a human, or for a process. */
  #goOn(): boolean {
    const { store } = this;
    const owner = this.processes.find(({ leg }) => leg?.epoch === store.epoch);
    if (store.status === 'running' && owner?.leg) {
      // Changed code may not ask for what comes next: that ends at the deadline.
      if (!this.isEdited) throw new Violation('a leg stands still');
      owner.leg.happen({ on: 'failed', error: deadline });
    } else if (store.status === 'waiting') {
      const isDue = store.waits.size > 0 && (store.pending.length === 0 || this.random() < 0.5);
      if (isDue) store.wake();
      else this.#decide();
    } else this.#takeUp();
    return true;
  }

  /** Somebody else does something, at a moment that nobody chose. */
  #happens(): void {
    this.#events++;
    const { store, processes, counts } = this;
    if (store.hasEnded) return;
    const process = processes.at(-1);
    const what = this.random();
    if (what < 0.4) {
      if (store.pending.length > 0) this.#decide();
    } else if (what < 0.57) {
      counts.kills++;
      this.processes = processes.filter((one) => one !== process);
      if (store.status !== 'waiting') this.#takeUp();
    } else if (what < 0.65) {
      // A process that stood still too long goes on, and finds that the root is another's.
      if (store.status !== 'running') return;
      counts.stale++;
      this.#takeUp();
    } else if (what < 0.79) {
      counts.drains++;
      process?.drain();
    } else if (what < 0.86) process?.giveUp();
    else if (what < 0.92) process?.leg?.happen({ on: 'disturbed' });
    else if (what < 0.96) process?.leg?.happen({ on: 'failed', error: deadline });
    else {
      store.status = 'cancelled';
      store.withdraw('r');
      // Or it learns of it when it writes.
      if (this.random() < 0.5) process?.leg?.happen({ on: 'cancelled' });
    }
  }

  #decide(): void {
    const { pending } = this.store;
    const one = pending[Math.floor(this.random() * pending.length)];
    if (!one) throw new Violation('a root waits for nobody');
    this.counts.decisions++;
    this.store.decide(one, this.random() < 0.75 ? 'approved' : 'denied');
  }

  /** Another process takes the root, sometimes with other code. */
  #takeUp(): void {
    if (this.random() < 0.05) {
      this.isEdited = true;
      this.program = randomProgram(this.random, Math.floor(this.random() * 12));
    }
    this.processes.push(new ModelProcess(this));
  }
}

const deadline = { code: 'timeout', message: 'timed out', status: 504 };

/** One random program under one random schedule for each seed. @throws {Error} the seed, and which rule was broken */
export function runSchedules(firstSeed: number, count: number): Counts {
  const counts = noCounts();
  for (let seed = firstSeed; seed < firstSeed + count; seed++)
    try {
      new World(seed, counts).run();
    } catch (cause) {
      throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
    }
  return counts;
}

/** Numbers that look random and are the same each time: mulberry32. @returns below 1 */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
