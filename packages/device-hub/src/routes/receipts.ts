import { encodeMessages, type Peer } from '@waymark/contract/engine';

/** What became of a frame. */
export type Receipt =
  | { readonly seq: number }
  | { readonly seq: null /** Why it was not taken. */; readonly message: string };

/**
 * Answers each frame of a socket once, in the order in which they came, whatever the backend finishes first.
 *
 * What is known in one turn goes out at once: a flood of frames costs a write for each share of it that is heard.
 */
export class Receipts {
  readonly #peer: Peer;
  readonly #told: (count: number) => void;
  /** As they came; empty while a frame is under way. */
  readonly #answers: { text: string }[] = [];
  #expected = false;

  /** @param told how many were answered just now */
  constructor(peer: Peer, told: (count: number) => void) {
    this.#peer = peer;
    this.#told = told;
  }

  /** A frame has come. @returns what takes its receipt, once */
  owe(): (receipt: Receipt) => void {
    const answer = { text: '' };
    this.#answers.push(answer);
    return (receipt) => {
      answer.text = JSON.stringify({ type: 'receipt', ...receipt });
      if (this.#expected || answer !== this.#answers[0]) return;
      this.#expected = true;
      queueMicrotask(() => this.#tell());
    };
  }

  #tell(): void {
    this.#expected = false;
    const open = this.#answers.findIndex(({ text }) => text === '');
    const answers = this.#answers.splice(0, open === -1 ? this.#answers.length : open);
    this.#peer.sendEncoded(encodeMessages(answers.map(({ text }) => text)));
    this.#told(answers.length);
  }
}
