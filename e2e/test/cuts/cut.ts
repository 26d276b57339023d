/** Where one connection is cut. */
export interface Cut {
  /**
   * Of the client's request, of the answer to it, of the first turn that is sent then, of a message of the service; or
   * before anything.
   */
  readonly at: 'accept' | 'request' | 'handshake' | 'turn' | 'message';
  /** Only messages of this type count; all of them where there is none. */
  readonly type: string | undefined;
  /** Which one of them, from 1. */
  readonly nth: number;
  /** Which message it is that is cut when those did not come. */
  readonly latest: number;
  /** How much of that still passes, 0 to 1. */
  readonly share: number;
  /** How long nothing more passes before the client loses its connection, ms. */
  readonly silentMs: number;
  /** How long the service goes on writing to nobody, ms. */
  readonly lingerMs: number;
  /** The connection is reset; else it ends. */
  readonly resets: boolean;
}

const messageTypes = ['step', 'step', 'step', 'run', 'waiting', 'waiting', 'result', 'delta', undefined];
const places = ['accept', 'request', 'handshake', 'turn', 'turn', ...Array(10).fill('message')];

/** Draws where a connection is cut. @param random below 1 */
export function drawCut(random: () => number): Cut {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const at = pick(places) as Cut['at'];
  return {
    at,
    type: at === 'message' ? pick(messageTypes) : undefined,
    nth: 1 + Math.floor(random() * 4),
    latest: 3 + Math.floor(random() * 20),
    share: pick([0, random(), 1]),
    silentMs: pick([0, 0, random() * 60]),
    lingerMs: pick([0, 0, random() * 300]),
    resets: random() < 0.5,
  };
}

/** Names what was cut, to be counted. */
export function nameOf({ at, type, share }: Cut): string {
  const where = share === 0 ? 'before' : share === 1 ? 'behind' : 'inside';
  return at === 'accept' ? at : `${where} ${type ?? at}`;
}
