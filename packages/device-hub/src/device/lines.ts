import type { Cancel, Host, Peer } from '@waymark/contract/engine';

/** Between two looks at all lines. */
const everyMs = 1_000;

/** Looks that find nothing. The first of them comes within `everyMs` of what was heard last: it is over in 5 s. */
const maxSilent = 4;

interface Line {
  /** Does not listen: what is not read cannot be heard. */
  readonly isDeaf: () => boolean;
  heard: number;
  /** Looks in a row. Not a time: after a pause of the process there may be much that it has not read yet. */
  silent: number;
}

/**
 * Ends the sockets whose line has broken without a word. TCP would deliver what was sent before the break whenever the
 * line is back, minutes later; of a socket that was ended nothing is taken any more.
 */
export class Lines {
  readonly #after: Host['after'];
  readonly #lines = new Map<Peer, Line>();
  #timer: Cancel | undefined;

  constructor(after: Host['after']) {
    this.#after = after;
  }

  /** Pings a peer, and terminates it when nothing has come of it for 5 s, until this is cancelled. */
  watch(peer: Peer, isDeaf: () => boolean): Cancel {
    this.#lines.set(peer, { isDeaf, heard: peer.heard, silent: 0 });
    this.#timer ??= this.#after(everyMs, () => this.#look());
    return () => {
      this.#lines.delete(peer);
      if (this.#lines.size === 0) this.stop();
    };
  }

  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #look(): void {
    this.#timer = this.#after(everyMs, () => this.#look());
    for (const [peer, line] of this.#lines) {
      const { heard } = peer;
      line.silent = heard === line.heard && !line.isDeaf() ? line.silent + 1 : 0;
      line.heard = heard;
      if (line.silent < maxSilent) peer.ping(nothing);
      else peer.terminate();
    }
  }
}

const nothing = new Uint8Array();
