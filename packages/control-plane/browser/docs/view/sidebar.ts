import type { Api, Operation } from '../model/api.ts';
import { searchGroups } from '../model/search.ts';
import { el, setChildren, setText } from './dom.ts';
import { methodBadge } from './method-badge.ts';
import { operationHref } from './operation-href.ts';

/** Up to so many operations, all groups are open. */
const mostOpen = 40;

/** All operations in their groups, and a search among them. */
export class Sidebar {
  readonly element: HTMLElement;
  readonly #api: Api;
  readonly #search: HTMLInputElement;
  readonly #count = el('p', { class: 'unseen', role: 'status' });
  readonly #list = el('div', { class: 'groups' });
  #current: Operation | undefined;

  constructor(api: Api) {
    this.#api = api;
    this.#search = el('input', {
      ...{ type: 'search', id: 'search', placeholder: 'Search  /', autocomplete: 'off', spellcheck: 'false' },
      'aria-label': 'Search operations',
      on: { input: () => this.#show() },
    });
    this.element = el(
      'nav',
      { class: 'sidebar', 'aria-label': 'Operations' },
      el('div', { class: 'search' }, this.#search),
      this.#count,
      this.#list,
    );
    this.#search.addEventListener('keydown', (event) => this.#onKey(event));
    this.#show();
  }

  /** Goes to the search from anywhere. */
  focusSearch(): void {
    this.#search.focus();
    this.#search.select();
  }

  /** Marks the operation that is shown. */
  mark(operation: Operation | undefined): void {
    this.#current = operation;
    for (const link of this.#list.querySelectorAll('a')) this.#markLink(link);
    const current = this.#list.querySelector('[aria-current]');
    current?.closest('details')?.setAttribute('open', '');
    current?.scrollIntoView({ block: 'nearest' });
  }

  #show(): void {
    const search = this.#search.value.trim();
    const groups = searchGroups(this.#api.groups, search);
    const open = search !== '' || this.#api.operations.size <= mostOpen;
    setChildren(
      this.#list,
      ...groups.map(({ name, operations }) => {
        const holds = operations.some(({ id }) => id === this.#current?.id);
        return el(
          'details',
          { open: open || holds },
          el('summary', {}, name, ' ', el('span', { class: 'count' }, `${operations.length}`)),
          el('ul', {}, ...operations.map((one) => el('li', {}, this.#link(one)))),
        );
      }),
      ...(groups.length === 0 ? [el('p', { class: 'soft' }, 'Nothing has all of these words.')] : []),
    );
    const found = groups.reduce((sum, { operations }) => sum + operations.length, 0);
    setText(this.#count, search === '' ? '' : `${found} found`);
  }

  #link(operation: Operation): HTMLAnchorElement {
    const link = el(
      'a',
      { href: operationHref(operation), title: operation.summary },
      methodBadge(operation.method),
      el('span', { class: operation.deprecated ? 'path gone' : 'path' }, operation.path),
    );
    this.#markLink(link);
    return link;
  }

  #markLink(link: HTMLAnchorElement): void {
    const current = this.#current !== undefined && link.getAttribute('href') === operationHref(this.#current);
    if (current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }

  /** Enter opens the first one, the arrow down goes there, Escape empties the search. */
  #onKey(event: KeyboardEvent): void {
    const first = this.#list.querySelector('a');
    if (event.key === 'Enter' && this.#search.value.trim() !== '') first?.click();
    else if (event.key === 'ArrowDown') {
      event.preventDefault();
      (
        this.#list.querySelector<HTMLElement>('details[open] a') ?? this.#list.querySelector('summary')
      )?.focus();
    } else if (event.key === 'Escape') {
      this.#search.value = '';
      this.#show();
    }
  }
}
