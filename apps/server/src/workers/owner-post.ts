import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Awaitable, Dispatcher, RouteResponse, Router, Trouble } from '@waymark/contract/engine';
import type { EndedSession, Sessions } from '@waymark/contract/principal';
import { createLink, type Link, serveCalls, type ToOwner, type ToWorker } from '@waymark/core-routes/forward';
import type { Orders } from './messages.ts';
import type { Post, PostParts, Serving } from './post.ts';
import { Rounds } from './rounds.ts';
import { type Answered, type FromOwner, type FromWorker, noCall } from './wire.ts';

/** A worker that does not say what it has counted is not waited for any longer, milliseconds. */
const collectMs = 1_000;
/** Who signs out is answered when all know it, or after so long. */
const forgetMs = 10_000;

type WorkerLink = Link<FromOwner, FromWorker>;

/** What is known of a worker. */
interface Known {
  troubles: readonly Trouble[];
  eventLoopP99Ms: number;
}

/** The owner of devices, runs and writes: it answers the calls of the workers, and keeps what all of them count. */
export class OwnerPost implements Post {
  readonly role = 'owner';
  readonly index: number;
  readonly processes: number;
  readonly boot: string;
  readonly because: Post['because'];
  readonly pretty: boolean;
  readonly heldAt: Post['heldAt'];
  /** Where workers find it. */
  readonly path: string;
  readonly #secret: Buffer;
  readonly #take: (serving: Serving) => void;
  readonly #workers = new Map<WorkerLink, Known>();
  readonly #rounds = new Rounds<WorkerLink>(collectMs);
  readonly #forgetting = new Rounds<WorkerLink>(forgetMs);
  /** Sessions that ended before their time, for workers that come later. */
  #ended: EndedSession[] = [];
  #server: Server | undefined;
  #empty = (): void => {};

  /** @param take is given the server once it listens */
  constructor(orders: Orders, take: (serving: Serving) => void) {
    this.index = orders.index;
    this.processes = orders.processes;
    this.boot = orders.boot;
    this.because = orders.because;
    this.pretty = orders.pretty;
    this.heldAt = orders.heldAt;
    this.path = join(orders.folder, `owner-${process.pid}.sock`);
    this.#secret = Buffer.from(orders.secret);
    this.#take = take;
  }

  readonly emit = undefined;

  readonly door: Post['door'] = {};

  readonly starts: Post['starts'] = () => true;

  readonly ownerOf: Post['ownerOf'] = () => undefined;

  readonly handOver: Post['handOver'] = () => undefined;

  /** Who signs out is answered when no process lets the session in any more. */
  share(sessions: Sessions | undefined): Sessions | undefined {
    if (!sessions) return undefined;
    return {
      cookieName: (https) => sessions.cookieName(https),
      open: (credentials) => sessions.open(credentials),
      read: (value) => sessions.read(value),
      restore: (ended) => {
        this.#remember(ended);
        sessions.restore(ended);
      },
      onEnded: (listener) => sessions.onEnded(listener),
      setCookie: (https, session) => sessions.setCookie(https, session),
      end: (value) => {
        const ended = sessions.end(value);
        if (ended) this.#forget(ended);
        return ended;
      },
    };
  }

  /** What the control plane says is of all processes: what the others have counted comes first. */
  around<D extends Dispatcher & Router>(dispatcher: D): Dispatcher & Router {
    return {
      match: dispatcher.match,
      upgrade: (call) => dispatcher.upgrade(call),
      dispatch: (call) => {
        if (call.route.plane !== 'control' || this.#workers.size === 0) return dispatcher.dispatch(call);
        const collected = this.#collect();
        if (!call.route.facts.opensSessions) return collected.then(() => dispatcher.dispatch(call));
        return this.#answered(dispatcher.dispatch(call));
      },
    };
  }

  /** Everybody knows of the sessions that ended before who ended them is told. */
  async #answered(dispatched: Awaitable<RouteResponse>): Promise<RouteResponse> {
    const response = await dispatched;
    await this.#forgetting.settled();
    return response;
  }

  others(): { readonly troubles: readonly Trouble[]; readonly eventLoopP99Ms: number } {
    const known = [...this.#workers.values()];
    return {
      troubles: known.flatMap(({ troubles }) => troubles),
      eventLoopP99Ms: Math.max(0, ...known.map(({ eventLoopP99Ms }) => eventLoopP99Ms)),
    };
  }

  async open(parts: PostParts): Promise<void> {
    const server = createServer((socket) => this.#meet(socket, parts));
    // Not shared with other processes, as what is listened to is else.
    server.listen({ path: this.path, exclusive: true });
    await once(server, 'listening');
    this.#server = server;
  }

  serve(serving: Serving): void {
    this.#take(serving);
  }

  /** The workers close their links when nobody waits for them any more. */
  async leave(withinMs: number): Promise<void> {
    this.#server?.close();
    if (this.#workers.size > 0) {
      const empty = new Promise<void>((resolve) => {
        this.#empty = resolve;
      });
      const timer = setTimeout(() => this.#empty(), withinMs);
      await empty;
      clearTimeout(timer);
    }
    for (const link of this.#workers.keys()) link.close();
  }

  /** Nobody else reaches the socket; whoever does and is none of ours is not listened to. */
  #meet(socket: Socket, parts: PostParts): void {
    const link: WorkerLink = createLink(socket);
    let known = false;
    link.onMessage((message) => {
      if (known) this.#receive(link, message, parts);
      else if (message.type === 'hello' && this.#isOurs(message.secret)) {
        known = true;
        this.#welcome(link, parts);
      } else socket.destroy();
    });
  }

  #isOurs(secret: unknown): boolean {
    const given = Buffer.from(String(secret));
    return given.length === this.#secret.length && timingSafeEqual(given, this.#secret);
  }

  #welcome(link: WorkerLink, { table, dispatcher }: PostParts): void {
    this.#workers.set(link, { troubles: [], eventLoopP99Ms: 0 });
    // What is no message of a call has the number of none.
    serveCalls(link as unknown as Link<ToWorker, ToOwner>, { table, dispatcher });
    if (this.#ended.length > 0) link.send({ id: noCall, type: 'forget', round: 0, sessions: this.#ended });
    link.onClose(() => {
      this.#workers.delete(link);
      this.#rounds.leave(link);
      this.#forgetting.leave(link);
      if (this.#workers.size === 0) this.#empty();
    });
  }

  #receive(link: WorkerLink, message: FromWorker, { door, emit }: PostParts): void {
    if (message.type === 'take') {
      const { ask, limit, key, cost } = message;
      const taken = door.take(limit, key, cost) ?? { taken: true, left: 0, untilFull: 0, seconds: 0 };
      link.send({ id: noCall, type: 'taken', ask, taken });
    } else if (message.type === 'events') for (const event of message.events) emit(event);
    else if (message.type === 'answered') count(message.answered, door);
    else if (message.type === 'forgotten') this.#forgetting.answered(message.round, link);
    else if (message.type === 'collected') {
      const { troubles, eventLoopP99Ms } = message;
      this.#workers.set(link, { troubles, eventLoopP99Ms });
      count(message.answered, door);
      this.#rounds.answered(message.round, link);
    }
  }

  #collect(): Promise<void> {
    return this.#rounds.ask([...this.#workers.keys()], (link, round) =>
      link.send({ id: noCall, type: 'collect', round }),
    );
  }

  #forget(ended: EndedSession): void {
    this.#remember(ended);
    void this.#forgetting.ask([...this.#workers.keys()], (link, round) =>
      link.send({ id: noCall, type: 'forget', round, sessions: [ended] }),
    );
  }

  #remember(ended: EndedSession): void {
    this.#ended.push(ended);
    // As many as a door remembers where nobody says.
    if (this.#ended.length > maxEnded) this.#ended.shift();
  }
}

const maxEnded = 10_000;

function count(answered: Answered, door: PostParts['door']): void {
  for (let i = 0; i < answered.length; i += 2) {
    const ms = answered[i + 1] ?? -1;
    door.count(answered[i] ?? 0, ms < 0 ? undefined : ms);
  }
}
