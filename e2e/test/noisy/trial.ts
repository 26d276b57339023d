import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Deeds } from './attack.ts';
import { type Belongings, settle } from './belongings.ts';
import type { Met } from './neighbour.ts';
import { goFirst, goLast, type NoisyDesk, others, pin, startDesk } from './start-desk.ts';

/** What an attack may cost others. */
export interface Bounds {
  /** Of a neighbour's requests, milliseconds. */
  readonly p99Ms: number;
  /** The same, as a multiple of what it is when nobody attacks. */
  readonly timesQuiet: number;
  /** So many times its quiet p99 are right even where `p99Ms` is less: for a machine that has much else to do. */
  readonly rightTimesQuiet?: number;
  /** That the desk holds above what it began with, megabytes. */
  readonly rssMb: number;
}

/** How a neighbour fared. */
export interface Fared {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly faults: Met['faults'];
}

/** What came of one attack. */
export interface Outcome extends Fared {
  readonly attack: Attack;
  readonly deeds: Deeds;
  /** The most that the desk held above what it began with, megabytes. */
  readonly rssMb: number;
  /** How much of that it did not hold before the attack. */
  readonly roseMb: number;
  /** From the end of the attack until the desk answered at once again. */
  readonly recoveryMs: number;
  /** What was not as it should be, in words; none is as it should be. */
  readonly broken: readonly string[];
  /** Whether it is but time and memory, of which a machine with something else to do takes, too. */
  readonly isOverOnly: boolean;
}

/** How long an attack is, the first time and when it is measured again. */
export interface Repetition {
  readonly ms: number;
  readonly againMs?: number;
}

/** So often an attack is measured again that was over a bound. */
const timesAgain = 2;

/** Who waits longer gives up: the desk is then taken for hung. */
const patienceMs = 20_000;

/** A desk, somebody who uses it, and attackers who come one after the other. */
export class Trial {
  readonly #bounds: Bounds;
  #desk!: NoisyDesk;
  #neighbour!: ChildProcess;
  #belongings!: Belongings;
  #startMb = 0;
  #quiet!: Fared;

  private constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** @param quietMs how long it is looked at what is usual */
  static async start(bounds: Bounds, quietMs: number): Promise<Trial> {
    const trial = new Trial(bounds);
    await trial.#moveIn(quietMs);
    return trial;
  }

  get desk(): NoisyDesk {
    return this.#desk;
  }

  get quiet(): Fared {
    return this.#quiet;
  }

  /** Megabytes above what the desk began with. */
  growthMb(): number {
    return this.#desk.rssMb() - this.#startMb;
  }

  /** What health says. */
  async health(): Promise<string> {
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(`${this.#desk.url}/_svc/health`, { signal });
    const { status } = (await response.json()) as { readonly status: string };
    return `${response.status} ${status}`;
  }

  /**
   * What comes of an attack: the first time that it keeps to its bounds, or else the last. A machine that had something else to do,
   * or a disk that stood still, is measured again; an attack that costs others time and memory costs them each time. Rows that
   * are gone, wrong answers and a desk that hangs are so the first time.
   *
   * @param againMs how long it then is
   * @param told is shown what came of each time
   */
  async attackAgain(
    attack: Attack,
    { ms, againMs = ms, told = () => {} }: Repetition & { readonly told?: (outcome: Outcome) => void },
  ): Promise<Outcome> {
    let outcome = await this.attack(attack, ms);
    told(outcome);
    for (let again = 0; again < timesAgain && outcome.isOverOnly; again++) {
      outcome = await this.attack(attack, againMs);
      told(outcome);
    }
    return outcome;
  }

  async attack(attack: Attack, ms: number): Promise<Outcome> {
    const attacker = this.#fork('attacker.ts');
    const failed = once(attacker, 'exit').then(([code]) => ({
      deeds: { [`ended with ${String(code)}`]: 1 },
    }));
    const ready = once(attacker, 'message');
    goLast(Number(attacker.pid));
    attacker.send({ port: this.#desk.port, ms, attack });
    await Promise.race([ready, failed]);
    const done = once(attacker, 'message').then(([message]) => message as { readonly deeds: Deeds });
    const heldMb = this.growthMb();
    let mostMb = 0;
    const watch = setInterval(() => {
      mostMb = Math.max(mostMb, this.growthMb());
    }, 20);
    if (attacker.connected) attacker.send({ go: true });
    const met = await this.#live(ms);
    // It ends by itself; one that cannot is held up by what it sends.
    const { deeds } = await Promise.race([done, failed, sleep(5_000, { deeds: { stuck: 1 } })]);
    attacker.kill('SIGKILL');
    const recoveryMs = await this.#recover();
    clearInterval(watch);
    const found = { attack, deeds, ...fared(met), rssMb: mostMb, roseMb: mostMb - heldMb, recoveryMs };
    const over = this.#boundsBrokenBy(found);
    const worse = [
      ...Object.entries(met.faults).map(([fault, times]) => `${times} times the neighbour met ${fault}`),
      ...(await this.#lostBy(recoveryMs)),
    ];
    return { ...found, broken: [...over, ...worse], isOverOnly: over.length > 0 && worse.length === 0 };
  }

  async stop(): Promise<void> {
    await this.#moveOut();
  }

  /** What others lost: rows, or the desk itself, after which there is a new one. */
  async #lostBy(recoveryMs: number): Promise<readonly string[]> {
    if (this.#desk.isAlive() && recoveryMs < patienceMs) return this.#belongings.missing();
    const what = this.#desk.isAlive() ? 'the desk hangs' : `the desk ended: ${this.#desk.said().slice(-500)}`;
    await this.#moveOut('kill');
    await this.#moveIn(2_000);
    return [what];
  }

  async #moveIn(quietMs: number): Promise<void> {
    this.#desk = await startDesk();
    this.#neighbour = this.#fork('neighbour.ts');
    goFirst(Number(this.#neighbour.pid));
    const ready = once(this.#neighbour, 'message');
    this.#neighbour.send({ url: this.#desk.url, key: this.#desk.keys.neighbour });
    await ready;
    this.#belongings = await settle(this.#desk);
    // Everything is compiled when it is first used.
    await this.#live(1_000);
    this.#quiet = fared(await this.#live(quietMs));
    const [fault] = Object.keys(this.#quiet.faults);
    if (fault !== undefined) throw new Error(`nobody attacks, and the neighbour met ${fault}`);
    this.#startMb = this.#desk.rssMb();
  }

  async #moveOut(kill?: 'kill'): Promise<void> {
    this.#neighbour.kill('SIGKILL');
    await this.#desk.close(kill);
  }

  #fork(file: string): ChildProcess {
    const child = fork(join(import.meta.dirname, file), { execArgv: [] });
    void pin(Number(child.pid), others());
    return child;
  }

  async #live(ms: number): Promise<Met> {
    const met = once(this.#neighbour, 'message');
    this.#neighbour.send({ ms });
    const [message] = (await met) as [Met];
    return message;
  }

  /** Waits until the desk answers three times at once. */
  async #recover(): Promise<number> {
    const startMs = performance.now();
    for (let quick = 0; quick < 3 && this.#desk.isAlive() && performance.now() - startMs < patienceMs; ) {
      const askedMs = performance.now();
      await this.health().catch(() => {});
      quick = performance.now() - askedMs < 50 ? quick + 1 : 0;
    }
    return performance.now() - startMs;
  }

  #boundsBrokenBy({
    p99Ms,
    rssMb,
    roseMb,
    recoveryMs,
  }: Omit<Outcome, 'broken' | 'isOverOnly'>): readonly string[] {
    const bounds = this.#bounds;
    const times = p99Ms / this.#quiet.p99Ms;
    const mostMs = Math.max(bounds.p99Ms, (bounds.rightTimesQuiet ?? 0) * this.#quiet.p99Ms);
    return [
      ...(p99Ms > mostMs ? [`p99 of the neighbour: ${round(p99Ms)} ms, not ${round(mostMs)}`] : []),
      ...(times > bounds.timesQuiet ? [`${round(times)} times its quiet p99, not ${bounds.timesQuiet}`] : []),
      // What an earlier attack left behind is not this one's.
      ...(rssMb > bounds.rssMb && roseMb > 10
        ? [`${round(rssMb)} MB more than at the start, not ${bounds.rssMb}`]
        : []),
      ...(recoveryMs > 5_000 ? [`answers at once again after ${round(recoveryMs)} ms`] : []),
    ];
  }
}

function fared({ ms, faults }: Met): Fared {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), faults };
}

const round = (value: number): number => Math.round(value * 10) / 10;
