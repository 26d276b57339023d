import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Door } from '../door/door.ts';
import type { Connections } from './connections.ts';

/** So long nobody must have come before the server closes: what is on its way meets a 503, not a reset. */
const quietMs = 100;
/** Clients that come back at once, again and again, get no more than this part of the whole time. */
const longestQuiet = 1 / 4;
/** So long a client that is connected may take for its first word. */
const longestSilenceMs = 1000;

/**
 * Drains a door and closes its server. Whatever is left after `timeoutMs` is cut.
 *
 * The server goes on accepting while requests are under way: balancers ask health on new connections, and read
 * `draining` there.
 */
export async function closeServer(
  server: Server,
  door: Door,
  connections: Connections,
  timeoutMs: number,
): Promise<void> {
  const { open } = connections;
  door.drain();
  const expiry = new AbortController();
  const expired = once(expiry.signal, 'abort');
  const timer = setTimeout(() => {
    expiry.abort();
    for (const socket of open) socket.destroy();
  }, timeoutMs);
  await Promise.race([expired, Promise.all([door.whenIdle(), door.closeSockets()])]);
  const patience = { latestMs: timeoutMs * longestQuiet, signal: expiry.signal };
  // Where nobody was connected, nobody has just been answered and comes back.
  if (connections.anybodyWithin(quietMs)) await quiet(server, patience);
  const closed = once(server, 'close');
  stopListening(server);
  const silenceEndsMs = performance.now() + longestSilenceMs;
  const undecided = (): boolean => performance.now() < silenceEndsMs && someSilent(open);
  // What was connected by then is told in the next turn.
  await nextTurn();
  if (undecided()) await quiet(server, { ...patience, undecided });
  await Promise.race([expired, door.whenIdle().then(() => flushed(open))]);
  server.closeIdleConnections();
  // Node closes connections between two requests, and leaves those alone that never sent a whole one.
  for (const socket of open) endWhenAnswered(socket);
  await Promise.all([closed, connections.whenEmpty()]);
  clearTimeout(timer);
  await door.closeSockets(0);
}

/** Node also destroys kept connections when a server closes, with the requests that are on their way on them: not here. */
function stopListening(server: Server): void {
  server.closeIdleConnections = () => {};
  server.close();
  Reflect.deleteProperty(server, 'closeIdleConnections');
}

/** When `quiet` stops waiting. */
interface Patience {
  /** At the latest, milliseconds from now. */
  readonly latestMs: number;
  readonly signal: AbortSignal;
  /** Whether there is somebody to wait for although nobody comes. */
  readonly undecided?: () => boolean;
}

/** Resolves when nobody has come for a while, and nobody more is at the door. */
async function quiet(server: Server, { latestMs, signal, undecided = () => false }: Patience): Promise<void> {
  const endsMs = performance.now() + latestMs;
  let comers = 0;
  let before: number;
  const count = (): number => ++comers;
  server.on('connection', count).on('request', count);
  do {
    before = comers;
    await sleep(Math.min(quietMs, endsMs - performance.now()), undefined, { signal }).catch(() => {});
    // Timers come before what has arrived: a process that slept too long would see nobody.
    await nextTurn();
  } while ((comers > before || undecided()) && performance.now() < endsMs && !signal.aborted);
  server.off('connection', count).off('request', count);
}

/** Clients that are connected and have not said a word: it may be on its way. */
function someSilent(connections: ReadonlySet<Socket>): boolean {
  for (const { bytesRead } of connections) if (bytesRead === 0) return true;
  return false;
}

/** Node destroys idle connections although their last answer may not be on the wire yet; these end after it. */
async function flushed(connections: ReadonlySet<Socket>): Promise<void> {
  const busy = [...connections].filter(({ writableLength }) => writableLength > 0);
  await Promise.all(
    busy.map((socket) => {
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.destroySoon();
      return closed;
    }),
  );
}

/** The door does not know of answers that middleware gives; there may be several, for requests that were sent ahead. */
function endWhenAnswered(socket: Socket): void {
  // Node keeps the answer under way there.
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (answer) answer.once('close', () => endWhenAnswered(socket));
  else socket.destroySoon();
}
