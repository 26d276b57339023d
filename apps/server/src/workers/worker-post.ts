import { connect } from 'node:net';
import type { Route } from '@waymark/contract';
import type { Plugin, Router } from '@waymark/contract/engine';
import type { Taken } from '@waymark/contract/http';
import type { AuditEvent } from '@waymark/contract/stores';
import { createLink, type Link, OwnerCalls, type ToOwner, type ToWorker } from '@waymark/core-routes/forward';
import type { HandOver } from '@waymark/http';
import type { Orders } from './messages.ts';
import { movesConnection } from './moving-connections.ts';
import { isEverywhere, ownerRoutes } from './owner-routes.ts';
import type { Post, PostParts, Serving } from './post.ts';
import { type FromOwner, type FromWorker, noCall } from './wire.ts';

/** Between two reports of what was answered, milliseconds. */
const reportMs = 250;
/** Events that wait for an owner; the oldest go first, and are counted. */
const maxEvents = 10_000;

/** The link of a worker to the owner of the moment. */
type OwnerLink = Link<FromWorker, FromOwner>;

/** A worker: it answers what anybody may answer, and asks the owner for the rest. */
export class WorkerPost implements Post {
  readonly role = 'worker';
  readonly index: number;
  readonly processes: number;
  readonly boot: string;
  readonly because: Post['because'];
  readonly pretty: boolean;
  readonly heldAt: Post['heldAt'];
  readonly #orders: Orders;
  readonly #give: HandOver['give'];
  readonly #served: (serving: Serving) => void;
  readonly #calls = new OwnerCalls();
  readonly #asked = new Map<number, (taken: Taken | undefined) => void>();
  #asks = 0;
  #link: OwnerLink | undefined;
  #parts: PostParts | undefined;
  #answered: number[] = [];
  #events: AuditEvent[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param served is given the server once it listens */
  constructor(orders: Orders, give: HandOver['give'], served: (serving: Serving) => void) {
    this.index = orders.index;
    this.processes = orders.processes;
    this.boot = orders.boot;
    this.because = orders.because;
    this.pretty = orders.pretty;
    this.heldAt = orders.heldAt;
    this.#orders = orders;
    this.#give = give;
    this.#served = served;
  }

  readonly door: Post['door'] = {
    sharedLimits: { take: (limit, key, cost) => this.#take(limit, key, cost) },
    onAnswered: (status, ms) => void this.#answered.push(status, ms ?? -1),
  };

  readonly emit = (event: AuditEvent): void => {
    this.#events.push(event);
    if (this.#events.length > maxEvents) {
      this.#events.shift();
      this.#lost++;
    }
    if (this.#events.length === 1) setImmediate(() => this.#tell());
  };

  starts(plugin: Plugin): boolean {
    return isEverywhere(plugin);
  }

  ownerOf(plugins: readonly Plugin[]): { owns(route: Route): boolean } & Pick<OwnerCalls, 'dispatch'> {
    return { owns: ownerRoutes(plugins), dispatch: (call) => this.#calls.dispatch(call) };
  }

  readonly share: Post['share'] = (sessions) => sessions;

  readonly around: Post['around'] = (dispatcher) => dispatcher;

  handOver(router: Router, plugins: readonly Plugin[]): HandOver {
    return { wants: movesConnection(router, ownerRoutes(plugins)), give: this.#give };
  }

  readonly others: Post['others'] = () => ({ troubles: [], eventLoopP99Ms: 0 });

  async open(parts: PostParts): Promise<void> {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#report(), reportMs).unref();
    const { ownerPath } = this.#orders;
    if (ownerPath !== undefined) this.follow(ownerPath);
  }

  /** Calls go to the owner at that path from now on. */
  follow(path: string): void {
    const link: OwnerLink = createLink(connect(path));
    link.send({ id: noCall, type: 'hello', secret: this.#orders.secret, index: this.index });
    link.onMessage((message) => this.#receive(link, message));
    link.onClose(() => {
      if (this.#link !== link) return;
      this.#link = undefined;
      for (const tell of this.#asked.values()) tell(undefined);
      this.#asked.clear();
    });
    this.#link = link;
    // What is no message of a call has the number of none.
    this.#calls.connect(link as unknown as Link<ToOwner, ToWorker>);
    this.#tell();
  }

  serve(serving: Serving): void {
    this.#served(serving);
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#report();
    this.#tell();
    this.#calls.close();
    this.#link?.close();
  }

  #take(limit: 'rate' | 'failures', key: string, cost: number): Promise<Taken | undefined> {
    const link = this.#link;
    if (!link) return Promise.resolve(undefined);
    const ask = ++this.#asks;
    return new Promise((resolve) => {
      this.#asked.set(ask, resolve);
      link.send({ id: noCall, type: 'take', ask, limit, key, cost });
    });
  }

  #receive(link: OwnerLink, message: FromOwner): void {
    if (message.type === 'taken') {
      this.#asked.get(message.ask)?.(message.taken);
      this.#asked.delete(message.ask);
    } else if (message.type === 'collect') this.#collect(link, message.round);
    else if (message.type === 'forget') {
      for (const session of message.sessions) this.#parts?.sessions?.restore(session);
      link.send({ id: noCall, type: 'forgotten', round: message.round });
    }
  }

  #collect(link: OwnerLink, round: number): void {
    this.#tell();
    link.send({
      ...{ id: noCall, type: 'collected', round, answered: this.#answered },
      troubles: this.#parts?.troubles() ?? [],
      eventLoopP99Ms: this.#parts?.eventLoopP99Ms() ?? 0,
    });
    this.#answered = [];
  }

  #report(): void {
    if (!this.#link || this.#answered.length === 0) return;
    this.#link.send({ id: noCall, type: 'answered', answered: this.#answered });
    this.#answered = [];
  }

  #tell(): void {
    if (!this.#link || this.#events.length === 0) return;
    if (this.#lost > 0)
      this.#parts?.log('error', 'audit events are lost: there was no owner', { events: this.#lost });
    this.#lost = 0;
    this.#link.send({ id: noCall, type: 'events', events: this.#events });
    this.#events = [];
  }
}
