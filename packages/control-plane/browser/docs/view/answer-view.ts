import type { StreamEvent } from '../call/event-reader.ts';
import type { Complaint } from '../call/problem.ts';
import type { Received } from '../call/send-call.ts';
import { isJson } from '../model/api.ts';
import { codeBlock, jsonBlock } from './code-block.ts';
import { addChildren, el, setChildren, unfolding } from './dom.ts';

/** Events that are shown at a time. */
const mostEvents = 200;

/** Headers that say the same of every answer. */
const usual =
  /^(?:x-content-type-options|x-frame-options|referrer-policy|cross-origin-.*|content-security-policy|permissions-policy|strict-transport-security|connection|keep-alive|date)$/;

/** What came back of a call, and what comes meanwhile. */
export class AnswerView {
  readonly element = el('section', { class: 'card answer-panel', hidden: true, 'aria-label': 'Answer' });
  readonly #line = el('p', { class: 'answer-line', role: 'status' });
  readonly #inside = el('div', { class: 'fields' });
  readonly #events = el('ol', {
    class: 'events',
    tabindex: 0,
    'aria-label': 'Events',
    role: 'log',
    hidden: true,
  });
  #count = 0;
  #picture: string | undefined;

  constructor() {
    addChildren(this.element, this.#line, this.#events, this.#inside);
  }

  /** Begins with a new call. */
  wait(): void {
    this.forget();
    this.element.hidden = false;
    this.element.setAttribute('aria-busy', 'true');
    setChildren(this.#line, el('span', { class: 'soft' }, 'Sent. Waiting for the answer …'));
    setChildren(this.#inside);
    setChildren(this.#events);
    this.#events.hidden = true;
    this.#count = 0;
  }

  addEvent({ name, data }: StreamEvent): void {
    this.#count++;
    this.#events.hidden = false;
    setChildren(
      this.#line,
      el('span', { class: 'soft' }, `${this.#count} ${this.#count === 1 ? 'event' : 'events'} so far …`),
    );
    addChildren(
      this.#events,
      el('li', {}, el('span', { class: 'event-name' }, name), jsonBlock(data, `Event ${this.#count}`)),
    );
    while (this.#events.childElementCount > mostEvents) this.#events.firstElementChild?.remove();
    this.#events.scrollTop = this.#events.scrollHeight;
  }

  /** Shows that there is no answer. */
  fail(text: string): void {
    this.element.removeAttribute('aria-busy');
    this.element.hidden = false;
    setChildren(this.#line, el('span', { class: 'wrong' }, text));
  }

  async show(received: Received, text: string | undefined, complaint: Complaint | undefined): Promise<void> {
    const { status, statusText, ms, size, cut, redirected } = received;
    this.element.removeAttribute('aria-busy');
    setChildren(
      this.#line,
      el(
        'span',
        { class: 'status', 'data-status': redirected ? '3' : `${status}`.slice(0, 1) },
        redirected ? 'redirect' : `${status}`,
      ),
      ` ${statusText || complaint?.title || ''} `,
      el(
        'span',
        { class: 'soft' },
        `${Math.round(ms)} ms, ${sizeWords(size)}${cut ? ', the rest was cut off' : ''}`,
      ),
    );
    const body = await this.#bodyOf(received, text);
    setChildren(
      this.#inside,
      ...(redirected
        ? [el('p', { class: 'soft' }, 'It leads elsewhere, which is not followed: the key would go along.')]
        : []),
      ...(complaint ? complaintParts(complaint) : []),
      ...body,
      headerList(received),
    );
  }

  /** Lets go of a picture. */
  forget(): void {
    if (this.#picture !== undefined) URL.revokeObjectURL(this.#picture);
    this.#picture = undefined;
  }

  async #bodyOf(
    { body, mediaType, size }: Received,
    text: string | undefined,
  ): Promise<readonly HTMLElement[]> {
    if (size === 0 || mediaType === 'text/event-stream') return [];
    if (text !== undefined) return [isJson(mediaType) ? jsonBlock(text, 'Body') : codeBlock(text, 'Body')];
    this.#picture = URL.createObjectURL(new Blob([body], { type: mediaType }));
    if (mediaType.startsWith('image/'))
      return [el('img', { src: this.#picture, alt: `The picture that was answered, ${mediaType}` })];
    return [
      el(
        'p',
        {},
        el(
          'a',
          { href: this.#picture, download: 'answer' },
          `Save ${sizeWords(size)} of ${mediaType || 'bytes'}`,
        ),
      ),
    ];
  }
}

/** Whether a body can be read as text. */
export function isText(mediaType: string): boolean {
  if (mediaType.startsWith('image/')) return false;
  return isJson(mediaType) || /^text\/|[/+](?:xml|javascript|yaml|x-www-form-urlencoded)$/.test(mediaType);
}

function complaintParts({ detail, advice, others }: Complaint): readonly HTMLElement[] {
  return [
    ...(advice === undefined ? [] : [el('p', { class: 'wrong' }, advice)]),
    ...(detail === '' || others.length > 0 ? [] : [el('p', { class: 'wrong' }, detail)]),
    ...(others.length === 0 ? [] : [el('ul', { class: 'wrong' }, ...others.map((one) => el('li', {}, one)))]),
  ];
}

function headerList({ headers }: Received): HTMLElement {
  const shown = headers.filter(([name]) => !usual.test(name));
  return unfolding([`${shown.length} headers`], () => [
    el(
      'dl',
      { class: 'headers' },
      ...shown.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    ),
  ]);
}

function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
