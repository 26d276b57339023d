/** Messages that were read and could not be handed over yet, in order. */
export class Inbox {
  #messages: (string | Uint8Array)[] = [];
  #first = 0;
  #bytes = 0;

  get length(): number {
    return this.#messages.length - this.#first;
  }

  /** Of texts the characters. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The one that is handed over next. */
  get first(): string | Uint8Array | undefined {
    return this.#messages[this.#first];
  }

  push(message: string | Uint8Array): void {
    this.#messages.push(message);
    this.#bytes += message.length;
  }

  /** Not by `Array.shift`, which moves all the others: a read chunk may hold ten thousand messages. */
  shift(): string | Uint8Array | undefined {
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
