import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cut } from './cut.ts';
import { Pieces } from './pieces.ts';

/** Passes on connections to a service, and cuts them. */
export interface CuttingProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** What a proxy is opened with. */
export interface CuttingOptions {
  /** Of the service. */
  readonly port: number;
  /** Where the first connections are cut, each at its own place; those behind them are left alone. */
  readonly cuts: readonly Cut[];
  /** Told when one was cut. */
  readonly onCut: (cut: Cut) => void;
}

/** Opens one on a port of its own. */
export async function openCuttingProxy({ port, cuts, onCut }: CuttingOptions): Promise<CuttingProxy> {
  const left = [...cuts];
  const lines = new Set<Line>();
  const server = createServer((client) => {
    const line = new Line(client, port, left.shift(), onCut);
    lines.add(line);
    void line.closed.then(() => lines.delete(line));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      for (const line of lines) line.end();
      await once(server, 'close');
    },
  };
}

/** One connection of a client, and the one to the service. */
class Line {
  readonly closed: Promise<unknown>;
  readonly #client: Socket;
  readonly #service: Socket;
  readonly #cut: Cut | undefined;
  readonly #onCut: (cut: Cut) => void;
  readonly #pieces = new Pieces();
  #asked = false;
  /** Messages, and those among them that count. */
  #messages = 0;
  #seen = 0;
  #isCut = false;

  constructor(client: Socket, port: number, cut: Cut | undefined, onCut: (cut: Cut) => void) {
    this.#client = client.setNoDelay();
    this.#service = connect(port, '127.0.0.1').setNoDelay();
    this.#cut = cut;
    this.#onCut = onCut;
    this.closed = Promise.all(
      [this.#client, this.#service].map((socket) => new Promise((done) => socket.once('close', done))),
    );
    // A service that was killed resets what it had, and takes nothing new for a while.
    client.on('error', () => {});
    this.#service.on('error', () => {});
    client.on('data', (bytes) => this.#ask(bytes));
    this.#service.on('data', (bytes) => this.#answer(bytes));
    client.on('close', () => this.#isCut || this.#service.destroy());
    this.#service.on('close', () => this.#isCut || client.destroy());
    if (cut?.at === 'accept') this.#end(cut);
  }

  end(): void {
    this.#client.destroy();
    this.#service.destroy();
  }

  #ask(bytes: Buffer): void {
    const place = this.#asked ? 'turn' : 'request';
    this.#asked = true;
    this.#pass(this.#service, bytes, this.#cut?.at === place);
  }

  #answer(bytes: Buffer): void {
    for (const { bytes: piece, type, isHead } of this.#pieces.take(bytes))
      this.#pass(this.#client, piece, isHead ? this.#cut?.at === 'handshake' : this.#isIt(type));
  }

  /** Whether the message that comes is the one to be cut. */
  #isIt(type: string | undefined): boolean {
    if (this.#cut?.at !== 'message') return false;
    if ((this.#cut.type ?? type) === type) this.#seen++;
    return this.#seen === this.#cut.nth || ++this.#messages === this.#cut.latest;
  }

  #pass(to: Socket, bytes: Buffer, cuts: boolean): void {
    if (this.#isCut) return;
    const cut = cuts ? this.#cut : undefined;
    to.write(cut ? bytes.subarray(0, Math.round(cut.share * bytes.length)) : bytes);
    if (cut) this.#end(cut);
  }

  /** The client loses its connection, and the service perhaps not yet. */
  #end(cut: Cut): void {
    this.#isCut = true;
    this.#onCut(cut);
    const drop = (socket: Socket) => () => void (cut.resets ? socket.resetAndDestroy() : socket.destroy());
    setTimeout(drop(this.#client), cut.silentMs);
    setTimeout(drop(this.#service), cut.silentMs + cut.lingerMs);
  }
}
