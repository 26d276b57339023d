import type { Socket } from 'node:net';
import type { Ground } from './ground.ts';

/** One connection of an attacker, who reads of an answer only when it is over. */
export class Line {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #wake = (): void => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.once('close', () => this.#wake());
  }

  static async open(ground: Ground): Promise<Line | undefined> {
    const socket = await ground.open();
    return socket && new Line(socket);
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  /** The status of the next answer, once it is read; 0 when none comes. What has no end is closed. */
  async answer(ground: Ground): Promise<number> {
    for (;;) {
      const found = measure(this.#received);
      if (found?.end === undefined && found) this.socket.destroy();
      if (found && (found.end === undefined || this.#received.length >= found.end)) {
        this.#received = this.#received.subarray(found.end ?? this.#received.length);
        return found.status;
      }
      if (this.socket.destroyed || ground.isOver) return 0;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ground.leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** What has come so far. */
  get text(): string {
    return this.#received.toString('latin1');
  }

  /** Resolves when more has come, or nothing can. */
  more(): Promise<void> {
    if (this.socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Where an answer ends; `end` is undefined for one that has no length. */
function measure(bytes: Buffer): { readonly status: number; readonly end: number | undefined } | undefined {
  const mark = bytes.indexOf('\r\n\r\n');
  if (mark === -1) return undefined;
  const head = bytes.subarray(0, mark).toString('latin1');
  const status = Number(head.slice(9, 12));
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length !== undefined) return { status, end: mark + 4 + Number(length) };
  return { status, end: status === 204 || status === 304 ? mark + 4 : undefined };
}
