/** A sensor and who watches it, each on a socket. */
export interface Greenhouse {
  /** Sends a reading, and waits until the watcher has it or a newer one. */
  report(): Promise<void>;
}

const patienceMs = 20_000;

/** @throws {Error} when a socket is refused */
export async function openGreenhouse(url: string, key: string): Promise<Greenhouse> {
  const waiting = new Map<number, () => void>();
  const watcher = await open(`${url}/devices/greenhouse/stream?replay=0&access_token=${key}`);
  const sensor = await open(`${url}/devices/greenhouse/ws?access_token=${key}`);
  let gone: string | undefined;
  for (const [name, socket] of Object.entries({ watcher, sensor }))
    socket.addEventListener('close', ({ code }) => {
      gone = `the socket of the ${name} was closed: ${code}`;
    });
  watcher.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string') return;
    const { type, data: reading } = JSON.parse(data) as {
      readonly type: string;
      readonly data: { readonly n: number };
    };
    if (type !== 'telemetry') return;
    // The newest wins: who has it has seen all before it.
    for (const [n, told] of waiting) if (n <= reading.n) told();
  });
  let n = 0;
  return {
    report: () =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) return reject(new Error(gone));
        const mine = ++n;
        const late = (): void => {
          waiting.delete(mine);
          reject(new Error(`no reading came through in ${patienceMs} ms`));
        };
        const timer = setTimeout(late, patienceMs);
        waiting.set(mine, () => {
          clearTimeout(timer);
          waiting.delete(mine);
          resolve();
        });
        sensor.send(JSON.stringify({ n: mine }));
      }),
  };
}

async function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('a socket of the greenhouse was refused')), {
      once: true,
    });
  });
  return socket;
}
