import type { Peer } from '@waymark/contract/engine';
import { callAt } from './call-at.ts';

/** The code of a server that goes away (RFC 6455, 7.4.1). */
const goingAway = 1001;
/** Ours, for a socket that outlived its credential. */
const credentialEnded = 4401;

/** A peer that can be asked whether it is still there. */
export interface LivePeer extends Peer {
  /** Pings, or cuts a peer that did not answer the last pings. */
  beat(): void;
}

/** How long sockets may be silent, and how many one caller may have. */
export interface OpenSocketsOptions {
  readonly pingIntervalMs?: number | undefined;
  readonly maxPerCaller?: number | undefined;
}

/** Whose socket it is, and until when. */
export interface SocketOwner {
  readonly key: string;
  readonly expiresAtMs: number | undefined;
}

/** The WebSockets that are open: counted by caller, kept alive, and ended at shutdown, which no method of `node:http` does. */
export class OpenSockets {
  readonly #pingIntervalMs: number;
  readonly #maxPerCaller: number;
  readonly #peers = new Set<LivePeer>();
  /** Only of callers that have some. */
  readonly #perCaller = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #heartbeat: NodeJS.Timeout | undefined;

  constructor({ pingIntervalMs = 30_000, maxPerCaller = 100 }: OpenSocketsOptions = {}) {
    this.#pingIntervalMs = pingIntervalMs;
    this.#maxPerCaller = maxPerCaller;
  }

  get size(): number {
    return this.#peers.size;
  }

  /** How many callers have sockets open. */
  get callers(): number {
    return this.#perCaller.size;
  }

  /** Whether a caller may open one more. */
  hasRoom(key: string): boolean {
    return (this.#perCaller.get(key) ?? 0) < this.#maxPerCaller;
  }

  /** Takes in a peer until it closes. */
  add(peer: LivePeer, { key, expiresAtMs }: SocketOwner): void {
    this.#peers.add(peer);
    this.#perCaller.set(key, (this.#perCaller.get(key) ?? 0) + 1);
    this.#heartbeat ??= setInterval(() => this.#beat(), this.#pingIntervalMs).unref();
    const end = (): void => peer.close(credentialEnded, 'the credential has expired');
    const cancel = expiresAtMs === undefined ? undefined : callAt(expiresAtMs, end);
    peer.onClose(() => {
      cancel?.();
      this.#remove(peer, key);
    });
  }

  /** Begins the closing handshake with every peer. */
  close(): void {
    for (const peer of this.#peers) peer.close(goingAway, 'the server is shutting down');
  }

  /** Closes, and after `graceMs` cuts the peers that have not answered. Resolves when none is left. */
  async end(graceMs: number): Promise<void> {
    if (this.#peers.size === 0) return;
    const gone = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.close();
    const timer = setTimeout(() => {
      for (const peer of this.#peers) peer.terminate();
    }, graceMs);
    await gone;
    clearTimeout(timer);
  }

  #beat(): void {
    for (const peer of this.#peers) peer.beat();
  }

  #remove(peer: LivePeer, key: string): void {
    this.#peers.delete(peer);
    const left = (this.#perCaller.get(key) ?? 1) - 1;
    if (left > 0) this.#perCaller.set(key, left);
    else this.#perCaller.delete(key);
    if (this.#peers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
