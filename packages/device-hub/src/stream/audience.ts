import { type Cancel, type EncodedMessages, encodeMessages, type Peer } from '@waymark/contract/engine';
import type { FrameRecord, HubRecord, StatusRecord, TelemetryRecord } from '@waymark/contract/hub';
import { EncodedFrame } from './encoded-frame.ts';
import type { Outgoing } from './outgoing.ts';
import { defaultStreamLimits, type StreamLimits } from './stream-limits.ts';
import { Subscriber } from './subscriber.ts';
import type { SubscriberFacts } from './subscriber-facts.ts';

/** How often subscribers are looked after, milliseconds. */
const tickMs = 1_000;

/** What an audience is given. */
export interface AudienceOptions {
  /** As `Host.monotonic`. */
  monotonic(): number;
  /** Runs a task once, later. */
  after(ms: number, task: () => void): Cancel;
  readonly limits?: Partial<StreamLimits>;
}

/** What one subscriber is sent. */
export interface Subscription {
  /** Frames as headers alone. */
  readonly meta: boolean;
  /**
   * The most frames per second, above 0; as many as there are without it. The frames left out are skipped like any
   * others, and told. The last one of a burst comes up to a second after it was due.
   */
  readonly fps?: number;
  /** Sent first, in this order: `hello`. */
  readonly opening: readonly object[];
  /** The newest frame and reading there are: sent next. */
  readonly newest?: FrameRecord;
  /** Number of the newest frame there is: the next one is one more, or some were lost on the way. */
  readonly after?: number;
  readonly telemetry?: TelemetryRecord;
}

/**
 * Everybody who watches one device. Each record is encoded once and shared by reference; a subscriber that falls
 * behind is next sent the newest, and told before it how many it missed: what it was sent and what it was told add up
 * to what was published while it was subscribed.
 */
export class Audience {
  readonly #monotonic: () => number;
  readonly #after: AudienceOptions['after'];
  readonly #limits: StreamLimits;
  readonly #subscribers = new Set<Subscriber>();
  /** Newest frame, with which a new subscriber begins. */
  #newest: EncodedFrame | undefined;
  #tick: Cancel | undefined;
  #receipts = 0;

  constructor({ monotonic, after, limits }: AudienceOptions) {
    this.#monotonic = monotonic;
    this.#after = after;
    this.#limits = { ...defaultStreamLimits, ...limits };
  }

  get size(): number {
    return this.#subscribers.size;
  }

  /** Takes in a peer until it closes. What the peer sends is ignored. */
  add(peer: Peer, { meta, fps, opening, newest, after, telemetry }: Subscription): void {
    const subscriber = new Subscriber(peer, {
      meta,
      fps,
      limits: this.#limits,
      monotonic: this.#monotonic,
      nextReceipt: this.#nextReceipt,
      onGone: (gone) => this.#remove(gone),
    });
    this.#subscribers.add(subscriber);
    this.#tick ??= this.#after(tickMs, this.#onTick);
    const nowMs = this.#monotonic();
    for (const message of opening) subscriber.tell(encode(message));
    if (newest) subscriber.offerFrame(toForm(this.#encode(newest), meta), nowMs);
    subscriber.begin(after);
    if (telemetry) subscriber.offerReading(encodeReading(telemetry), nowMs);
  }

  publish(record: Exclude<HubRecord, StatusRecord>): void {
    if (this.#subscribers.size === 0) return;
    if (record.kind === 'frame') this.#publishFrame(record);
    else if (record.kind === 'telemetry') this.#publishReading(record);
    else this.tell(record.insight);
  }

  /** Sends every subscriber a message that is never skipped. Who has too many of them waiting is closed: 4008 `slow`. */
  tell(event: object): void {
    if (this.#subscribers.size === 0) return;
    const message = encode(event);
    for (const subscriber of this.#subscribers) subscriber.tell(message);
  }

  facts(): readonly SubscriberFacts[] {
    const nowMs = this.#monotonic();
    return Array.from(this.#subscribers, (subscriber) => subscriber.facts(nowMs));
  }

  close(code: number, reason: string): void {
    for (const subscriber of this.#subscribers) subscriber.close(code, reason);
  }

  /** Of all subscribers, so that they may share one: each is asked for rising numbers. */
  readonly #nextReceipt = (): number => ++this.#receipts;

  #publishFrame(record: FrameRecord): void {
    const frame = this.#encode(record);
    const nowMs = this.#monotonic();
    for (const subscriber of this.#subscribers)
      if (subscriber.isNext(record.seq)) subscriber.offerFrame(toForm(frame, subscriber.meta), nowMs);
  }

  #encode(record: FrameRecord): EncodedFrame {
    if (this.#newest?.record !== record) this.#newest = new EncodedFrame(record, this.#nextReceipt());
    return this.#newest;
  }

  #publishReading(record: TelemetryRecord): void {
    const reading = encodeReading(record);
    const nowMs = this.#monotonic();
    for (const subscriber of this.#subscribers) subscriber.offerReading(reading, nowMs);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    this.#newest = undefined;
    this.#tick?.();
    this.#tick = undefined;
  }

  readonly #onTick = (): void => {
    this.#tick = this.#after(tickMs, this.#onTick);
    const nowMs = this.#monotonic();
    for (const subscriber of this.#subscribers) subscriber.tick(tickMs, nowMs);
  };
}

function toForm(frame: EncodedFrame, meta: boolean): Outgoing {
  return meta ? frame.meta : frame.full;
}

function encodeReading({ data }: TelemetryRecord): EncodedMessages {
  return encode({ type: 'telemetry', data });
}

function encode(message: object): EncodedMessages {
  return encodeMessages([JSON.stringify(message)]);
}
