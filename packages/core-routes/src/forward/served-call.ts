import type { Progress, RouteTable } from '@waymark/contract';
import {
  type BodySource,
  type Call,
  type Dispatcher,
  problemResponse,
  type RouteResponse,
} from '@waymark/contract/engine';
import type { Link } from './link.ts';
import {
  type Fault,
  fromFault,
  type ToOwner,
  type ToWorker,
  type WireCall,
  type WireResponse,
  type WireSource,
} from './messages.ts';
import { PulledBody } from './pulled-body.ts';

/** Events that may be on their way to whoever observes before the next one waits. */
const maxUntaken = 16;

/** What calls are answered with. */
export interface Answering {
  readonly table: RouteTable;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  /** Milliseconds of a clock that is never set. */
  readonly monotonic: () => number;
}

interface Waiting {
  resolve(): void;
  reject(reason: unknown): void;
}

/** One call of a worker, until its answer is sent to the last byte. */
export class ServedCall {
  readonly #link: Link<ToWorker, ToOwner>;
  readonly #id: number;
  readonly #forget: () => void;
  readonly #controller = new AbortController();
  readonly #cancel = new AbortController();
  /** What the caller's rate bucket has not answered yet. */
  readonly #charges = new Map<number, Waiting>();
  #charged = 0;
  #untaken = 0;
  #roomy: (() => void)[] = [];
  #body: PulledBody | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(link: Link<ToWorker, ToOwner>, id: number, forget: () => void) {
    this.#link = link;
    this.#id = id;
    this.#forget = forget;
  }

  async answer(wire: WireCall, { table, dispatcher, monotonic }: Answering): Promise<void> {
    const route = table.get(wire.route);
    const response = route
      ? await dispatcher.dispatch(this.#toCall(wire, route, monotonic()))
      : problemResponse(503, `the owner does not know the route ${wire.route}`, {}, { 'retry-after': '1' });
    this.#answer(response);
  }

  receive(message: Exclude<ToOwner, { readonly type: 'call' }>): void {
    if (message.type === 'pull') void this.#sendChunk();
    else if (message.type === 'taken') this.#taken();
    else if (message.type === 'piece') this.#body?.piece(message.bytes, message.last);
    else if (message.type === 'body-failed') this.#body?.fail(fromFault(message.fault));
    else if (message.type === 'charged') this.#answerCharge(message.charge, message.fault);
    else if (message.type === 'abort') this.stop(message.reason);
    else if (message.type === 'cancel') this.#cancel.abort(aborted(message.reason));
    else this.#drop();
  }

  /** Whoever waits for the other side waits no longer. */
  stop(reason: string): void {
    const error = aborted(reason);
    this.#controller.abort(error);
    for (const waiting of this.#charges.values()) waiting.reject(error);
    this.#charges.clear();
    this.#body?.fail(error);
    if (this.#reader) this.#drop();
    for (const resolve of this.#roomy.splice(0)) resolve();
  }

  #send(message: WorkerMessage): void {
    this.#link.send({ id: this.#id, ...message });
  }

  #toCall(
    { input, leftMs, observed, charged, ...rest }: WireCall,
    route: Call['route'],
    nowMs: number,
  ): Call {
    return {
      ...rest,
      ...(leftMs !== undefined && { deadlineMs: nowMs + leftMs }),
      route,
      input: input.by === 'arguments' ? input : { ...input, body: this.#toBody(input.body) },
      signal: this.#controller.signal,
      cancel: this.#cancel.signal,
      onRun: (runId) => this.#send({ type: 'run', runId }),
      ...(observed && { observe: (progress) => this.#observe(progress), room: () => this.#room() }),
      ...(charged && { charge: (cost) => this.#charge(cost) }),
    };
  }

  #observe(progress: Progress): void {
    this.#untaken++;
    this.#send({ type: 'progress', progress });
  }

  #room(): Promise<void> | undefined {
    if (this.#untaken < maxUntaken || this.#controller.signal.aborted) return undefined;
    return new Promise((resolve) => this.#roomy.push(resolve));
  }

  #taken(): void {
    this.#untaken--;
    if (this.#untaken < maxUntaken) for (const resolve of this.#roomy.splice(0)) resolve();
  }

  #charge(cost: number): Promise<void> {
    const charge = ++this.#charged;
    return new Promise((resolve, reject) => {
      this.#charges.set(charge, { resolve, reject });
      this.#send({ type: 'charge', charge, cost });
    });
  }

  #answerCharge(charge: number, fault: Fault | undefined): void {
    const waiting = this.#charges.get(charge);
    this.#charges.delete(charge);
    if (fault) waiting?.reject(fromFault(fault));
    else waiting?.resolve();
  }

  /** Read when the owner asks, so that its scopes and limits still come first. */
  #toBody({ contentType, contentLength }: WireSource): BodySource {
    const body = new PulledBody((message) => this.#send(message));
    this.#body = body;
    return {
      ...{ contentType, contentLength },
      read: (limit) => body.read(limit),
      stream: () => body.stream(),
    };
  }

  #answer({ status, headers, body }: RouteResponse): void {
    const send = (known: WireResponse['body']): void =>
      this.#send({ type: 'response', status, headers: { ...headers }, body: known });
    if (body.kind === 'stream') {
      const { stream, ...known } = body;
      this.#reader = stream.getReader();
      send(known);
      if (this.#controller.signal.aborted) this.#drop();
    } else {
      send(body);
      this.#forget();
    }
  }

  async #sendChunk(): Promise<void> {
    try {
      const { value } = (await this.#reader?.read()) ?? {};
      this.#send({ type: 'chunk', bytes: value });
      if (!value) this.#forget();
    } catch {
      // The cause is its source's to log; the reader learns that the answer is not whole.
      this.#send({ type: 'broken' });
      this.#forget();
    }
  }

  #drop(): void {
    // Nobody is left to hear why a source does not like to be cancelled.
    this.#reader?.cancel().catch(() => {});
    this.#forget();
  }
}

type WorkerMessage = ToWorker extends infer M ? (M extends unknown ? Omit<M, 'id'> : never) : never;

function aborted(reason: string): DOMException {
  return new DOMException(reason, 'AbortError');
}
