import { setTimeout as sleep } from 'node:timers/promises';
import { toldWithinMs } from './lines.ts';
import { ask, type Line } from './plays.ts';

/** Health names nobody who has been well for so long. */
const clearedMs = 5_000;

/** When a line was named, milliseconds of `performance.now`. */
interface Named {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What health says, asked all the time. */
export class HealthWatch {
  readonly #url: string;
  readonly #lines: readonly Line[];
  readonly #named = new Map<string, Named>();
  readonly #wrong = new Set<string>();
  readonly #looking: Promise<void>;
  #isOver = false;

  constructor(url: string, lines: readonly Line[]) {
    this.#url = url;
    this.#lines = lines;
    this.#looking = this.#lookOn();
  }

  /** What is wrong with what it said of a line that is well again since then. */
  complaintsOf(line: Line, wellMs: number): readonly string[] {
    const named = this.#named.get(line.name);
    const withinMs = toldWithinMs(line);
    const { failedMs = Number.NaN } = line.origin;
    const round = (ms: number): number => Math.round(ms);
    if (withinMs === undefined) return named && line.nth === 0 ? ['health named it, and it was well'] : [];
    if (!named) return ['health did not name it'];
    const afterMs = named.firstMs - failedMs;
    const overMs = named.lastMs - wellMs;
    return [
      ...(afterMs <= withinMs ? [] : [`health named it after ${round(afterMs)} ms`]),
      ...(overMs <= clearedMs ? [] : [`health still named it ${round(overMs)} ms after it was well`]),
    ];
  }

  /** @returns what else was wrong */
  async end(): Promise<readonly string[]> {
    const untilMs = performance.now() + clearedMs;
    while (performance.now() < untilMs && (await this.#look()) !== 'ok') await sleep(100);
    if ((await this.#look()) !== 'ok') this.#wrong.add('health: it is not ok after 5 s');
    this.#isOver = true;
    await this.#looking;
    return [...this.#wrong];
  }

  async #lookOn(): Promise<void> {
    while (!this.#isOver) {
      await this.#look();
      await sleep(100);
    }
  }

  async #look(): Promise<string> {
    const { status, text, tookMs } = await ask(`${this.#url}/_svc/health?ready`);
    const nowMs = performance.now();
    if (tookMs > 5_000) this.#wrong.add(`health: it waited ${Math.round(tookMs)} ms`);
    const { troubles = [], status: said } = JSON.parse(text || '{}') as HealthBody;
    // That a machine is busy with something else comes of no failure.
    const others = troubles.filter(({ code }) => code !== 'event-loop-slow');
    if (others.length === troubles.length) {
      if (status !== 200) this.#wrong.add(`health: it is not ready, ${status} ${text.slice(0, 300)}`);
      if (said !== (troubles.length > 0 ? 'degraded' : 'ok'))
        this.#wrong.add(`health: it is ${said} with ${troubles.length} troubles`);
    }
    for (const { code, message } of others) this.#hear(code, message, nowMs);
    return others.length > 0 ? 'in trouble' : 'ok';
  }

  #hear(code: string, message: string, nowMs: number): void {
    const lines = this.#lines.filter(
      (line) => code === `${line.kind}-failing` && message.includes(labelOf(line)),
    );
    for (const { name, origin } of lines) {
      const firstMs = this.#named.get(name)?.firstMs ?? nowMs;
      this.#named.set(name, { firstMs, lastMs: nowMs });
      origin.comeBack();
    }
    if (code !== 'issuer-failing' && /127\.0\.0\.1|:\d|http/.test(message))
      this.#wrong.add(`health: it shows where somebody is, ${message}`);
    if (lines.length === 0) this.#wrong.add(`health: ${code}, ${message}`);
  }
}

interface HealthBody {
  readonly status?: string;
  readonly troubles?: readonly { readonly code: string; readonly message: string }[];
}

/** What health calls a line. */
function labelOf({ kind, name, origin: { url } }: Line): string {
  return kind === 'issuer' ? `"${new URL(url).host}" (` : `"${name}" (`;
}
