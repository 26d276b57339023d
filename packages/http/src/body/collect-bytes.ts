import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { HTTPError } from '@waymark/contract';
import type { BodyReceiver } from '@waymark/contract/engine';
import { SoleRequest } from '../server/sole-request.ts';
import { Assembly } from './assembly.ts';
import { pieceCost } from './piece-cost.ts';

/** What a body may become. */
export interface Bounds {
  /** Bytes of the whole. */
  readonly limit: number;
  /** Bytes that were announced, and have been taken already; undefined where nobody knows. */
  readonly announced: number | undefined;
  /** Asked for what else is kept, as it comes; gives the refusal. */
  readonly take: (bytes: number) => HTTPError | undefined;
  /** Is shown the whole before the receiver is. */
  readonly whole?: (bytes: Buffer) => void;
}

/**
 * Reads a body to its end; stops as soon as more than `limit` bytes came.
 *
 * The receiver is told in the turn in which the last byte comes. It fails with 413 over `limit` bytes, what it throws itself
 * at a piece, what `take` refuses, 400 when the body is cut off, and the reason of whoever ends it.
 *
 * @returns ends it
 */
export function collectBytes(
  req: IncomingMessage,
  bounds: Bounds,
  receiver: BodyReceiver,
): (reason: unknown) => void {
  const collecting = new Collecting(req, bounds, receiver);
  collecting.begin();
  return collecting.end;
}

/** A body on its way, in the async context of whoever asked for it: what it is told to is that one's work. */
class Collecting extends AsyncResource {
  readonly #req: IncomingMessage;
  readonly #bounds: Bounds;
  readonly #receiver: BodyReceiver;
  readonly #assembly: Assembly;
  /** Loggers and signature checks in front of the door keep what they hear, and have left before the last of it is read. */
  readonly #isSole: boolean;
  #length = 0;
  #kept = 0;
  #over = false;

  constructor(req: IncomingMessage, bounds: Bounds, receiver: BodyReceiver) {
    super('WaymarkBody');
    this.#req = req;
    this.#bounds = bounds;
    this.#receiver = receiver;
    this.#assembly = new Assembly(bounds.announced ?? 0);
    this.#isSole = req instanceof SoleRequest && req.listenerCount('data') === 0;
  }

  begin(): void {
    this.#req.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
    if (this.#req.destroyed) this.#onClose();
  }

  readonly end = (reason: unknown): void => {
    if (this.#over) return;
    this.#stop();
    this.#req.pause();
    this.#assembly.drop(this.#isOwn(0));
    this.runInAsyncScope(this.#receiver.failed, this.#receiver, reason);
  };

  readonly #onData = (chunk: Buffer): void => {
    const { limit, announced = 0, take } = this.#bounds;
    // It may be given back once it is added.
    const bytes = chunk.length;
    this.#length += bytes;
    if (this.#length > limit) this.end(tooLarge(limit));
    else if ((!this.#receiver.check || this.#isTaken(chunk)) && this.#assembly.add(chunk, this.#isOwn(1))) {
      // What was announced is paid for, and one piece is the whole of most bodies.
      const unpaid = Math.min(bytes, Math.max(0, this.#length - announced));
      const cost = unpaid + (this.#kept++ === 0 ? 0 : pieceCost(bytes));
      const refusal = cost === 0 ? undefined : take(cost);
      if (refusal) this.end(refusal);
    }
  };

  #isTaken(piece: Buffer): boolean {
    try {
      this.#receiver.check?.(piece);
      return true;
    } catch (error) {
      this.end(error);
      return false;
    }
  }

  readonly #onEnd = (): void => {
    this.#stop();
    const whole = this.#assembly.whole(this.#isOwn(0));
    this.#bounds.whole?.(whole);
    this.runInAsyncScope(this.#receiver.arrived, this.#receiver, whole);
  };

  readonly #onClose = (): void => this.end(cutOff());

  /** Whether nobody else hears the pieces. @param own how many listeners are ours */
  #isOwn(own: number): boolean {
    return this.#isSole && this.#req.listenerCount('data') === own;
  }

  #stop(): void {
    this.#over = true;
    this.#req.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
  }
}

/** The refusal of a body over its limit. */
export function tooLarge(limit: number): HTTPError {
  return new HTTPError(413, `the body is larger than ${limit} bytes`);
}

/** What a reader is told when the client went away in the middle; nobody is left to read it. */
export function cutOff(): HTTPError {
  return new HTTPError(400, 'the body was cut off');
}
