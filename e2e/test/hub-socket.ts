/** One end of an open socket: messages wait until they are asked for. */
export interface HubSocket {
  /** The next message: JSON parsed, or bytes. @throws {Error} when the socket closed before there was one */
  next(): Promise<unknown>;
  /** Skips to the next record of a type. */
  until(type: string): Promise<Readonly<Record<string, unknown>>>;
  send(message: string | Uint8Array): void;
  /** Resolves when it is closed, whoever closed it. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  close(): void;
}

/**
 * Opens a socket.
 *
 * @param url of the server
 * @param target path and query
 * @throws {Error} when the server refuses
 */
export async function openSocket(url: string, target: string, key = 'both'): Promise<HubSocket> {
  const address = new URL(target, url.replace('http', 'ws'));
  address.searchParams.set('access_token', key);
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  const messages: unknown[] = [];
  let wake = (): void => {};
  let open = true;
  socket.addEventListener('message', ({ data }) => {
    messages.push(typeof data === 'string' ? JSON.parse(data) : Buffer.from(data));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => {
      open = false;
      wake();
      resolve({ code, reason });
    });
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`${target} was refused`)), { once: true });
  });
  const next = async (): Promise<unknown> => {
    while (messages.length === 0) {
      if (!open) throw new Error('the socket closed');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages.shift();
  };
  return {
    next,
    async until(type) {
      for (;;) {
        const message = await next();
        if (Object(message).type === type) return message as Readonly<Record<string, unknown>>;
      }
    },
    send: (message) => socket.send(typeof message === 'string' ? message : Buffer.from(message)),
    closed,
    close: () => socket.close(),
  };
}
