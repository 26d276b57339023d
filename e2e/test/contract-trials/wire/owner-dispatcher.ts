import {
  type Admission,
  type Body,
  type Call,
  type Dispatcher,
  problemResponse,
  RouteResponse,
} from '@waymark/contract/engine';
import {
  type Fault,
  type Pipe,
  type ToOwner,
  type ToWorker,
  toFault,
  type WireCall,
  type WireResponse,
} from './messages.ts';

/** A dispatcher whose calls are answered by the process at the other end. */
export function ownerDispatcher(pipe: Pipe<ToOwner, ToWorker>): Dispatcher {
  const pending = new Map<number, Pending>();
  let calls = 0;
  let open = true;
  pipe.onMessage((message) => pending.get(message.id)?.receive(message));
  pipe.onClose(() => {
    open = false;
    for (const one of [...pending.values()]) one.lose();
  });
  return {
    async dispatch(call) {
      if (!open) return gone();
      const id = ++calls;
      return new Promise((resolve) => {
        const one = new Pending(pipe, id, call, resolve, () => pending.delete(id));
        pending.set(id, one);
        one.start();
      });
    },
    // A socket would be handed over before the upgrade, which is the door's business: no call holds it.
    upgrade: async (): Promise<Admission> => ({ ok: false, response: gone() }),
  };
}

/** One call at the owner, until its answer is here to the last byte. */
class Pending {
  readonly #pipe: Pipe<ToOwner, ToWorker>;
  readonly #id: number;
  readonly #call: Call;
  readonly #resolve: (response: RouteResponse) => void;
  readonly #forget: () => void;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(
    pipe: Pipe<ToOwner, ToWorker>,
    id: number,
    call: Call,
    resolve: (response: RouteResponse) => void,
    forget: () => void,
  ) {
    this.#pipe = pipe;
    this.#id = id;
    this.#call = call;
    this.#resolve = resolve;
    this.#forget = forget;
  }

  start(): void {
    const { signal } = this.#call;
    this.#pipe.send({ id: this.#id, type: 'call', call: toWireCall(this.#call) });
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  receive(message: ToWorker): void {
    if (message.type === 'progress') this.#call.observe?.(message.progress);
    else if (message.type === 'charge') void this.#charge(message.charge, message.cost);
    else if (message.type === 'read') this.#read(message.limit);
    else if (message.type === 'response') this.#answer(message);
    else if (message.type === 'chunk' && message.bytes) this.#stream?.enqueue(message.bytes);
    else this.#end(message.type === 'chunk');
  }

  /** The owner is gone. */
  lose(): void {
    if (this.#stream) this.#stream.error(new Error('the owner process ended'));
    else this.#settle(gone());
    this.#forget();
  }

  #end(whole: boolean): void {
    if (whole) this.#stream?.close();
    else this.#stream?.error(new Error('the answer broke off'));
    this.#forget();
  }

  /** The bucket may be of a third process, so it is waited for here too. */
  async #charge(charge: number, cost: number): Promise<void> {
    let fault: Fault | undefined;
    try {
      await this.#call.charge?.(cost);
    } catch (error) {
      fault = toFault(error);
    }
    this.#pipe.send({ id: this.#id, type: 'charged', charge, fault });
  }

  #read(limit: number): void {
    const { input, signal = new AbortController().signal } = this.#call;
    if (input.by !== 'request') return;
    input.body.read(limit, signal).then(
      (bytes) => this.#pipe.send({ id: this.#id, type: 'body', bytes }),
      (error: unknown) => this.#pipe.send({ id: this.#id, type: 'body-failed', fault: toFault(error) }),
    );
  }

  #answer({ status, headers, body }: WireResponse): void {
    const settle = (whole: Body): void => this.#settle(new RouteResponse(status, whole, headers));
    if (body.kind === 'stream') settle({ ...body, stream: this.#openStream() });
    else {
      settle(body);
      this.#forget();
    }
  }

  /** Chunks are fetched one by one, as they are read. */
  #openStream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => this.#pipe.send({ id: this.#id, type: 'pull' }),
        cancel: () => {
          this.#forget();
          this.#pipe.send({ id: this.#id, type: 'cancel' });
        },
      },
      { highWaterMark: 0 },
    );
  }

  #settle(response: RouteResponse): void {
    this.#call.signal?.removeEventListener('abort', this.#onAbort);
    this.#resolve(response);
  }

  readonly #onAbort = (): void => {
    this.#pipe.send({ id: this.#id, type: 'abort', reason: String(this.#call.signal?.reason) });
  };
}

function toWireCall({ route, input, principal, via, requestId, deadlineMs, clientAddress }: Call): WireCall {
  const rest = {
    route: route.name,
    principal,
    via,
    requestId,
    ...(deadlineMs !== undefined && { leftMs: deadlineMs - performance.now() }),
    ...(clientAddress !== undefined && { clientAddress }),
  };
  if (input.by === 'arguments') return { ...rest, input };
  const { contentType, contentLength } = input.body;
  return { ...rest, input: { ...input, body: { contentType, contentLength } } };
}

function gone(): RouteResponse {
  return problemResponse(503, 'the owner process is restarting', {}, { 'retry-after': '1' });
}
