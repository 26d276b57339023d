import { decodeMessages, type FixedClock, type MemoryPeer, memoryPeer } from '@waymark/contract/testing';

/** How a line behaves. It may be changed at any time, for what is sent from then on. */
export interface LineForm {
  /** Bytes per millisecond. */
  rate: number;
  roundTripMs: number;
  /** Nothing arrives and nothing is answered while true. */
  stopped: boolean;
}

/** A frame as it arrived. */
export interface Arrival {
  readonly seq: number;
  readonly ageMs: number;
}

/** A reader at the far end of a line. */
export interface SimulatedLine {
  readonly peer: MemoryPeer;
  readonly form: LineForm;
  readonly arrivals: readonly Arrival[];
  /** The reader goes on after `stopped`. */
  go(): void;
}

/**
 * Makes a slow or long line. It takes everything at once, as the buffers of two kernels do: only receipts show how much
 * of it has arrived.
 */
export function simulatedLine(clock: FixedClock, given: Partial<LineForm>): SimulatedLine {
  const peer = memoryPeer();
  const form = { rate: Number.POSITIVE_INFINITY, roundTripMs: 0, stopped: false, ...given };
  const arrivals: Arrival[] = [];
  const held: (() => void)[] = [];
  let freeAtMs = 0;

  const travel = (bytes: number, arrive: () => void): void => {
    freeAtMs = Math.max(clock.now(), freeAtMs) + bytes / form.rate;
    clock.after(freeAtMs - clock.now() + form.roundTripMs / 2, () => {
      if (form.stopped) held.push(arrive);
      else arrive();
    });
  };
  peer.sendEncoded = ({ bytes: all, ping }) => {
    const bytes = ping ? all.subarray(0, -2 - ping.length) : all;
    const { type, seq, at_ms: sentMs } = JSON.parse(String(decodeMessages(bytes)[0]));
    travel(bytes.length, () => {
      if (type === 'frame') arrivals.push({ seq, ageMs: clock.now() - sentMs });
    });
    if (ping) peer.ping(ping);
  };
  peer.ping = (payload) => travel(8, () => void clock.after(form.roundTripMs / 2, () => peer.pong(payload)));
  return {
    peer,
    form,
    arrivals,
    go() {
      form.stopped = false;
      for (const arrive of held.splice(0)) arrive();
    },
  };
}
