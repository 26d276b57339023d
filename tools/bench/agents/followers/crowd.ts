import WebSocket from 'ws';
import { followedKey } from './followed-run.ts';

/** Many sockets to one server, which count what they are told. */
export class Crowd {
  readonly #sockets: WebSocket[] = [];
  /** Messages that all of them were told. */
  told = 0;
  /** What the first of them was told. */
  readonly texts: string[] = [];
  #expected = Number.POSITIVE_INFINITY;
  #arrived = (): void => {};

  /** @param first sent by each as soon as it is open, if anything */
  async join(url: string, count: number, first?: string): Promise<void> {
    for (let at = 0; at < count; at += 50)
      await Promise.all(Array.from({ length: Math.min(50, count - at) }, () => this.#open(url, first)));
  }

  /** Settles when so many messages were told in all. */
  until(told: number): Promise<void> {
    if (this.told >= told) return Promise.resolve();
    this.#expected = told;
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  async leave(): Promise<void> {
    await Promise.all(
      this.#sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve).close())),
    );
  }

  async #open(url: string, first: string | undefined): Promise<void> {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers: { 'x-api-key': followedKey } });
    const isFirst = this.#sockets.push(socket) === 1;
    socket.on('message', (text: Buffer) => {
      if (isFirst) this.texts.push(text.toString());
      if (++this.told >= this.#expected) this.#arrived();
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    if (first !== undefined) socket.send(first);
  }
}
