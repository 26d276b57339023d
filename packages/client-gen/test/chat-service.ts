import { result, run as runMessage, step, type Told, waiting } from './agent-project.ts';
import type { ScriptedNetwork, ScriptedSocket } from './scripted-socket.ts';

/** What the service does with a turn. */
export interface Plan {
  readonly steps: number;
  /** Waits for a human behind so many steps. */
  readonly parksAfter: number | undefined;
}

interface ModelRun {
  readonly id: string;
  readonly plan: Plan;
  done: number;
  /** It waited, and was let on. */
  approved: boolean;
  status: 'running' | 'completed' | 'cancelled';
}

/** A turn or a take-up on one connection. */
interface Telling {
  readonly message: Told;
  run: ModelRun | undefined;
  seq: number;
  named: boolean;
  parked: boolean;
}

interface Connection {
  readonly socket: ScriptedSocket;
  heard: number;
  readonly line: Telling[];
}

/**
 * The other end of agents' sockets as the protocol has it: one step at a time, in whatever order the test likes.
 * A connection is gone as soon as the client made another one.
 */
export class ChatService {
  readonly #network: ScriptedNetwork;
  readonly #plans: readonly Plan[];
  readonly #isKnown: boolean;
  readonly #runs = new Map<string, ModelRun>();
  readonly #byKey = new Map<string, ModelRun>();
  #connection: Connection | undefined;
  /** Inputs of turns that were begun, again and again if it comes to that. */
  readonly begun: string[] = [];
  /** Turns that found the line full. */
  refused = 0;
  /** Connections that were cut with something still to tell. */
  breaks = 0;

  /** @param plans of the turns whose input is their place in it @param isKnown whether callers have credentials */
  constructor(network: ScriptedNetwork, plans: readonly Plan[], isKnown: boolean) {
    this.#network = network;
    this.#plans = plans;
    this.#isKnown = isKnown;
  }

  /** Opens the newest socket, unless it is open. */
  accept(): void {
    const socket = this.#network.sockets.at(-1);
    if (!socket || socket.closed || this.#connection?.socket === socket) return;
    this.#connection = { socket, heard: 0, line: [] };
    socket.accept();
    socket.tell({ type: 'ready', agent: 'support' });
  }

  /** Takes the next message of the client. */
  hear(): boolean {
    const connection = this.#current();
    const text = connection?.socket.sent[connection.heard];
    if (!connection || text === undefined) return false;
    connection.heard++;
    const message = JSON.parse(String(text)) as Told;
    if (message.type === 'cancel') this.#cancel(String(message['run_id']));
    else if (connection.line.filter(({ parked }) => !parked).length > 8) this.refused++;
    else
      connection.line.push({
        message,
        run: undefined,
        seq: Number(message['last_seq'] ?? 0),
        named: false,
        parked: false,
      });
    return true;
  }

  /** Does the next step of each run that can go on. */
  work(): void {
    const head = this.#current()?.line.find(({ parked }) => !parked);
    if (head) this.#begin(head);
    for (const run of this.#runs.values()) {
      if (run.status !== 'running' || isParked(run)) continue;
      if (run.done < run.plan.steps) run.done++;
      else run.status = 'completed';
    }
  }

  /** A human lets everything on that waits. */
  approve(): void {
    for (const run of this.#runs.values()) if (isParked(run)) run.approved = true;
  }

  /** Sends the next message of one of the runs that are told. False when there is none. */
  tell(which: number): boolean {
    const connection = this.#current();
    if (!connection) return false;
    const head = connection.line.find(({ parked }) => !parked);
    const tellings = connection.line.filter((one) => one.parked || one === head);
    for (let i = 0; i < tellings.length; i++) {
      const telling = tellings[(which + i) % tellings.length];
      const message = telling && this.#next(connection, telling);
      if (!message) continue;
      connection.socket.tell(message);
      return true;
    }
    return false;
  }

  /** Says a lot that no journal keeps. */
  chatter(count: number): void {
    const connection = this.#current();
    const run = connection?.line.find(({ named }) => named)?.run;
    if (!connection || !run) return;
    for (let i = 0; i < count; i++)
      connection.socket.tell({ type: 'delta', run_id: run.id, agent: 'support', text: 'x' });
  }

  /** Cannot tell of one run now. */
  stumble(): void {
    const connection = this.#current();
    const telling = connection?.line.find(({ named, run }) => named && run);
    if (!connection || !telling) return;
    connection.line.splice(connection.line.indexOf(telling), 1);
    connection.socket.tell({ type: 'error', message: 'later', status: 503, run_id: telling.run?.id });
  }

  /** @param late whether what is on its way still arrives, and is begun */
  cut(late: boolean): void {
    if (late) {
      while (this.hear());
      for (const telling of this.#current()?.line ?? []) this.#begin(telling);
    }
    const connection = this.#current();
    if (connection && connection.line.length > 0) this.breaks++;
    connection?.socket.drop();
    this.#connection = undefined;
  }

  #current(): Connection | undefined {
    if (this.#connection?.socket.closed) this.#connection = undefined;
    return this.#connection;
  }

  #begin(telling: Telling): void {
    if (telling.run) return;
    const { run_id: id, idempotency_key: key, input } = telling.message;
    telling.run = id === undefined ? this.#byKey.get(String(key)) : this.#runs.get(String(id));
    const plan = this.#plans[Number(input)];
    if (telling.run || id !== undefined || !plan) return;
    this.begun.push(String(input));
    const run: ModelRun = { id: `r${String(input)}`, plan, done: 0, approved: false, status: 'running' };
    telling.run = run;
    this.#runs.set(run.id, run);
    if (this.#isKnown) this.#byKey.set(String(key), run);
  }

  #cancel(id: string): void {
    const run = this.#runs.get(id);
    if (run?.status === 'running') run.status = 'cancelled';
  }

  #next({ line }: Connection, telling: Telling): object | undefined {
    this.#begin(telling);
    const { run, message } = telling;
    const end = (last: object): object => {
      line.splice(line.indexOf(telling), 1);
      return last;
    };
    const key = message['idempotency_key'] as string | undefined;
    if (!run) return end({ type: 'error', message: 'no such run', status: 404, run_id: message['run_id'] });
    if (!telling.named) {
      telling.named = true;
      return this.#isKnown ? runMessage(run.id, key) : runMessage(run.id, key, {});
    }
    if (telling.seq < run.done) return step(run.id, ++telling.seq);
    if (run.status !== 'running') return end(result(run.id, run.status));
    if (!isParked(run) || telling.parked) return undefined;
    telling.parked = true;
    return waiting(run.id);
  }
}

function isParked({ status, plan, done, approved }: ModelRun): boolean {
  return status === 'running' && !approved && done === plan.parksAfter;
}
