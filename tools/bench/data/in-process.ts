// One of the servers and those who ask it in one process, which nobody has to be waited for: prints what a request costs both.
// Arguments: the program of the server, and its own. Started with a channel, which is told the µs of each case.
import { connect, type Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { LoadRequest } from '../lib/load.ts';
import { type CaseName, requests } from './tickets.ts';

/** One after another where a block has to begin and end between requests; together where a commit is shared. */
const connectionsOf: Readonly<Record<CaseName, number>> = { get: 1, list: 1, insert: 50 };
/** Some 2 ms: short enough to be left alone by other programs now and then. The clock of CPU time can be as coarse as 10 ms. */
const blockOf: Readonly<Record<CaseName, number>> = { get: 50, list: 25, insert: 400 };
/** For so long at least, and as many blocks. */
const seconds = 2;
const leastBlocks = 20;

const [node = '', , program = '', ...args] = process.argv;
const send = process.send?.bind(process);
const url = await startHere();
const costs: Partial<Record<CaseName, number>> = {};
for (const name of Object.keys(requests) as CaseName[]) costs[name] = await leastOf(name);
send?.(costs);

/** The server says to its starter where it listens: here that is us. */
async function startHere(): Promise<string> {
  const told = new Promise<string>((resolve) => {
    process.send = (message: { readonly url?: string }) => {
      if (message.url !== undefined) resolve(message.url);
      return true;
    };
  });
  process.argv = [node, program, ...args];
  await import(pathToFileURL(program).href);
  return told;
}

/** The least µs that a request took in one of many blocks. */
async function leastOf(name: CaseName): Promise<number> {
  const { port } = new URL(url);
  const lines = requests[name].map((request) => toBytes(request, port));
  const block = blockOf[name];
  let [sent, done, least] = [0, 0, Number.POSITIVE_INFINITY];
  let fromMs = performance.now();
  const untilMs = performance.now() + seconds * 1_000;
  const answered = (): Buffer | undefined => {
    if (++done % block === 0) {
      least = Math.min(least, ((performance.now() - fromMs) * 1_000) / block);
      fromMs = performance.now();
    }
    return performance.now() < untilMs || done < leastBlocks * block
      ? lines[sent++ % lines.length]
      : undefined;
  };
  await Promise.all(
    Array.from({ length: connectionsOf[name] }, () =>
      lane(Number(port), lines[sent++ % lines.length], answered),
    ),
  );
  return least;
}

/** One connection: the next request when the answer to the one before is there. */
function lane(port: number, first: Buffer | undefined, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1', () => void (first && socket.write(first)));
    let text = '';
    socket.setNoDelay(true).setEncoding('latin1').on('error', reject).on('close', resolve);
    socket.on('data', (chunk: string) => {
      text += chunk;
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1]);
      if (text.length < head + 4 + length) return;
      if (!text.startsWith('HTTP/1.1 2')) reject(new Error(text));
      text = '';
      const request = next();
      if (request) socket.write(request);
      else socket.end();
    });
  });
}

function toBytes({ method = 'GET', path, headers = {}, body = '' }: LoadRequest, port: string): Buffer {
  const fields = Object.entries({
    host: `127.0.0.1:${port}`,
    ...headers,
    'content-length': `${body.length}`,
  });
  const sent = body === '' ? fields.slice(0, -1) : fields;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${sent.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}
