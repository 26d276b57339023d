import { watchBattery } from './battery.ts';
import { mayWatchOrientation, watchOrientation } from './orientation.ts';
import { type Reading, Readings } from './readings.ts';

/** What the person lets the page tell of the machine. */
export type TelemetrySource = 'battery' | 'orientation';

/** Readings of the machine itself, of each source only while it is allowed. */
export class Telemetry {
  readonly #readings = new Readings();
  readonly #endings = new Map<TelemetrySource, () => void>();
  readonly #send: (reading: Reading) => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(send: (reading: Reading) => void) {
    this.#send = send;
  }

  /** Called while a click is handled, since some browsers ask then. @returns false when the browser refuses */
  async allow(source: TelemetrySource): Promise<boolean> {
    const tell = (reading: Reading): void => this.#readings.set(source, reading);
    try {
      if (source === 'orientation' && !(await mayWatchOrientation())) return false;
      this.forbid(source);
      const end = source === 'battery' ? await watchBattery(tell) : watchOrientation(tell);
      this.#endings.set(source, end);
      return true;
    } catch {
      // Browsers have several errors for it, which all mean no.
      return false;
    }
  }

  forbid(source: TelemetrySource): void {
    this.#endings.get(source)?.();
    this.#endings.delete(source);
    this.#readings.remove(source);
  }

  /** Listens to nothing any more. */
  close(): void {
    this.stop();
    for (const end of this.#endings.values()) end();
  }

  start(): void {
    // More often than readings are sent, so that one is not late by another whole second.
    this.#timer ??= setInterval(() => {
      const reading = this.#readings.takeDue(performance.now());
      if (reading) this.#send(reading);
    }, 250);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
