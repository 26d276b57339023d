import type { Draft } from '../call/draft.ts';
import { refusalAhead, toComplaint } from '../call/problem.ts';
import { sendCall } from '../call/send-call.ts';
import { isJson, type Operation } from '../model/api.ts';
import { fromJson } from '../model/json.ts';
import { AnswerView, isText } from './answer-view.ts';
import { CallForm } from './call-form.ts';
import { el, setText } from './dom.ts';
import { SnippetsView } from './snippets-view.ts';
import type { Surroundings } from './surroundings.ts';

/** A form that calls an operation, what came of it, and the same call in other words. */
export class CallPanel {
  readonly element: HTMLElement;
  readonly #operation: Operation;
  readonly #around: Surroundings;
  readonly #form: CallForm;
  readonly #answer = new AnswerView();
  readonly #snippets: SnippetsView;
  readonly #ahead = el('p', { class: 'ahead', hidden: true });
  readonly #send: HTMLButtonElement;
  readonly #stop = el('button', { type: 'button', hidden: true }, 'Stop');
  readonly #events = el('input', { type: 'checkbox', id: 'events' });
  readonly #left = new AbortController();
  #under: AbortController | undefined;
  #armed = false;

  constructor(operation: Operation, around: Surroundings) {
    this.#operation = operation;
    this.#around = around;
    this.#form = new CallForm(operation, around.api);
    this.#snippets = new SnippetsView(operation, around);
    const { facts, method } = operation;
    // What only reads may be sent by Enter in a field; anything else by its button alone.
    this.#send = el(
      'button',
      { type: facts.readOnly ? 'submit' : 'button', class: facts.destructive ? 'main danger' : 'main' },
      sendWords(method),
    );
    if (!facts.readOnly) this.#send.addEventListener('click', () => void this.#call());
    this.#stop.addEventListener('click', () => this.#under?.abort());
    const form = el(
      'form',
      { class: 'card call', 'aria-label': 'Call it', novalidate: true },
      el('h2', {}, 'Call it'),
      this.#form.element,
      facts.progress &&
        el(
          'div',
          { class: 'check' },
          this.#events,
          el('label', { for: 'events' }, 'Show what happens as it comes'),
        ),
      facts.approval &&
        el(
          'p',
          { class: 'ahead' },
          'Agents wait for a human here. Called from this page it is done at once.',
        ),
      this.#ahead,
      el('div', { class: 'buttons' }, this.#send, this.#stop),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (facts.readOnly) void this.#call();
    });
    form.addEventListener('input', () => this.#update());
    this.element = el('div', { class: 'calling' }, form, this.#answer.element, this.#snippets.element);
    around.visitor.changed.addEventListener('change', () => this.#update(), { signal: this.#left.signal });
    this.#update();
  }

  /** Ends what is under way. */
  leave(): void {
    this.#left.abort();
    this.#under?.abort();
    this.#answer.forget();
  }

  #update(): void {
    this.#disarm();
    const { api, visitor } = this.#around;
    const refusal = refusalAhead(this.#operation, visitor.caller(api));
    setText(this.#ahead, refusal ?? '');
    this.#ahead.hidden = refusal === undefined;
    this.#snippets.show(this.#form.draft(), this.#events.checked);
  }

  async #call(): Promise<void> {
    const draft = this.#form.draft();
    this.#form.complain(draft.faults);
    if (this.#under || draft.faults.length > 0 || !this.#isMeant()) return;
    const under = new AbortController();
    this.#under = under;
    this.#stop.hidden = false;
    this.#send.setAttribute('aria-disabled', 'true');
    this.#answer.wait();
    try {
      await this.#make(draft, under.signal);
    } catch (error) {
      this.#answer.fail(failureWords(error, under.signal));
    } finally {
      this.#under = undefined;
      this.#stop.hidden = true;
      this.#send.removeAttribute('aria-disabled');
    }
  }

  /** What cannot be brought back is asked for twice. */
  #isMeant(): boolean {
    if (!this.#operation.facts.destructive || this.#armed) {
      this.#disarm();
      return true;
    }
    this.#armed = true;
    setText(this.#send, `Press again to send ${this.#operation.method}`);
    return false;
  }

  #disarm(): void {
    if (!this.#armed) return;
    this.#armed = false;
    setText(this.#send, sendWords(this.#operation.method));
  }

  async #make(draft: Draft, signal: AbortSignal): Promise<void> {
    const { api, root, visitor } = this.#around;
    const caller = visitor.caller(api);
    const received = await sendCall(
      {
        ...{ draft, method: this.#operation.method, url: root + draft.target, events: this.#events.checked },
        credential: visitor.credential(api),
        onEvent: (event) => this.#answer.addEvent(event),
      },
      signal,
    );
    const { status, mediaType, body, redirected } = received;
    const text = isText(mediaType) ? await body.text() : undefined;
    const said = text !== undefined && isJson(mediaType) ? fromJson(text) : undefined;
    const complaint =
      status < 400 || redirected
        ? undefined
        : toComplaint(status, said, this.#operation, this.#form.shape, caller);
    await this.#answer.show(received, text, complaint);
    const faults = [...(complaint?.faults ?? [])].flatMap(([at, messages]) =>
      messages.map((message) => ({ at, message })),
    );
    this.#form.complain(faults);
  }
}

function sendWords(method: string): string {
  return method === 'GET' ? 'Send' : `Send ${method}`;
}

function failureWords(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'Stopped. Whether the service had done it by then is not known.';
  return error instanceof TypeError && /header/i.test(error.message)
    ? 'This key cannot be sent: it has characters that no header can have.'
    : 'The service cannot be reached from here, or the connection broke.';
}
