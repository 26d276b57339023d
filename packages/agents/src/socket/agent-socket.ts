import { HTTPError, type Route, type Values } from '@waymark/contract';
import {
  type Awaitable,
  type EngineContext,
  type Hold,
  type Peer,
  type RouteResponse,
  toErrorResponse,
  withoutStack,
} from '@waymark/contract/engine';
import { giveBackMessage, UnreadText } from '@waymark/contract/http';
import { RunTeller } from './run-teller.ts';
import { type Asked, type AskedRun, type AskedTurn, toAsked } from './socket-message.ts';
import { SocketOut } from './socket-out.ts';
import { errorText, type Named } from './socket-text.ts';
import { ToldRun } from './told-run.ts';

/** Turns that may wait on one socket (decision 6.11). */
export const maxWaitingTurns = 8;

/** Runs that one socket may tell behind the turn under way: those that were parked. */
export const maxFollowedRuns = 8;

/** Refusals without a turn between them, after which a socket is closed: who goes on like that reads none of them. */
export const maxRefusals = 64;

/** Policy violation (RFC 6455, 7.4.1). */
const policyViolation = 1008;

/** Characters of a message that is read when it comes. A longer one can only be a turn, and is read when its time has come. */
const shortMessage = 4_096;

/**
 * A message that is not read yet: V8's heap grows to twice of what lives in it before all of it is collected, and eight strings
 * of 1 MB on each of four sockets made it 100 MB larger than their bytes do (measured).
 */
interface LongText {
  readonly kind: 'text';
  readonly text: UnreadText;
}

/** Something that waits for its time. */
interface Waiting {
  readonly asked: AskedTurn | AskedRun | LongText;
  /** The bytes that it keeps. */
  readonly hold: Hold;
}

/**
 * One connection to an agent (decision 6.11): its turns in line, each a call of the agent's own route, and the runs it
 * follows. A socket that closes ends no run.
 */
export class AgentSocket {
  readonly #context: EngineContext;
  readonly #route: Route;
  readonly #peer: Peer;
  readonly #out: SocketOut;
  readonly #teller: RunTeller;
  readonly #line: Waiting[] = [];
  readonly #followed = new Set<ToldRun>();
  #current: ToldRun | undefined;
  #working = false;
  #turns = 0;
  #refusals = 0;

  /** @param route that a turn is a call of, as the table has it */
  constructor(peer: Peer, context: EngineContext, route: Route) {
    this.#peer = peer;
    this.#context = context;
    this.#route = route;
    this.#out = new SocketOut(peer);
    this.#teller = new RunTeller(this.#out, context, route.name);
  }

  /** @param agent that the socket is of */
  open(agent: string): void {
    const { authenticated } = this.#context.principal;
    this.#out.send(JSON.stringify({ type: 'ready', agent, authenticated }));
    this.#peer.onClose(() => {
      for (const waiting of this.#line.splice(0)) leave(waiting);
    });
    this.#peer.onUnread((message) => this.#receive(message));
  }

  #receive(message: string | Uint8Array | UnreadText): void {
    let asked: Asked | undefined;
    try {
      if (message instanceof Uint8Array) {
        giveBackMessage(message);
        throw new HTTPError(400, 'a message is JSON text, never binary');
      }
      const isShort = typeof message === 'string' && message.length <= shortMessage;
      asked = isShort ? toAsked(this.#context.parse(message)) : undefined;
      if (asked?.kind === 'cancel') this.#cancel(asked.runId);
      else this.#queue(asked, message);
    } catch (error) {
      this.#refuse(error, asked);
    }
  }

  /** @param asked what the message says, where it has been read */
  #queue(asked: AskedTurn | AskedRun | undefined, message: string | UnreadText): void {
    const isUnread = message instanceof UnreadText;
    try {
      if (this.#line.length >= maxWaitingTurns) throw tooManyTurns();
      const hold = this.#context.hold(isUnread ? message.length : Buffer.byteLength(message));
      const text = isUnread ? message : new UnreadText(Buffer.from(message));
      this.#line.push({ asked: asked ?? { kind: 'text', text }, hold });
    } catch (error) {
      if (isUnread) message.drop();
      throw error;
    }
    this.#forgive();
    if (!this.#working) void this.#work();
  }

  /** One after the other. A turn that waits for somebody gives way, and is told on beside those that follow. */
  async #work(): Promise<void> {
    this.#working = true;
    for (let next = this.#next(); next; next = this.#next()) {
      const told = new ToldRun();
      this.#current = told;
      await this.#begin(next.asked, told);
      next.hold.release();
      this.#current = undefined;
      // Who reads nothing gets nothing more done.
      await this.#out.room();
    }
    this.#working = false;
  }

  #next(): Waiting | undefined {
    return this.#out.closed || this.#followed.size >= maxFollowedRuns ? undefined : this.#line.shift();
  }

  /** Never rejects. */
  async #begin(asked: Waiting['asked'], told: ToldRun): Promise<void> {
    try {
      const read = asked.kind === 'text' ? toAsked(await this.#context.parse(asked.text.read())) : asked;
      if (read.kind === 'cancel') throw new HTTPError(413, `a cancel has at most ${shortMessage} characters`);
      told.name(read);
      await this.#context.charge(1);
      if (told.cancelled.aborted) throw cancelledBefore();
      if (read.kind === 'turn') await this.#turn(told, read);
      else await this.#takeUp(told);
    } catch (error) {
      this.#refuse(error, told);
    }
  }

  async #turn(told: ToldRun, { values }: AskedTurn): Promise<void> {
    const response = await this.#call(told, values);
    told.called = false;
    const { runId } = told;
    this.#context.log('info', 'turn', {
      status: response.status,
      ...(runId !== undefined && { run_id: runId }),
    });
    if (this.#out.closed || this.#teller.answer(response)) return;
    // It waits, or goes on without us: what is left of it is read from its journal, beside the turns that follow.
    const goesOn = runId !== undefined && (response.status === 202 || response.status === 503);
    if (goesOn && this.#teller.mayFollow) void this.#follow(told);
    else if (!this.#teller.waits(told, response)) this.#out.send(errorText(response, told));
  }

  #call(told: ToldRun, values: Values): Awaitable<RouteResponse> {
    const { principal, clientAddress, requestId, signal, dispatcher } = this.#context;
    return dispatcher.dispatch({
      ...{ route: this.#route, principal, via: 'socket' },
      input: { by: 'arguments', values },
      requestId: `${requestId}.${++this.#turns}`,
      ...(clientAddress !== undefined && { clientAddress }),
      ...(told.key !== undefined && { idempotencyKey: told.key }),
      ...{ signal, cancel: told.cancelled },
      charge: (cost) => this.#context.charge(cost),
      observe: (event) => this.#teller.tell(told, event),
      room: () => this.#out.room(),
    });
  }

  async #takeUp(told: ToldRun): Promise<void> {
    if ([...this.#followed].some(({ runId }) => runId === told.runId))
      throw new HTTPError(409, `this socket tells run ${told.runId} already`);
    told.called = false;
    await Promise.race([this.#follow(told), told.gaveWay]);
  }

  /** Never rejects. */
  async #follow(told: ToldRun): Promise<void> {
    this.#followed.add(told);
    try {
      await this.#teller.follow(told);
    } catch (error) {
      this.#refuse(error, told);
    }
    this.#followed.delete(told);
    if (!this.#working) void this.#work();
  }

  /** Ends the turn under way, or that is next, else what was parked last; or the run that is named. Its result tells. */
  #cancel(runId: string | undefined): void {
    const told = runId === undefined ? this.#current : this.#find(runId);
    const next = runId === undefined && !told ? this.#line.shift() : undefined;
    if (next) this.#drop(next);
    else this.#end(told ?? (runId === undefined ? [...this.#followed].at(-1) : undefined), runId);
  }

  #drop(waiting: Waiting): void {
    const { asked } = waiting;
    leave(waiting);
    this.#forgive();
    this.#refuse(cancelledBefore(), asked.kind === 'text' ? {} : asked);
  }

  #end(told: ToldRun | undefined, runId: string | undefined): void {
    if (!told)
      throw new HTTPError(
        404,
        runId === undefined ? 'no turn is under way' : `this socket does not tell run ${runId}`,
      );
    this.#forgive();
    if (told.called) told.cancel();
    else if (!told.ending) void this.#cancelRun(told);
  }

  async #cancelRun(told: ToldRun): Promise<void> {
    told.ending = true;
    try {
      await this.#context.cancelRun(told.runId ?? '', this.#route.name);
    } catch (error) {
      // It has ended meanwhile, and says so by its result.
      if (!(error instanceof HTTPError && error.status === 409)) this.#refuse(error, told);
    }
    told.ending = false;
  }

  #find(runId: string): ToldRun | undefined {
    return [this.#current, ...this.#followed].find((told) => told?.runId === runId);
  }

  /** A message that was let in makes up for those that were refused, unless nobody reads that they were. */
  #forgive(): void {
    if (!this.#out.full) this.#refusals = 0;
  }

  /** The socket stays: one bad message says nothing of the next. */
  #refuse(error: unknown, about: Named = {}): void {
    const { signal } = this.#context;
    // It closed before its message was read: nobody waits for an answer, and nothing failed.
    if (signal.aborted && error === signal.reason) return;
    if (!(error instanceof HTTPError)) this.#context.log('error', 'a message of a socket failed', { error });
    this.#out.send(errorText(toErrorResponse(error), about));
    if (++this.#refusals === maxRefusals)
      this.#out.shut(policyViolation, `${maxRefusals} messages in a row were refused`);
  }
}

/** Its time will not come. */
function leave({ asked, hold }: Waiting): void {
  hold.release();
  if (asked.kind === 'text') asked.text.drop();
}

function cancelledBefore(): HTTPError {
  return new HTTPError(409, 'the turn was cancelled before it began', { code: 'cancelled' });
}

function tooManyTurns(): HTTPError {
  const detail = `${maxWaitingTurns} turns wait on this socket already`;
  return withoutStack(() => new HTTPError(429, detail, { code: 'too_many_turns' }));
}
