import { type SocketTurn, SocketTurns, type ToldRun } from './agent-turns.ts';
import type {
  AgentClient,
  AgentErrorMessage,
  AgentMessage,
  AgentResultMessage,
  AgentRun,
  AgentSocket,
  AgentTurn,
} from './agent-types.ts';
import { toJsonText } from './requests.ts';
import type { RunStepped, RunWaiting } from './run-types.ts';
import { connectRuns } from './runs.ts';
import {
  type SocketClientOptions,
  SocketError,
  type SocketOptions,
  type SocketState,
} from './socket-types.ts';
import { LastingSocket, readRecord, toWaitMs } from './sockets.ts';

/** Gives an agent by the path of its route: what generated clients do for each of theirs. */
export function connectAgents(client: SocketClientOptions) {
  const runs = connectRuns(client);
  return <I, O>(path: string, timeoutMs: number): AgentClient<I, O> => ({
    ...runs<I, O>(path, timeoutMs),
    socket: (options = {}) => new AgentConversation<I, O>(client, path, options),
  });
}

/** Messages that wait for a reader; the connection is let go of then. */
export const mostUnread = 1_000;
/** How often in a row, without a step between, a run is taken up that the service cannot tell of. */
export const takenUpAtMost = 6;
/** Of a service that cannot tell of a run now, and of a caller that has asked too often. */
export const passingStatuses = [429, 503];

export class AgentConversation<I, O> implements AgentSocket<I, O> {
  readonly #turns = new SocketTurns();
  readonly #unread: AgentMessage<O>[] = [];
  readonly #socket: LastingSocket;
  /** Whether the service knows its caller, who may then send a turn again and take up a run. */
  #isKnown: boolean;
  #ended = false;
  /** Why the service will have no more of it. */
  #error: Error | undefined;
  #errorWasThrown = false;
  #wake = (): void => {};

  constructor(client: SocketClientOptions, path: string, options: SocketOptions) {
    this.#isKnown = client.token !== undefined || client.apiKey !== undefined;
    this.#socket = new LastingSocket({
      client,
      options,
      path,
      query: {},
      // No run has this id.
      probe: { method: 'GET', path: `${path}/runs/none`, finalStatuses: [401, 403], fineStatus: 404 },
      onOpen: () => this.#flush(),
      onMessage: (data) => this.#receive(data),
      onBreak: (error) => this.#mend(error),
      onEnd: (error) => this.#end(error),
    });
  }

  get state(): SocketState {
    return this.#socket.state;
  }

  send(turn: AgentTurn<I>): string {
    this.#refuseEnded();
    const { idempotency_key: key = toKey() } = turn;
    if (this.#turns.ofKey(key)) throw new TypeError(`a turn with the key "${key}" has not ended yet`);
    const text = toJsonText('turn', { ...turn, idempotency_key: key });
    this.#turns.add({ key, text, run: undefined, lasting: false });
    this.#flush();
    return key;
  }

  follow(runId: string, { lastSeq = 0 }: { readonly lastSeq?: number | undefined } = {}): void {
    this.#refuseEnded();
    if (this.#turns.ofRun(runId).length > 0) return;
    this.#turns.add({ key: undefined, text: '', run: toldRun(runId, lastSeq), lasting: true });
    this.#flush();
  }

  cancel(runId?: string): boolean {
    const turn = runId === undefined ? this.#turns.underWay() : this.#turns.ofRun(runId)[0];
    if (!turn) return false;
    turn.cancelled = true;
    if (!turn.wasSent && turn.key !== undefined)
      this.#refuse(turn, { message: 'the turn was cancelled before it was sent', status: 0 });
    else if (turn.told) this.#sendCancel(turn);
    return true;
  }

  close(): void {
    this.#socket.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentMessage<O>, undefined> {
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<AgentMessage<O>, undefined>> {
    for (;;) {
      const value = this.#unread.shift();
      if (this.#unread.length === 0) this.#socket.resume();
      if (value) return { value, done: false };
      if (this.#ended) break;
      await new Promise<void>((resolve) => {
        const wakeOthers = this.#wake;
        this.#wake = () => {
          wakeOthers();
          resolve();
        };
      });
    }
    if (!this.#error || this.#errorWasThrown) return { value: undefined, done: true };
    this.#errorWasThrown = true;
    throw this.#error;
  }

  #refuseEnded(): void {
    if (this.#error) throw this.#error;
    if (this.#ended) throw new TypeError('the socket is closed');
  }

  #flush(): void {
    if (this.state !== 'open') return;
    for (const { run, text } of this.#turns.unsent())
      this.#socket.send(run ? JSON.stringify({ run_id: run.id, last_seq: run.seq }) : text);
  }

  #sendCancel({ run }: SocketTurn): void {
    this.#socket.send(JSON.stringify({ type: 'cancel', run_id: run?.id }));
  }

  #receive(data: unknown): void {
    // The service says which members a message of this type has.
    const message = readRecord(data) as AgentMessage<O> | AgentReady | undefined;
    if (message?.type === 'ready' && message.authenticated === false) this.#isKnown = false;
    if (message?.type === 'run') this.#begin(message);
    if (message?.type === 'step') this.#takeStep(message);
    if (message?.type === 'delta' && this.#turns.ofRun(message.run_id).length > 0) this.#tell(message);
    if (message?.type === 'waiting') this.#park(message);
    if (message?.type === 'result') this.#settle(message);
    if (message?.type === 'error') this.#fail(message);
  }

  #begin(message: AgentRun): void {
    const { run_id: id, location, idempotency_key: key } = message;
    const turn = this.#turnOf(message) ?? (key === undefined ? this.#firstUnnamed() : undefined);
    if (!turn) return;
    if (turn.key !== undefined) this.#isKnown = location !== undefined;
    const [other] = this.#turns.ofRun(id);
    turn.run ??= other?.run ?? toldRun(id, 0);
    turn.lasting ||= location !== undefined;
    turn.told = true;
    turn.text = '';
    const { run } = turn;
    if (!run.begun) this.#tell(message);
    run.begun = true;
    if (turn.cancelled) this.#sendCancel(turn);
  }

  /** Which one a message is about: by its key, else by its run. */
  #turnOf({ run_id: id, idempotency_key: key }: Pick<AgentErrorMessage, 'run_id' | 'idempotency_key'>) {
    const of = id === undefined ? [] : this.#turns.ofRun(id);
    return this.#turns.ofKey(key) ?? of.find(({ told }) => !told) ?? of[0];
  }

  /** A service that does not repeat the key works on turns in their order. */
  #firstUnnamed(): SocketTurn | undefined {
    return this.#turns.all().find(({ place, run }) => place === 'sent' && !run);
  }

  #takeStep(message: RunStepped): void {
    const turns = this.#turns.ofRun(message.run_id);
    const run = turns[0]?.run;
    const seq = message.step?.seq;
    // After a break, or where two turns are of one run, some come again.
    if (!run || typeof seq !== 'number' || seq <= run.seq) return;
    run.seq = seq;
    this.#socket.worked();
    run.waiting = undefined;
    for (const turn of turns) turn.failures = 0;
    this.#tell(message);
  }

  #park(message: RunWaiting): void {
    const turns = this.#turns.ofRun(message.run_id);
    for (const turn of turns) if (turn.place === 'sent') turn.place = 'parked';
    const run = turns[0]?.run;
    const text = JSON.stringify(message);
    if (run && run.waiting !== text) {
      run.waiting = text;
      this.#tell(message);
    }
    this.#flush();
  }

  #settle(message: AgentResultMessage<O>): void {
    const { run_id: id } = (message.result ?? {}) as { readonly run_id?: unknown };
    const turns = this.#turns.ofRun(id);
    const turn = turns.find(({ told }) => told) ?? turns[0];
    if (!turn) return;
    this.#turns.remove(turn);
    this.#socket.worked();
    this.#tell(message);
    this.#flush();
  }

  #fail(message: AgentErrorMessage): void {
    const turn = this.#turnOf(message);
    // Of a turn that has ended: a cancellation that came too late.
    if (!turn && (message.run_id ?? message.idempotency_key) !== undefined) return;
    if (turn && this.#mayGoOn(turn) && passingStatuses.includes(message.status)) {
      this.#postpone(turn, message.retry_after);
    } else {
      if (turn) this.#turns.remove(turn);
      this.#tell(message);
    }
    this.#flush();
  }

  /** It has begun, or may have, and can be asked for again. */
  #mayGoOn({ run, lasting, sentAgain, failures }: SocketTurn): boolean {
    return failures < takenUpAtMost && (run ? lasting : sentAgain && this.#isKnown);
  }

  #postpone(turn: SocketTurn, seconds = 0): void {
    turn.failures++;
    turn.place = 'later';
    turn.told = false;
    clearTimeout(turn.timer);
    turn.timer = setTimeout(
      () => {
        turn.place = 'held';
        this.#flush();
      },
      Math.max(toWaitMs(turn.failures), seconds * 1_000),
    );
  }

  /** Ends a turn from here. */
  #refuse(turn: SocketTurn, why: Pick<AgentErrorMessage, 'message' | 'status'>): void {
    this.#turns.remove(turn);
    this.#tell({
      type: 'error',
      ...why,
      ...(turn.run && { run_id: turn.run.id }),
      ...(turn.key !== undefined && { idempotency_key: turn.key }),
    });
  }

  /** After a break every turn is asked for again, but what the service would begin anew. */
  #mend(error: Error | undefined): void {
    const sent = this.#turns.all().filter(({ place }) => place === 'sent' || place === 'parked');
    const tooLarge = error instanceof SocketError && error.code === 1009 ? largest(sent) : undefined;
    for (const turn of sent) {
      turn.place = 'held';
      turn.told = false;
      turn.sentAgain = true;
      if (turn === tooLarge)
        this.#refuse(turn, { message: 'the turn is larger than the service takes', status: 413 });
      else if (turn.run ? !turn.lasting : !this.#isKnown)
        this.#refuse(turn, {
          message: 'the connection broke, and without credentials nobody can ask what became of the turn',
          status: 0,
        });
    }
  }

  #end(error: Error | undefined): void {
    this.#ended = true;
    this.#error = error;
    this.#turns.clear();
    // What a service told before it closed is read; who closes it here wants no more.
    if (!error) this.#unread.length = 0;
    this.#rouse();
  }

  #tell(message: AgentMessage<O>): void {
    if (this.#ended) return;
    this.#unread.push(message);
    this.#rouse();
    if (this.#unread.length >= mostUnread) this.#socket.pause();
  }

  #rouse(): void {
    const wake = this.#wake;
    this.#wake = () => {};
    wake();
  }
}

/** The one that the service may have found too large: none that it began. */
export function largest(turns: readonly SocketTurn[]): SocketTurn | undefined {
  return turns
    .filter(({ run }) => !run)
    .reduce<SocketTurn | undefined>(
      (most, turn) => (most && most.text.length >= turn.text.length ? most : turn),
      undefined,
    );
}

/** The first message of each connection, which its reader is not told. */
export interface AgentReady {
  readonly type: 'ready';
  readonly authenticated?: boolean;
}

export function toldRun(id: string, seq: number): ToldRun {
  return { id, seq, waiting: undefined, begun: false };
}

/** `randomUUID` is only there on pages of https. */
export function toKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
