import { type FeedEvent, type FeedType, typeOf } from './feed-event.ts';

/** The most that a ring holds. */
export interface RingSize {
  readonly events: number;
  /** Characters of JSON of all of them. */
  readonly length: number;
}

/** Where somebody is in a ring, and how many of each kind went by until there. */
export interface RingPlace {
  next: number;
  readonly passed: Map<string, number>;
}

/**
 * The newest events, for all who read them at their own pace: a reader is a place, and nothing is kept for it. How many of each
 * kind there ever were is counted, so that a reader who was too slow can be told exactly what it missed.
 */
export class EventRing {
  readonly #size: RingSize;
  readonly #events: FeedEvent[] = [];
  readonly #counts = new Map<string, number>();
  /** The number of the oldest event that is held. */
  #first = 0;
  #length = 0;

  constructor(size: RingSize) {
    this.#size = size;
  }

  /** Behind the newest event. */
  get end(): RingPlace {
    return { next: this.#first + this.#events.length, passed: new Map(this.#counts) };
  }

  /** Whether a place is at the end. */
  isRead({ next }: RingPlace): boolean {
    return next === this.#first + this.#events.length;
  }

  put(event: FeedEvent): void {
    this.#count(keyOf(event), 1);
    this.#events.push(event);
    this.#length += event.length;
    while (this.#events.length > this.#size.events || this.#length > this.#size.length) this.#drop();
  }

  /** Counts events of the audit log that come after all that is held, and are not told: there are too many. */
  skip(kinds: ReadonlyMap<string, number>): void {
    while (this.#events.length > 0) this.#drop();
    // A place before them is no longer held.
    this.#first++;
    for (const [kind, count] of kinds) this.#count(keyOf({ type: typeOf(kind), kind }), count);
  }

  /** Takes the next event of a place, and moves it on. @returns undefined: it is at the end, or behind */
  take(place: RingPlace): FeedEvent | undefined {
    const event = this.#events[place.next - this.#first];
    if (!event) return undefined;
    place.next++;
    const key = keyOf(event);
    place.passed.set(key, (place.passed.get(key) ?? 0) + 1);
    return event;
  }

  /** Moves a place that is behind to the oldest event. @returns how many it missed of each type and kind; undefined: it is not */
  catchUp(place: RingPlace): readonly MissedEvents[] | undefined {
    if (place.next >= this.#first) return undefined;
    const held = new Map<string, number>();
    for (const event of this.#events) held.set(keyOf(event), (held.get(keyOf(event)) ?? 0) + 1);
    const missed: MissedEvents[] = [];
    for (const [key, all] of this.#counts) {
      const before = all - (held.get(key) ?? 0);
      const count = before - (place.passed.get(key) ?? 0);
      if (count > 0) missed.push({ ...ofKey(key), count });
      place.passed.set(key, before);
    }
    place.next = this.#first;
    return missed;
  }

  #drop(): void {
    const oldest = this.#events.shift();
    if (!oldest) return;
    this.#first++;
    this.#length -= oldest.length;
  }

  #count(key: string, count: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }
}

/** Events of one kind that somebody missed. */
export interface MissedEvents {
  readonly type: FeedType;
  readonly kind: string;
  readonly count: number;
}

/** The same of events that were counted in the audit log. */
export function toMissed(kinds: ReadonlyMap<string, number>): readonly MissedEvents[] {
  return [...kinds].map(([kind, count]) => ({ type: typeOf(kind), kind, count }));
}

/** Steps and events of the audit log have some words in common. */
function keyOf({ type, kind }: Pick<FeedEvent, 'type' | 'kind'>): string {
  return type === 'step' ? `.${kind}` : kind;
}

function ofKey(key: string): Pick<MissedEvents, 'type' | 'kind'> {
  return key.startsWith('.') ? { type: 'step', kind: key.slice(1) } : { type: typeOf(key), kind: key };
}
