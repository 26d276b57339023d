import type { HTTPError, Route } from '@waymark/contract';
import { Budget, type BudgetSize, type Hold } from '@waymark/contract/engine';
import { wantsEvents } from '@waymark/contract/http';
import { answersOf, essenceOf, mediaTypeOf } from '@waymark/contract/route';
import { endlessTypes } from '../response/endless.ts';
import { noPlace } from './door-limits.ts';

/** Somebody who may be given a place. */
export interface Guest {
  readonly callerKey: string;
  /** As sent. */
  readonly accept: string | undefined;
  place: Hold | undefined;
}

/** How a route comes to answer with a stream without an end: never, to who asks for one, or whoever asks. */
type Streams = 'never' | 'progress' | 'asked' | 'always';

/**
 * The places of a door: each open WebSocket has one, and so has each answer that has no end of its own. A file or a download
 * needs none: it ends when it has been read, and who does not read it is cut.
 *
 * The place is taken before the route works, as its declaration says, and not when the stream begins: by then a run is
 * started or a tool called, and a refusal would leave its caller without the answer. So a call that may become a stream
 * counts from its beginning on.
 */
export class Places {
  readonly #budget: Budget;
  readonly #streams = new WeakMap<Route, Streams>();

  constructor(size: BudgetSize) {
    this.#budget = new Budget(size);
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#budget.held;
  }

  /** Gives a place to a request whose route may answer it with a stream without an end. @returns the refusal */
  admit(guest: Guest, route: Route): HTTPError | undefined {
    return this.#mayStream(guest, route) ? this.seat(guest) : undefined;
  }

  /** Gives a place to who has none yet. @returns the refusal */
  seat(guest: Guest): HTTPError | undefined {
    if (guest.place) return undefined;
    const place = this.#budget.take(guest.callerKey, 1);
    if (typeof place === 'string') return noPlace(place);
    guest.place = place;
    return undefined;
  }

  #mayStream({ accept }: Guest, route: Route): boolean {
    let streams = this.#streams.get(route);
    if (streams === undefined) {
      streams = streamsOf(route);
      this.#streams.set(route, streams);
    }
    if (streams === 'never' || streams === 'always') return streams === 'always';
    return streams === 'progress' ? wantsEvents(accept) : namesEndless(accept);
  }
}

function streamsOf(route: Route): Streams {
  if (route.progress) return 'progress';
  const answers = Object.entries(answersOf(route))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, schemas]) => schemas);
  const some = answers.filter((schema) => endlessTypes.includes(essenceOf(mediaTypeOf(schema) ?? '')));
  if (some.length === 0) return 'never';
  return some.length === answers.length ? 'always' : 'asked';
}

/** A wildcard asks for nothing: whoever takes anything expects one answer. */
function namesEndless(accept = ''): boolean {
  const named = accept.toLowerCase();
  return endlessTypes.some((type) => named.includes(type));
}
