import type { Progress } from '@waymark/contract';
import { type Body, type Call, problemResponse, RouteResponse } from '@waymark/contract/engine';
import type { Link } from './link.ts';
import {
  type Fault,
  type ToOwner,
  type ToWorker,
  toFault,
  toReason,
  type WireCall,
  type WireResponse,
} from './messages.ts';

/** The pieces that a body is sent in: others get their turn between two of them. */
const pieceBytes = 256 * 1024;

/** What a pending call is made with. */
export interface PendingOptions {
  readonly link: Link<ToOwner, ToWorker>;
  readonly id: number;
  readonly call: Call;
  readonly monotonic: () => number;
  readonly resolve: (response: RouteResponse) => void;
  readonly forget: () => void;
}

/** One call at the owner, until its answer is here to the last byte. */
export class PendingCall {
  readonly #options: PendingOptions;
  readonly #send: (message: OwnerMessage) => void;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #settled = false;
  /** Whether the owner was given something of the caller that cannot be had twice. */
  #begun = false;

  constructor(options: PendingOptions) {
    this.#options = options;
    const { link, id } = options;
    this.#send = (message) => link.send({ id, ...message });
  }

  /** @throws what cannot be copied to another process */
  start(): void {
    const { call, monotonic } = this.#options;
    const { signal, cancel } = call;
    this.#send({ type: 'call', call: toWireCall(call, monotonic()) });
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (cancel?.aborted) this.#onCancel();
    else cancel?.addEventListener('abort', this.#onCancel, { once: true });
  }

  receive(message: ToWorker): void {
    const { call } = this.#options;
    if (message.type === 'response') this.#answer(message);
    else if (message.type === 'progress') this.#observe(message.progress);
    else if (message.type === 'chunk') this.#onChunk(message.bytes);
    else if (message.type === 'charge') void this.#charge(message.charge, message.cost);
    else if (message.type === 'read') void this.#readBody(message.limit);
    else if (message.type === 'next') void this.#sendPiece();
    else if (message.type === 'enough') this.#body?.cancel().catch(() => {});
    else if (message.type === 'run') call.onRun?.(message.runId);
    else this.#break('the answer broke off');
  }

  /**
   * The owner is gone.
   *
   * @returns whether the call may be made again: it changes nothing, and nothing of it was used up
   */
  lose(): boolean {
    const { call, forget, resolve } = this.#options;
    forget();
    if (this.#stream || this.#settled) {
      this.#break('the owner process ended');
      return false;
    }
    this.#release();
    if (call.route.readOnly && !this.#begun && call.signal?.aborted !== true) return true;
    resolve(ownerGone());
    return false;
  }

  #observe(progress: Progress): void {
    const { call } = this.#options;
    this.#begun = true;
    call.observe?.(progress);
    const room = call.room?.();
    if (room) void room.then(() => this.#send({ type: 'taken' }));
    else this.#send({ type: 'taken' });
  }

  /** The bucket may be of a third process, so it is waited for here too. */
  async #charge(charge: number, cost: number): Promise<void> {
    let fault: Fault | undefined;
    try {
      await this.#options.call.charge?.(cost);
    } catch (error) {
      fault = toFault(error);
    }
    this.#send({ type: 'charged', charge, fault });
  }

  async #readBody(limit: number): Promise<void> {
    const { input } = this.#options.call;
    this.#begun = true;
    if (input.by !== 'request') return;
    try {
      const bytes = await input.body.read(limit);
      let at = 0;
      do {
        const piece = bytes.subarray(at, at + pieceBytes);
        at += pieceBytes;
        this.#send({ type: 'piece', bytes: piece, last: at >= bytes.length });
      } while (at < bytes.length);
    } catch (error) {
      this.#send({ type: 'body-failed', fault: toFault(error) });
    }
  }

  async #sendPiece(): Promise<void> {
    const { input } = this.#options.call;
    this.#begun = true;
    if (input.by !== 'request') return;
    try {
      this.#body ??= input.body.stream().getReader();
      const { value, done } = await this.#body.read();
      this.#send({ type: 'piece', bytes: value ?? new Uint8Array(0), last: done });
    } catch (error) {
      this.#send({ type: 'body-failed', fault: toFault(error) });
    }
  }

  #answer({ status, headers, body }: WireResponse): void {
    const settle = (whole: Body): void => this.#settle(new RouteResponse(status, whole, headers));
    if (body.kind === 'stream') settle({ ...body, stream: this.#openStream() });
    else {
      settle(body);
      this.#options.forget();
    }
  }

  #onChunk(bytes: Uint8Array | undefined): void {
    if (bytes) this.#stream?.enqueue(bytes);
    else {
      this.#stream?.close();
      this.#options.forget();
    }
  }

  #break(why: string): void {
    this.#stream?.error(new Error(why));
    this.#options.forget();
  }

  /** Chunks are fetched one by one, as they are read. */
  #openStream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => this.#send({ type: 'pull' }),
        cancel: () => {
          this.#options.forget();
          this.#send({ type: 'drop' });
        },
      },
      { highWaterMark: 0 },
    );
  }

  #settle(response: RouteResponse): void {
    this.#settled = true;
    this.#release();
    this.#options.resolve(response);
  }

  #release(): void {
    const { signal, cancel } = this.#options.call;
    signal?.removeEventListener('abort', this.#onAbort);
    cancel?.removeEventListener('abort', this.#onCancel);
  }

  readonly #onAbort = (): void => {
    this.#send({ type: 'abort', reason: toReason(this.#options.call.signal?.reason) });
  };

  readonly #onCancel = (): void => {
    this.#send({ type: 'cancel', reason: toReason(this.#options.call.cancel?.reason) });
  };
}

type OwnerMessage = ToOwner extends infer M ? (M extends unknown ? Omit<M, 'id'> : never) : never;

/** The answer while nobody owns the route. */
function ownerGone(): RouteResponse {
  return problemResponse(
    503,
    'the process that owns this route has ended: whether the call was done is not known',
    { code: 'owner_gone' },
    { 'retry-after': '1' },
  );
}

function toWireCall(call: Call, nowMs: number): WireCall {
  const { route, input, principal, via, requestId, deadlineMs, clientAddress, browser } = call;
  const { idempotencyKey, transient, memo } = call;
  const rest = {
    ...{ route: route.name, principal, via, requestId },
    observed: call.observe !== undefined,
    charged: call.charge !== undefined,
    ...(deadlineMs !== undefined && Number.isFinite(deadlineMs) && { leftMs: deadlineMs - nowMs }),
    ...(clientAddress !== undefined && { clientAddress }),
    ...(browser !== undefined && { browser }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(transient !== undefined && { transient }),
    ...(memo !== undefined && { memo }),
  };
  if (input.by === 'arguments') return { ...rest, input };
  const { contentType, contentLength } = input.body;
  const { by, method, path, headers, params, search } = input;
  // Parameters have no prototype, which is not copied.
  return {
    ...rest,
    input: {
      ...{ by, method, path, headers, search },
      params: { ...params },
      body: { contentType, contentLength },
    },
  };
}
