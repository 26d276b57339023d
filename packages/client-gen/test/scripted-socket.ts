type Listener = (event: never) => void;

/** A WebSocket whose other end is the test. */
export class ScriptedSocket {
  readonly url: string;
  binaryType = 'blob';
  bufferedAmount = 0;
  readonly sent: (string | Uint8Array)[] = [];
  /** It was closed from this side. */
  closed = false;
  readonly #listeners: { readonly type: string; readonly listener: Listener }[] = [];

  constructor(url: string) {
    this.url = url;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push({ type, listener });
  }

  send(message: string | Uint8Array): void {
    this.sent.push(typeof message === 'string' ? message : message.slice());
  }

  close(): void {
    this.closed = true;
  }

  accept(): void {
    this.#tell('open', {});
  }

  /** Sends a record, or bytes. */
  tell(...messages: readonly (object | ArrayBuffer)[]): void {
    for (const message of messages)
      this.#tell('message', { data: message instanceof ArrayBuffer ? message : JSON.stringify(message) });
  }

  /** Sends a text as it is. */
  tellText(data: string): void {
    this.#tell('message', { data });
  }

  drop(code = 1006, reason = ''): void {
    this.#tell('error', {});
    this.#tell('close', { code, reason });
  }

  #tell(type: string, event: object): void {
    for (const one of this.#listeners) if (one.type === type) one.listener(event as never);
  }
}

/** A network of such sockets. */
export interface ScriptedNetwork {
  readonly WebSocket: new (url: string) => ScriptedSocket;
  /** Every one that was made, in order. */
  readonly sockets: readonly ScriptedSocket[];
  /** The next one, once it was made. */
  next(): Promise<ScriptedSocket>;
}

/** Makes a network that has no sockets yet. */
export function scriptedNetwork(): ScriptedNetwork {
  const sockets: ScriptedSocket[] = [];
  const waiting: ((socket: ScriptedSocket) => void)[] = [];
  let taken = 0;
  return {
    sockets,
    WebSocket: class extends ScriptedSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
        const take = waiting.shift();
        if (!take) return;
        taken++;
        take(this);
      }
    },
    async next() {
      const socket = sockets[taken];
      if (!socket) return new Promise((resolve) => waiting.push(resolve));
      taken++;
      return socket;
    },
  };
}
