import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Cancel } from '@waymark/contract/engine';

/** How long a connection stays after its last answer, so that the answer is read before it is cut. */
export const lingerMs = 1000;
/** Connections of one address that stay; the one that has stayed for longest is cut for the next one. */
export const maxLingeringPerAddress = 64;
/** The same of all addresses: one of the address that has most is cut for the next one. */
export const maxLingering = 512;

/**
 * Connections that stay after their last answer. Each takes 25 KB, in small pieces that lie among others: 2,500 refused bodies in
 * two seconds made the process 160 MB larger, of which it kept 52 for good. Of all addresses the one that has most gives way.
 */
export class Lingering {
  /** What cuts those of an address, whoever has stayed for longest first. */
  readonly #cuts = new Map<string, Set<() => void>>();
  #count = 0;

  /**
   * Lets a connection stay for a second, and no longer than there is room.
   *
   * @param cut cuts it; called once
   * @returns forgets it
   */
  add(socket: Duplex, cut: () => void): Cancel {
    const { remoteAddress: address = '' } = socket as Partial<Pick<Socket, 'remoteAddress'>>;
    const own = this.#cuts.get(address);
    if (own && own.size >= maxLingeringPerAddress) this.#cutFirst(own);
    else if (this.#count >= maxLingering) this.#cutFirst(this.#largest());
    const leave = (): void => {
      clearTimeout(timer);
      const staying = this.#cuts.get(address);
      if (!staying?.delete(end)) return;
      this.#count--;
      if (staying.size === 0) this.#cuts.delete(address);
    };
    const end = (): void => {
      leave();
      cut();
    };
    const timer = setTimeout(end, lingerMs);
    const staying = this.#cuts.get(address) ?? new Set();
    this.#cuts.set(address, staying.add(end));
    this.#count++;
    return leave;
  }

  #cutFirst(cuts: Iterable<() => void>): void {
    const [cut] = cuts;
    cut?.();
  }

  #largest(): Iterable<() => void> {
    let largest = new Set<() => void>();
    for (const own of this.#cuts.values()) if (own.size > largest.size) largest = own;
    return largest;
  }
}

/** Of this process. */
export const lingering = new Lingering();
