import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { key } from './server.ts';

/** One connection, whose process stays the same until it is handed over. */
export class Line {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string, body?: Uint8Array): Promise<string> {
    const req = request(new URL(path, this.#url), {
      agent: this.#agent,
      method: body ? 'POST' : 'GET',
      headers: {
        'x-api-key': key,
        ...(body && { 'content-type': 'image/jpeg', 'content-length': body.length }),
      },
    });
    req.end(body);
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of res) text += String(piece);
    // A device takes so many frames a second; whoever is faster waits.
    if (res.statusCode === 429) return this.ask(path, body);
    if ((res.statusCode ?? 500) >= 300) throw new Error(`${path}: ${res.statusCode} ${text}`);
    return text;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Opens lines until there are so many to the owner, or to others. */
export async function linesTo(
  url: string,
  whom: 'owner' | 'worker',
  count: number,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const line = new Line(url);
    const isOwner = (await line.ask('/pid')) === (await line.ask('/owned'));
    if (isOwner === (whom === 'owner')) lines.push(line);
    else line.close();
  }
  return lines;
}

/** Milliseconds that so many requests take, spread over lines, each of which has one under way. */
export async function timeOf(
  lines: readonly Line[],
  path: string,
  requests: number,
  body?: Uint8Array,
): Promise<number> {
  const startedMs = performance.now();
  let left = requests;
  await Promise.all(
    lines.map(async (line) => {
      while (left-- > 0) await line.ask(path, body);
    }),
  );
  return performance.now() - startedMs;
}
