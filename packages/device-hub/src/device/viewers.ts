import { HTTPError } from '@waymark/contract';
import { type Cancel, withoutStack } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';

/** How many may watch at a time. */
export interface ViewerLimits {
  readonly perDevice: number;
  readonly perPrincipal: number;
}

/** What a count of viewers works with. */
export interface ViewersParts extends ViewerLimits {
  /** Told when somebody came to a device, or left it. */
  changed?(device: string): void;
}

/** Who watches: a principal, or as long as it is anonymous the address it comes from. */
export function viewerKey({ authenticated, id }: Principal, clientAddress: string | undefined): string {
  return authenticated ? `principal ${id}` : `address ${clientAddress ?? ''}`;
}

/** Counts the open streams of a hub, by device and by viewer. Only those that have some are remembered. */
export class Viewers {
  readonly #limits: ViewersParts;
  readonly #perDevice = new Map<string, number>();
  readonly #perKey = new Map<string, number>();

  constructor(limits: ViewersParts) {
    this.#limits = limits;
  }

  of(device: string): number {
    return this.#perDevice.get(device) ?? 0;
  }

  /** Why nobody more may come; undefined while there is room. */
  refusal(device: string, key: string): HTTPError | undefined {
    if (this.of(device) >= this.#limits.perDevice)
      return tooMany(`device "${device}" has all the viewers it may have`);
    if ((this.#perKey.get(key) ?? 0) >= this.#limits.perPrincipal)
      return tooMany('this caller has all the streams open that it may have');
    return undefined;
  }

  /** Counts one more, until it is cancelled. */
  enter(device: string, key: string): Cancel {
    add(this.#perDevice, device, 1);
    add(this.#perKey, key, 1);
    this.#limits.changed?.(device);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      add(this.#perDevice, device, -1);
      add(this.#perKey, key, -1);
      this.#limits.changed?.(device);
    };
  }
}

function add(counts: Map<string, number>, key: string, more: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + more;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function tooMany(detail: string): HTTPError {
  return withoutStack(() => new HTTPError(429, detail, { headers: { 'retry-after': '5' } }));
}
