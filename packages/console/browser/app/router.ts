import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Place, parsePlace, toFragment } from './place.ts';

/** Follows the fragment of the address: every place has one, so each can be sent to somebody. */
export class Router {
  readonly #place: Signal<Place>;

  constructor() {
    this.#place = signal(parsePlace(location.hash));
    addEventListener('hashchange', () => {
      this.#place.value = parsePlace(location.hash);
    });
  }

  get place(): ReadonlySignal<Place> {
    return this.#place;
  }

  go(fragment: string): void {
    location.hash = fragment;
    // Before the browser tells of it: the next key is for the place that was asked for.
    this.#place.value = parsePlace(location.hash);
  }

  /** Another query of the same place, without a step to go back to. */
  filter(query: Readonly<Record<string, string | undefined>>): void {
    const { page, rest, query: before } = this.#place.value;
    history.replaceState(history.state, '', toFragment(page, rest, { ...before, ...query }));
    this.#place.value = parsePlace(location.hash);
  }
}
