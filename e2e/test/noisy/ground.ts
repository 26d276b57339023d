import { connect, type Socket } from 'node:net';
import type { Header } from '../wire/connection.ts';
import type { Deeds, Order } from './attack.ts';

/** What is sent instead of what the door asks for. */
export interface Head {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly Header[];
}

/** Where an attack happens, and how long: opens connections, counts what was done and heard. */
export class Ground {
  readonly order: Order;
  readonly #sockets = new Set<Socket>();
  readonly #counts: Record<string, number> = {};
  #endMs = Number.POSITIVE_INFINITY;

  constructor(order: Order) {
    this.order = order;
  }

  begin(): void {
    this.#endMs = performance.now() + this.order.ms;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#endMs - performance.now());
  }

  get deeds(): Deeds {
    return this.#counts;
  }

  count(what: string | number, times = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + times;
  }

  /** @returns undefined when the server takes no connection */
  async open(): Promise<Socket | undefined> {
    const socket = connect(this.order.port, '127.0.0.1');
    this.#sockets.add(socket);
    socket.on('error', () => this.count('errors'));
    socket.once('close', () => this.#sockets.delete(socket));
    return new Promise((resolve) => {
      socket.once('connect', () => resolve(socket));
      socket.once('close', () => resolve(undefined));
    });
  }

  /** The head of a request of the attacker to its door. */
  head({ method, target, headers = [] }: Head = {}): Buffer {
    const { attack } = this.order;
    const lines = [['host', 'localhost'] as const, ...attack.headers, ...headers];
    const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return Buffer.from(
      `${method ?? attack.door.method} ${target ?? attack.door.target} HTTP/1.1\r\n${text}\r\n`,
    );
  }

  /** A whole request with a body. */
  request(body: Buffer, head: Head = {}): Buffer {
    const length: Header = ['content-length', String(body.length)];
    return Buffer.concat([this.head({ ...head, headers: [...(head.headers ?? [json]), length] }), body]);
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

export const json: Header = ['content-type', 'application/json'];
