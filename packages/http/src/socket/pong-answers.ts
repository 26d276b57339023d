import type { WebSocket } from 'ws';

/**
 * Answers pings with one pong at a time, the newest ping's behind it (RFC 6455, 5.5.3): a read chunk may hold 11,000 pings, which
 * nobody who does not flood sends at once, and whoever reads no answer makes none wait.
 */
export class PongAnswers {
  readonly #ws: WebSocket;
  readonly #onWrite: () => void;
  readonly #onWritten: () => void;
  /** A pong is on its way; of the pings behind it the newest waits. */
  #answering = false;
  #unanswered: Uint8Array | undefined;

  /**
   * @param onWrite called when a pong is handed over
   * @param onWritten when it is written
   */
  constructor(ws: WebSocket, onWrite: () => void, onWritten: () => void) {
    this.#ws = ws;
    this.#onWrite = onWrite;
    this.#onWritten = onWritten;
  }

  answer(payload: Uint8Array): void {
    if (this.#answering) {
      this.#unanswered = payload;
      return;
    }
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#answering = true;
    this.#ws.pong(payload, undefined, this.#onAnswered);
    this.#onWrite();
  }

  readonly #onAnswered = (): void => {
    this.#answering = false;
    const next = this.#unanswered;
    this.#unanswered = undefined;
    if (next) this.answer(next);
    this.#onWritten();
  };
}
