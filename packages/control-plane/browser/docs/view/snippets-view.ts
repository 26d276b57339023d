import type { Draft } from '../call/draft.ts';
import type { Operation } from '../model/api.ts';
import { placeholderOf } from '../snippets/credential.ts';
import { toCurl } from '../snippets/to-curl.ts';
import { toMcp } from '../snippets/to-mcp.ts';
import { toTypeScript } from '../snippets/to-typescript.ts';
import { codeBlock, copyButton } from './code-block.ts';
import { el, setChildren } from './dom.ts';
import type { Surroundings } from './surroundings.ts';

const kinds = ['curl', 'TypeScript', 'MCP'] as const;
type Kind = (typeof kinds)[number];

/** The call of a form in other words, always as the form stands. */
export class SnippetsView {
  readonly element: HTMLElement;
  readonly #operation: Operation;
  readonly #around: Surroundings;
  readonly #tabs: ReadonlyMap<Kind, HTMLButtonElement>;
  readonly #panel = el('div', { role: 'tabpanel', id: 'snippet', class: 'snippet' });
  #kind: Kind = 'curl';
  #draft: Draft | undefined;
  #events = false;
  #text = '';

  constructor(operation: Operation, around: Surroundings) {
    this.#operation = operation;
    this.#around = around;
    this.#tabs = new Map(kinds.map((kind) => [kind, this.#tab(kind)]));
    const list = el(
      'div',
      { role: 'tablist', 'aria-label': 'The same call elsewhere', class: 'tabs' },
      ...this.#tabs.values(),
    );
    this.element = el(
      'section',
      { class: 'card snippets' },
      el(
        'div',
        { class: 'bar' },
        list,
        copyButton(() => this.#text),
      ),
      this.#panel,
    );
  }

  /** @param events whether the call asks for events */
  show(draft: Draft, events: boolean): void {
    this.#draft = draft;
    this.#events = events;
    this.#draw();
  }

  #draw(): void {
    for (const [kind, tab] of this.#tabs) {
      tab.setAttribute('aria-selected', `${kind === this.#kind}`);
      tab.tabIndex = kind === this.#kind ? 0 : -1;
    }
    this.#panel.setAttribute('aria-labelledby', this.#tabs.get(this.#kind)?.id ?? '');
    if (!this.#draft) return;
    const { text, note } = this.#snippet(this.#draft);
    this.#text = text ?? '';
    setChildren(
      this.#panel,
      ...(note === undefined ? [] : [el('p', { class: 'soft' }, ...note)]),
      ...(text === undefined ? [] : [codeBlock(text, `The call for ${this.#kind}`)]),
    );
  }

  #snippet(draft: Draft): { readonly text: string | undefined; readonly note?: readonly (Node | string)[] } {
    const operation = this.#operation;
    const { api, root, visitor } = this.#around;
    const scheme = placeholderOf(api, operation, visitor.key);
    if (this.#kind === 'curl')
      return { text: toCurl({ method: operation.method, root, draft, scheme, events: this.#events }) };
    if (this.#kind === 'TypeScript') {
      const text = toTypeScript({ operation, root, draft, scheme });
      const note =
        text === undefined
          ? 'The client has no method for it: it is for browsers, or for another protocol.'
          : undefined;
      return { text, ...(note !== undefined && { note: [note] }) };
    }
    const text = toMcp(operation, draft);
    if (text === undefined) return { text, note: ['It is no tool: MCP clients do not see it.'] };
    const to = ['Sent to ', el('code', {}, root + (api.mcp ?? '')), '.'];
    return {
      text,
      note: operation.facts.approval
        ? [
            'A human must approve this tool: an agent that calls it waits, and other MCP clients are refused. ',
            ...to,
          ]
        : to,
    };
  }

  #tab(kind: Kind): HTMLButtonElement {
    return el(
      'button',
      {
        ...{ type: 'button', role: 'tab', id: `tab-${kind}`, 'aria-controls': 'snippet' },
        on: {
          click: () => this.#choose(kind),
          keydown: (event) => this.#onKey(event as KeyboardEvent),
        },
      },
      kind,
    );
  }

  #choose(kind: Kind): void {
    this.#kind = kind;
    this.#draw();
  }

  #onKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = (kinds.indexOf(this.#kind) + step + kinds.length) % kinds.length;
    this.#choose(kinds[at] ?? 'curl');
    this.#tabs.get(this.#kind)?.focus();
  }
}
