import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SqlDatabase } from '@waymark/server';
import { Webhook } from 'standardwebhooks';

/** A stand-in for somebody else's service that hears what the watcher of the lobby concludes. */
export interface SightingsReceiver {
  readonly url: string;
  /** What messages are signed with, made anew at each start. */
  readonly secret: string;
  /** Has what arrives written down; until then it is asked to come again. */
  keepIn(database: SqlDatabase): void;
  close(): void;
}

/** Of a message; ours have 20 kB at most. */
const maxBodyBytes = 32_768;

/** What is kept for the board. */
const kept = 50;

/** Starts a receiver that takes a message only with the right signature, and each message once. */
export async function startSightingsReceiver(): Promise<SightingsReceiver> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const webhook = new Webhook(secret);
  let database: SqlDatabase | undefined;
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const message = verify(webhook, req.headers, await readBody(req));
    if (!message) res.writeHead(401).end('{"error":"not signed by the desk"}');
    else if (!database) res.writeHead(503, { 'retry-after': '1' }).end();
    else {
      await keep(database, message);
      res.writeHead(204).end();
    }
  };
  const server = createServer((req, res) => {
    // It comes again.
    answer(req, res).catch(() => res.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sightings`,
    secret,
    keepIn(given) {
      database = given;
    },
    close: () => server.close().closeAllConnections(),
  };
}

/** What of an insight is shown. */
interface Sighting {
  readonly id: string;
  readonly device: string;
  readonly said: string;
  readonly at: string;
}

/** The library checks the signature and that the message is from now; so nobody can send an old one again. */
function verify(webhook: Webhook, headers: IncomingMessage['headers'], body: string): Sighting | undefined {
  try {
    const insight = webhook.verify(body, headers as Record<string, string>) as Insight;
    const { device, status, output, error, at_ms: atMs } = insight;
    const said = status === 'completed' ? output : `${status}: ${error ?? ''}`;
    return { id: String(headers['webhook-id']), device, said, at: new Date(atMs).toISOString() };
  } catch {
    return undefined;
  }
}

interface Insight {
  readonly device: string;
  readonly status: string;
  readonly output: string;
  readonly error: string | null;
  readonly at_ms: number;
}

async function readBody(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBodyBytes) throw new Error('too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** A message may arrive more than once: its id says so. */
async function keep(database: SqlDatabase, { id, device, said, at }: Sighting): Promise<void> {
  await database.write([
    {
      sql: `insert into sightings (message, device, said, at) select ?1, ?2, ?3, ?4
        where not exists (select 1 from sightings where message = ?1)`,
      args: [id, device, said, at],
    },
    { sql: 'delete from sightings where id <= (select max(id) from sightings) - ?', args: [kept] },
  ]);
}
