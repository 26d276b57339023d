import type { HandedConnection } from '@waymark/http';
import type { RunningApplication } from '../boot/start-application.ts';
import type { FromMember, Orders, ToMember } from './messages.ts';
import { OwnerPost } from './owner-post.ts';
import type { Post, Serving } from './post.ts';
import { WorkerPost } from './worker-post.ts';

/** Connections that wait until the door is open. */
const maxEarly = 1_024;

/** So long one that failed waits for the one that takes its place. */
const giveWayMs = 10_000;

type Order = Extract<ToMember, { readonly type: 'stop' | 'retire' }>['type'];

/** One of the processes that `waymark start` keeps, as it sees itself. */
export interface Member {
  readonly post: Post;
  /** Says that it serves, and serves until it is told to end. @returns the exit code */
  serve(running: RunningApplication): Promise<number>;
}

/**
 * Reports to the process that started this one, and takes its orders. Until they are there nothing is begun that would have to
 * end: who is told to stop, or is left alone, exits.
 */
export async function enlist(): Promise<Member> {
  const leave = (): never => process.exit(0);
  const first = new Promise<Orders>((resolve) => {
    const listen = (message: ToMember): void => {
      if (message.type === 'stop') leave();
      if (message.type !== 'begin') return;
      process.off('message', listen);
      process.off('disconnect', leave);
      resolve(message);
    };
    process.on('message', listen);
    process.once('disconnect', leave);
  });
  // Whoever is told before it can say so is told again.
  holdSignals();
  tell({ type: 'hello' });
  return new StartedMember(await first);
}

class StartedMember implements Member {
  readonly post: Post;
  readonly #owner: OwnerPost | undefined;
  readonly #ordered: Promise<Order>;
  readonly #early: HandedConnection[] = [];
  #serving: Serving | undefined;

  constructor(orders: Orders) {
    const served = (serving: Serving): void => {
      this.#serving = serving;
      for (const connection of this.#early.splice(0)) serving.adopt(connection);
    };
    const give = (connection: HandedConnection): void => pass(connection, 'owner');
    const worker = orders.role === 'worker' ? new WorkerPost(orders, give, served) : undefined;
    this.#owner = worker ? undefined : new OwnerPost(orders, served);
    this.post = worker ?? (this.#owner as OwnerPost);
    this.#ordered = new Promise((resolve) => {
      process.on('message', (message: ToMember, handle: unknown) => {
        if (message.type === 'owner') worker?.follow(message.path);
        else if (message.type === 'connection')
          // It was sent along.
          this.#adopt({ handle: handle as HandedConnection['handle'], head: message.head });
        else if (message.type !== 'begin') resolve(message.type);
      });
      // Nobody is left who would keep it.
      process.once('disconnect', () => resolve('stop'));
    });
  }

  #adopt(connection: HandedConnection): void {
    if (this.#serving) this.#serving.adopt(connection);
    else if (this.#early.length < maxEarly) this.#early.push(connection);
    else connection.handle.close();
  }

  async serve(running: RunningApplication): Promise<number> {
    const failed = watchFailures(running);
    tell({ type: 'ready', report: running.report, ownerPath: this.#owner?.path });
    const told = await Promise.race([this.#ordered, failed]);
    const order = told === 'failed' ? await this.#giveWay() : told;
    running.log('info', 'stopping');
    if (order !== 'stop') await this.#serving?.retire((connection) => pass(connection, 'any'));
    await running.close();
    return told === 'failed' ? 1 : 0;
  }

  /** Goes on until another process serves, as far as one comes: who asks meanwhile is not to be refused. */
  #giveWay(): Promise<Order> {
    tell({ type: 'failed' });
    const late = new Promise<Order>((resolve) => setTimeout(() => resolve('retire'), giveWayMs).unref());
    return Promise.race([this.#ordered, late]);
  }
}

/** A failure that nobody handled is told, and ends the process once what is under way is answered. */
function watchFailures(running: RunningApplication): Promise<'failed'> {
  return new Promise((resolve) => {
    process.on('uncaughtException', (error: unknown) => {
      running.log('fatal', 'nobody handled a failure', { ...running.currentCall(), error });
      running.failed();
      resolve('failed');
    });
  });
}

/** What the terminal or an init tells everybody is the business of the process that keeps this one. */
function holdSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => tell({ type: 'signalled' }));
  process.on('SIGHUP', () => {});
}

function tell(message: FromMember): void {
  if (process.connected) process.send?.(message);
}

/** Sends a connection away, and lets go of it when it is gone. */
function pass({ handle, head }: HandedConnection, to: 'owner' | 'any'): void {
  const message: FromMember = { type: 'connection', to, head };
  const done = (): void => handle.close();
  if (process.connected) process.send?.(message, handle as never, {}, done);
  else done();
}
