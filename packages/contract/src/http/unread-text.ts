import { giveBackMessage } from './give-back.ts';

/**
 * A long text message as its bytes, which are UTF-8 and nobody else's: for whoever may refuse it unread, or reads it later.
 * They lie outside of V8's heap; as a string a text of 1 MB is garbage that brings on a collection of everything.
 */
export class UnreadText {
  readonly #bytes: Buffer;
  /** Of the text, in bytes. */
  readonly length: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  /** The text, once: its bytes are given back. */
  read(): string {
    const text = this.#bytes.toString();
    this.drop();
    return text;
  }

  /** Gives back the bytes of what nobody will read. */
  drop(): void {
    giveBackMessage(this.#bytes);
  }
}
