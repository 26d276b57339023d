import type { Message } from './to-message.ts';

/** Messages that were read and could not be handed over yet, in order. */
export class Inbox {
  #messages: Message[] = [];
  #first = 0;
  #bytes = 0;

  get length(): number {
    return this.#messages.length - this.#first;
  }

  /** Of texts the characters, where they are read. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The one that is handed over next. */
  get first(): Message | undefined {
    return this.#messages[this.#first];
  }

  push(message: Message): void {
    this.#messages.push(message);
    this.#bytes += message.length;
  }

  /** Not by `Array.shift`, which moves all the others: a read chunk may hold ten thousand messages. */
  shift(): Message | undefined {
    const { first: message } = this;
    if (message === undefined) return undefined;
    this.#messages[this.#first++] = '';
    this.#bytes -= message.length;
    if (this.#first === this.#messages.length) this.clear();
    return message;
  }

  clear(): void {
    this.#messages = [];
    this.#first = 0;
    this.#bytes = 0;
  }
}
