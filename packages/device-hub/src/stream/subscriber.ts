import type { Cancel, EncodedMessages, Peer } from '@waymark/contract/engine';
import { giveBackMessage } from '@waymark/contract/http';
import { DeliveryWindow } from './delivery-window.ts';
import { InFlight } from './in-flight.ts';
import type { Outgoing } from './outgoing.ts';
import { fromReceipt, toReceipt } from './receipt.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { SubscriberFacts } from './subscriber-facts.ts';

/** Our close code for a subscriber that cannot keep up; the reason says in which way. */
const tooSlow = 4008;
/** Bytes per millisecond: a line that moves 400 kbit/s is given the time its messages take. */
const slowestLine = 50;

/** What a subscriber asked for, and where it stands. */
export interface SubscriberOptions {
  readonly meta: boolean;
  /** The most frames it wants per second. */
  readonly fps: number | undefined;
  readonly limits: StreamLimits;
  /** As `Host.monotonic`. */
  monotonic(): number;
  /** Gives a number that no receipt had yet, above all others. */
  nextReceipt(): number;
  /** Told once, when the subscriber is gone or was given up. */
  onGone(subscriber: Subscriber): void;
}

/**
 * One reader of a stream: holds at most one frame and one reading back for it, the newest, and counts those they
 * replaced. A ping behind the messages is the receipt: clients answer it by themselves once they have read so far.
 */
export class Subscriber {
  readonly meta: boolean;
  readonly #peer: Peer;
  readonly #limits: StreamLimits;
  readonly #monotonic: () => number;
  readonly #nextReceipt: () => number;
  readonly #onGone: (subscriber: Subscriber) => void;
  readonly #cancels: readonly Cancel[];
  readonly #frameEveryMs: number;
  #frameDueAtMs = 0;

  readonly #flight = new InFlight();
  readonly #window: DeliveryWindow;
  #receipts: SubscriberFacts['receipts'] = 'awaited';
  #askedAtMs = Number.NEGATIVE_INFINITY;

  readonly #control: EncodedMessages[] = [];
  #reading: EncodedMessages | undefined;
  #frame: Outgoing | undefined;
  /** Not told yet. There is a frame or a reading waiting whenever this is above 0. */
  #skipped = 0;
  #told = 0;
  /** Number of the last frame that was published to it; not a number before the first. */
  #seq = Number.NaN;
  #live = false;
  #delivered = 0;
  /** Time by the ticks since something was last known to move. */
  #silentMs = 0;
  #unansweredMs = 0;

  constructor(peer: Peer, { meta, fps, limits, monotonic, nextReceipt, onGone }: SubscriberOptions) {
    this.meta = meta;
    this.#peer = peer;
    this.#limits = limits;
    this.#monotonic = monotonic;
    this.#nextReceipt = nextReceipt;
    this.#onGone = onGone;
    this.#frameEveryMs = fps === undefined ? 0 : 1000 / fps;
    this.#window = new DeliveryWindow(limits);
    this.#cancels = [
      // Nothing is expected from a reader, but what nobody takes would stop the socket from reading, receipts included.
      peer.onMessage(giveBackMessage),
      peer.onPong((payload) => this.#confirm(payload)),
      peer.onDrain(() => this.#onDrain()),
      peer.onClose(() => this.#leave()),
    ];
  }

  /** What is published next has a number above this one. */
  begin(seq: number | undefined): void {
    this.#seq = seq ?? Number.NaN;
  }

  /**
   * Says whether a live frame is one that the subscriber has not had. Numbers left out were lost between processes, and
   * count as skipped; lower ones are those of a backend that counts anew.
   */
  isNext(seq: number): boolean {
    // Published before it came in, and on the way for longer than the answer it began with.
    if (!this.#live && seq <= this.#seq) return false;
    if (seq > this.#seq + 1) this.#skipped += seq - this.#seq - 1;
    this.#live = true;
    this.#seq = seq;
    return true;
  }

  /** The newest frame, in the form this subscriber reads. One that still waits is skipped. */
  offerFrame(frame: Outgoing, nowMs: number): void {
    if (this.#frame) this.#skipped++;
    this.#frame = frame;
    this.#pump(nowMs);
  }

  /** The newest reading. One that still waits is skipped. */
  offerReading(reading: EncodedMessages, nowMs: number): void {
    if (this.#reading) this.#skipped++;
    this.#reading = reading;
    this.#pump(nowMs);
  }

  /** Something that must not be skipped: it waits in order, or the subscriber is closed for being too slow. */
  tell(message: EncodedMessages): void {
    if (this.#control.length >= this.#limits.controlMessages) {
      this.close(tooSlow, 'slow');
      return;
    }
    this.#control.push(message);
    this.#pumpControl(this.#monotonic());
  }

  /** Looks after what no event would: receipts never asked for, frames that became due, readers that stopped reading. */
  tick(elapsedMs: number, nowMs: number): void {
    if (this.#flight.uncovered) this.#ask(nowMs);
    this.#countSilence(elapsedMs);
    if (this.#silentMs > this.#limits.stallMs + this.#travelMs) this.close(tooSlow, 'stalled');
    else this.#pump(nowMs);
  }

  facts(nowMs: number): SubscriberFacts {
    const { bytes, sentAtMs } = this.#flight;
    const known = this.#receipts !== 'absent';
    return {
      meta: this.meta,
      delivered: this.#delivered,
      skipped: this.#told + this.#skipped,
      inFlightBytes: known ? bytes : this.#peer.bufferedAmount,
      ageMs: known && sentAtMs !== undefined ? Math.max(0, nowMs - sentAtMs) : 0,
      rttMs: this.#window.roundTripMs,
      receipts: this.#receipts,
    };
  }

  close(code: number, reason: string): void {
    this.#leave();
    this.#peer.close(code, reason);
  }

  #leave(): void {
    for (const cancel of this.#cancels) cancel();
    this.#frame = undefined;
    this.#reading = undefined;
    this.#control.length = 0;
    this.#onGone(this);
  }

  /**
   * Readings go first: on a slow line frames would leave them no room. Slots are emptied before they are sent, since a
   * receipt may come within the call.
   */
  #pump(nowMs: number): void {
    this.#pumpControl(nowMs);
    const reading = this.#reading;
    if (reading && this.#admits(reading, nowMs)) {
      this.#reading = undefined;
      this.#send(reading, 'event', nowMs);
    }
    const frame = this.#frame;
    if (frame && this.#isFrameDue(nowMs) && this.#admits(frame, nowMs)) {
      this.#frame = undefined;
      this.#planNextFrame(nowMs);
      this.#send(frame, 'frame', nowMs);
    }
  }

  #pumpControl(nowMs: number): void {
    while (this.#control.length > 0 && this.#peer.bufferedAmount === 0) {
      const message = this.#control.shift();
      if (!message) break;
      this.#peer.sendEncoded(message);
      if (this.#receipts !== 'awaited') continue;
      // A client that answers for its greeting is known to answer: one that stalls then is not taken for one that never does.
      this.#count(message, 'event', nowMs);
      this.#ask(nowMs);
    }
  }

  #admits({ bytes }: EncodedMessages, nowMs: number): boolean {
    if (this.#peer.bufferedAmount > 0) {
      this.#window.press();
      return false;
    }
    if (this.#receipts === 'absent') return true;
    if (this.#window.admits(bytes.length, this.#flight, nowMs)) return true;
    // Held back by messages that may have arrived long ago: ask.
    if (this.#flight.uncovered) this.#ask(nowMs);
    return false;
  }

  /** A clock that was set back must not hold frames until it is there again. */
  #isFrameDue(nowMs: number): boolean {
    const waitMs = this.#frameDueAtMs - nowMs;
    return waitMs <= 0 || waitMs > this.#frameEveryMs;
  }

  /** Frames that come a little late do not lower the rate; a pause earns no burst. */
  #planNextFrame(nowMs: number): void {
    const lateMs = nowMs - this.#frameDueAtMs;
    const inTime = lateMs >= 0 && lateMs < this.#frameEveryMs;
    this.#frameDueAtMs = (inTime ? this.#frameDueAtMs : nowMs) + this.#frameEveryMs;
  }

  #send(message: Outgoing, kind: 'frame' | 'event', nowMs: number): void {
    if (this.#skipped > 0) this.#tellSkipped();
    this.#delivered++;
    if (this.#receipts === 'absent') {
      this.#peer.sendEncoded(message);
      return;
    }
    // In front of the message, which would take its own time.
    if (this.#flight.bytes === 0 && this.#window.wantsRoundTrip(nowMs)) this.#ping(nowMs);
    this.#count(message, kind, nowMs);
    const asks = this.#window.wantsReceipt(this.#flight, nowMs - this.#askedAtMs);
    const { asking, receipt } = message;
    if (asks && asking && receipt !== undefined && this.#flight.allows(receipt)) {
      this.#flight.ask(receipt, nowMs);
      this.#askedAtMs = nowMs;
      this.#peer.sendEncoded(asking);
      return;
    }
    this.#peer.sendEncoded(message);
    if (asks) this.#ask(nowMs);
  }

  #count({ bytes }: EncodedMessages, kind: 'frame' | 'event', nowMs: number): void {
    this.#window.sent(bytes.length, kind);
    this.#flight.sent(bytes.length, nowMs);
  }

  #tellSkipped(): void {
    this.#peer.send(JSON.stringify({ type: 'lagged', skipped: this.#skipped }));
    this.#told += this.#skipped;
    this.#skipped = 0;
  }

  #ask(nowMs: number): void {
    if (!this.#flight.uncovered) return;
    this.#askedAtMs = nowMs;
    this.#ping(nowMs);
  }

  #ping(nowMs: number): void {
    const receipt = this.#nextReceipt();
    if (!this.#flight.allows(receipt)) return;
    this.#flight.ask(receipt, nowMs);
    this.#peer.ping(toReceipt(receipt));
  }

  #confirm(payload: Uint8Array): void {
    const receipt = fromReceipt(payload);
    if (receipt === undefined) return;
    const nowMs = this.#monotonic();
    const delivery = this.#flight.confirm(receipt, nowMs);
    if (!delivery) return;
    this.#receipts = 'working';
    this.#silentMs = 0;
    this.#window.observe(delivery, nowMs);
    this.#pump(nowMs);
  }

  #onDrain(): void {
    this.#silentMs = 0;
    this.#pump(this.#monotonic());
  }

  #countSilence(elapsedMs: number): void {
    const buffered = this.#peer.bufferedAmount > 0;
    const waits = buffered || (this.#flight.bytes > 0 && this.#receipts !== 'absent');
    this.#silentMs = waits ? this.#silentMs + elapsedMs : 0;
    if (this.#receipts !== 'awaited' || this.#flight.bytes === 0) return;
    this.#unansweredMs += elapsedMs;
    if (!buffered && this.#unansweredMs > this.#limits.firstReceiptMs + this.#travelMs)
      this.#receipts = 'absent';
  }

  /** What the messages before the next receipt take on the slowest line that is waited for. */
  get #travelMs(): number {
    return this.#flight.nextBytes / slowestLine;
  }
}
