import type { RouteTable } from '@waymark/contract';
import {
  type BodySource,
  type Call,
  type Dispatcher,
  problemResponse,
  type RouteResponse,
} from '@waymark/contract/engine';
import {
  type Fault,
  fromFault,
  type Pipe,
  type ToOwner,
  type ToWorker,
  type WireCall,
  type WireResponse,
  type WireSource,
} from './messages.ts';

/** Answers the calls that come through the pipe; when it closes, nobody waits for them any more. */
export function serveCalls(pipe: Pipe<ToWorker, ToOwner>, table: RouteTable, dispatcher: Dispatcher): void {
  const working = new Map<number, Served>();
  pipe.onMessage((message) => {
    const { id } = message;
    if (message.type !== 'call') working.get(id)?.receive(message);
    else {
      const served = new Served(pipe, id, () => working.delete(id));
      working.set(id, served);
      void served.answer(message.call, table, dispatcher);
    }
  });
  pipe.onClose(() => {
    for (const served of working.values()) served.stop('the caller is gone');
  });
}

interface Waiting<T> {
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** One call of the other side, until its answer is sent to the last byte. */
class Served {
  readonly #pipe: Pipe<ToWorker, ToOwner>;
  readonly #id: number;
  readonly #forget: () => void;
  readonly #controller = new AbortController();
  /** What the caller's rate bucket has not answered yet. */
  readonly #charges = new Map<number, Waiting<void>>();
  #charged = 0;
  #body: Waiting<Uint8Array> | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(pipe: Pipe<ToWorker, ToOwner>, id: number, forget: () => void) {
    this.#pipe = pipe;
    this.#id = id;
    this.#forget = forget;
  }

  async answer(wireCall: WireCall, table: RouteTable, dispatcher: Dispatcher): Promise<void> {
    const call = this.#toCall(wireCall, table);
    const response = call
      ? await dispatcher.dispatch(call)
      : problemResponse(503, `the owner process does not know the route ${wireCall.route}`);
    this.#send(response);
  }

  receive(message: Exclude<ToOwner, { readonly type: 'call' }>): void {
    if (message.type === 'abort') this.stop(message.reason);
    else if (message.type === 'charged') this.#answerCharge(message.charge, message.fault);
    else if (message.type === 'body') this.#body?.resolve(message.bytes);
    else if (message.type === 'body-failed') this.#body?.reject(fromFault(message.fault));
    else if (message.type === 'pull') void this.#sendChunk();
    else this.#cancel();
  }

  /** Who waits for the other side waits no longer. */
  stop(reason: unknown): void {
    this.#controller.abort(reason);
    for (const waiting of [...this.#charges.values(), this.#body]) waiting?.reject(reason);
    this.#charges.clear();
  }

  #charge(cost: number): Promise<void> {
    const charge = ++this.#charged;
    return new Promise((resolve, reject) => {
      this.#charges.set(charge, { resolve, reject });
      this.#pipe.send({ id: this.#id, type: 'charge', charge, cost });
    });
  }

  #answerCharge(charge: number, fault: Fault | undefined): void {
    const waiting = this.#charges.get(charge);
    this.#charges.delete(charge);
    if (fault) waiting?.reject(fromFault(fault));
    else waiting?.resolve();
  }

  #cancel(): void {
    // Nobody is left to hear why a source does not like to be cancelled.
    this.#reader?.cancel().catch(() => {});
    this.#forget();
  }

  #toCall({ route: name, input, leftMs, ...rest }: WireCall, table: RouteTable): Call | undefined {
    const route = table.get(name);
    if (!route) return undefined;
    return {
      ...rest,
      ...(leftMs !== undefined && { deadlineMs: performance.now() + leftMs }),
      route,
      input: input.by === 'arguments' ? input : { ...input, body: this.#toBody(input.body) },
      signal: this.#controller.signal,
      observe: (progress) => this.#pipe.send({ id: this.#id, type: 'progress', progress }),
      charge: (cost) => this.#charge(cost),
    };
  }

  /** Read when the owner asks, so that its scopes and limits still come first. */
  #toBody({ contentType, contentLength }: WireSource): BodySource {
    const read = (limit: number): Promise<Uint8Array> =>
      new Promise((resolve, reject) => {
        this.#body = { resolve, reject };
        this.#pipe.send({ id: this.#id, type: 'read', limit });
      });
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      controller.enqueue(await read(Number.POSITIVE_INFINITY));
      controller.close();
    };
    return { contentType, contentLength, read, stream: () => new ReadableStream({ pull }) };
  }

  #send({ status, headers, body }: RouteResponse): void {
    const send = (known: WireResponse['body']): void =>
      this.#pipe.send({ id: this.#id, type: 'response', status, headers, body: known });
    if (body.kind === 'stream') {
      const { stream, ...known } = body;
      this.#reader = stream.getReader();
      send(known);
    } else {
      send(body);
      this.#forget();
    }
  }

  async #sendChunk(): Promise<void> {
    try {
      const { value } = (await this.#reader?.read()) ?? {};
      this.#pipe.send({ id: this.#id, type: 'chunk', bytes: value });
      if (!value) this.#forget();
    } catch {
      // The cause is the owner's to log; the reader learns that the answer is not whole.
      this.#pipe.send({ id: this.#id, type: 'broken' });
      this.#forget();
    }
  }
}
