import type { Cancel } from '@waymark/contract/engine';

/** How many bytes may be on their way. */
export interface UnderWayLimits {
  /** Of one device. */
  readonly perDevice: number;
  readonly total: number;
}

/** Counts what is on its way to Redis, so that a slow one costs no more memory than this. One of a device may always go, unless all together are too many. */
export class UnderWay {
  readonly #limits: UnderWayLimits;
  readonly #devices = new Map<string, number>();
  #total = 0;

  constructor(limits: UnderWayLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#total;
  }

  /** Counts so many, until it is cancelled; undefined where that would be too many. */
  enter(device: string, bytes: number): Cancel | undefined {
    const own = this.#devices.get(device) ?? 0;
    if (own > 0 && own + bytes > this.#limits.perDevice) return undefined;
    if (this.#total > 0 && this.#total + bytes > this.#limits.total) return undefined;
    this.#add(device, bytes);
    return () => this.#add(device, -bytes);
  }

  #add(device: string, bytes: number): void {
    const own = (this.#devices.get(device) ?? 0) + bytes;
    this.#total += bytes;
    if (own > 0) this.#devices.set(device, own);
    else this.#devices.delete(device);
  }
}
