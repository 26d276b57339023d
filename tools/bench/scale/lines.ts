import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { key } from './server.ts';

/** A device takes so many frames a second: whoever sends the next one at once is refused, and loses the connection with it. */
const frameMs = 3;

/** One connection, whose process stays the same until it is handed over. */
export class Line {
  readonly #url: string;
  readonly #agent: Agent;

  /** @param kept whether it is one connection, or one for each request */
  constructor(url: string, kept = true) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: kept, maxSockets: 1 });
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
    if ((res.statusCode ?? 500) >= 300) throw new Error(`${path}: ${res.statusCode} ${text}`);
    if (body) await sleep(frameMs);
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

/** Asks so often on each line, one request after the other. */
export async function askAll(
  lines: readonly Line[],
  path: string,
  each: number,
  body?: Uint8Array,
): Promise<void> {
  await Promise.all(
    lines.map(async (line) => {
      for (let i = 0; i < each; i++) await line.ask(path, body);
    }),
  );
}
