import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '@waymark/contract/testing';

/** A message that was answered with 2xx. */
export interface Taken {
  readonly id: string;
  readonly body: {
    readonly watcher: string;
    readonly run_id: string;
    readonly status: string;
    readonly output: string;
  };
}

/** A receiver of webhooks that fails as often as it is told, and goes away. */
export interface FlakyReceiver {
  readonly url: string;
  readonly taken: readonly Taken[];
  /** Messages whose signature was not right. */
  readonly forged: number;
  /** Requests, answered well or not. */
  readonly asked: number;
  /** Of all requests: 0 to 1. */
  fail(share: number): void;
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

/** Starts one. @param key of the signatures, decoded */
export async function startFlakyReceiver(key: Buffer, random: () => number): Promise<FlakyReceiver> {
  const taken: Taken[] = [];
  const counts = { forged: 0, asked: 0 };
  let share = 0;
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const text = await read(req);
    counts.asked++;
    if (random() < share) return fail(random(), res);
    const id = String(req.headers['webhook-id']);
    if (!isSigned(key, id, req.headers, text)) {
      counts.forged++;
      res.writeHead(401).end();
      return;
    }
    taken.push({ id, body: JSON.parse(text) as Taken['body'] });
    res.writeHead(204).end();
  };
  const listen = async (port: number): Promise<Server> => {
    const made = createServer((req, res) => {
      answer(req, res).catch(() => res.destroy());
    });
    await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
    return made;
  };
  const port = await freePort();
  let server = await listen(port);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    taken,
    get forged() {
      return counts.forged;
    },
    get asked() {
      return counts.asked;
    },
    fail(given) {
      share = given;
    },
    goAway: close,
    async comeBack() {
      server = await listen(port);
    },
  };
}

function fail(how: number, res: ServerResponse): void {
  if (how < 0.3) res.destroy();
  else if (how < 0.5) res.writeHead(429, { 'retry-after': '1' }).end();
  else if (how < 0.6) setTimeout(() => res.destroy(), 3_000);
  else res.writeHead(500).end();
}

async function read(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of req as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** As Standard Webhooks says; that its library agrees is shown where messages are made. */
function isSigned(key: Buffer, id: string, headers: IncomingMessage['headers'], text: string): boolean {
  const { 'webhook-timestamp': timestamp = '', 'webhook-signature': signature = '' } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest();
  const [, base64 = ''] = signature.split(',');
  const given = Buffer.from(base64, 'base64');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
