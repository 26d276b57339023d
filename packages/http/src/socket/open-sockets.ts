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

/** The WebSockets that are open: kept alive, and ended at shutdown, which no method of `node:http` does. */
export class OpenSockets {
  readonly #pingIntervalMs: number;
  readonly #peers = new Set<LivePeer>();
  readonly #waiting: (() => void)[] = [];
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(pingIntervalMs = 30_000) {
    this.#pingIntervalMs = pingIntervalMs;
  }

  get size(): number {
    return this.#peers.size;
  }

  /** Takes in a peer until it closes. @param expiresAtMs when the credential of its caller ends */
  add(peer: LivePeer, expiresAtMs: number | undefined): void {
    this.#peers.add(peer);
    this.#heartbeat ??= setInterval(() => this.#beat(), this.#pingIntervalMs).unref();
    const end = (): void => peer.shut(credentialEnded, 'the credential has expired');
    const cancel = expiresAtMs === undefined ? undefined : callAt(expiresAtMs, end);
    peer.onClose(() => {
      cancel?.();
      this.#remove(peer);
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

  #remove(peer: LivePeer): void {
    this.#peers.delete(peer);
    if (this.#peers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
