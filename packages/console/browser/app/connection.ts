import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ControlHealthOutput } from '../client/control.ts';

/** `lost` from the first request that got no answer until the next one that did. */
export type ConnectionState = 'connecting' | 'live' | 'lost';

const everyMs = 5_000;
const whileLostMs = 1_000;
/** Nobody waits longer for a health that is answered at once. */
const patienceMs = 2_500;

/** Whether the service answers, and how it is: asked of its health, again and again, and sooner while it is away. */
export class Connection {
  readonly #state: Signal<ConnectionState> = signal('connecting');
  readonly #health = signal<ControlHealthOutput | undefined>(undefined);
  readonly #revived = signal(0);
  readonly #ask: (signal: AbortSignal) => Promise<ControlHealthOutput>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;

  constructor(ask: (signal: AbortSignal) => Promise<ControlHealthOutput>) {
    this.#ask = ask;
  }

  get state(): ReadonlySignal<ConnectionState> {
    return this.#state;
  }

  get health(): ReadonlySignal<ControlHealthOutput | undefined> {
    return this.#health;
  }

  /** Counts how often it was away and came back: what was shown before may be old. */
  get revived(): ReadonlySignal<number> {
    return this.#revived;
  }

  /** Somebody got no answer. */
  lost(): void {
    if (this.#state.value === 'lost') return;
    this.#state.value = 'lost';
    this.#askSoon(whileLostMs / 4);
  }

  /** Asks now, and from now on. */
  async refresh(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    clearTimeout(this.#timer);
    try {
      const health = await this.#ask(AbortSignal.timeout(patienceMs));
      const before = this.#health.value;
      const restarted = before !== undefined && health.uptime_ms < before.uptime_ms;
      const wasLost = this.#state.value === 'lost';
      this.#health.value = health;
      this.#state.value = 'live';
      if (wasLost || restarted) this.#revived.value++;
    } catch {
      // Whatever it was, a draining service included: there is nobody to ask now.
      this.#state.value = 'lost';
    }
    this.#asking = false;
    this.#askSoon(this.#state.value === 'live' ? everyMs : whileLostMs);
  }

  #askSoon(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), ms);
  }
}
