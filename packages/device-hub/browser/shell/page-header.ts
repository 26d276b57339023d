import type { Announcer } from './announcer.ts';
import { el, setShown, setText } from './dom.ts';
import type { PageState } from './page-state.ts';

/** Where a page leads besides. */
export interface PageLink {
  readonly href: string;
  readonly text: string;
}

/** The head of a page: which device, how it is, and the way to the other page. */
export class PageHeader {
  readonly element: HTMLElement;
  readonly #announcer: Announcer;
  readonly #badge = el('span', { class: 'badge' });
  readonly #description = el('p', { class: 'description', hidden: true });
  readonly #link: HTMLAnchorElement;
  #state: PageState | undefined;

  constructor(name: string, { href, text }: PageLink, announcer: Announcer) {
    this.#announcer = announcer;
    this.#link = el('a', { href, hidden: true }, text);
    this.element = el(
      'header',
      { class: 'top' },
      el('div', { class: 'who' }, el('h1', {}, name), this.#badge),
      this.#description,
      el('nav', { 'aria-label': 'Pages of this device' }, this.#link),
    );
  }

  get state(): PageState | undefined {
    return this.#state;
  }

  /** Shows a state, and reads it out when it is another one. @param text a word or two */
  show(state: PageState, text: string): void {
    setText(this.#badge, text);
    if (state === this.#state) return;
    this.#state = state;
    this.#badge.dataset['state'] = state;
    this.#announcer.say(text);
  }

  describe(text: string | null): void {
    setText(this.#description, (text ?? '').slice(0, 500));
    setShown(this.#description, text !== null && text !== '');
  }

  /** Shows the way to the other page, where the device has one. */
  offerLink(offered: boolean): void {
    setShown(this.#link, offered);
  }
}
