import { HTTPError } from '@waymark/contract';
import type { Awaitable, EngineContext, Host, Peer } from '@waymark/contract/engine';
import { giveBackMessage } from '@waymark/contract/http';
import type { Device } from '../device/device.ts';
import { type Receipt, Receipts } from './receipts.ts';
import { maxUnreadBytes, Refusals } from './refusals.ts';

/** Messages that may be under way to the backend, or wait for their receipts, before the socket stops reading. */
const maxPending = 16;

/** What takes the receipt of a frame, where one is owed. */
type Give = ((receipt: Receipt) => void) | undefined;

/** What an ingest socket works with. */
export interface IngestSocketParts {
  readonly device: Device;
  readonly peer: Peer;
  readonly context: Pick<EngineContext, 'log'>;
  readonly clock: Pick<Host, 'after'>;
  /** Each frame is answered, and a line that breaks is noticed. */
  readonly receipts: boolean;
}

/** What arrives on one ingest socket: binary messages are frames, text messages are readings. */
export class IngestSocket {
  readonly #parts: IngestSocketParts;
  readonly #refusals: Refusals;
  readonly #receipts: Receipts | undefined;
  readonly #tooFast: Receipt;
  #pending = 0;
  /** Reasons not to read. */
  #holds = 0;
  #unread = false;

  constructor(parts: IngestSocketParts) {
    const { peer, clock, receipts } = parts;
    this.#parts = parts;
    this.#refusals = new Refusals(peer, clock.after);
    this.#tooFast = { seq: null, message: parts.device.ingest.ceiling };
    if (receipts) this.#receipts = new Receipts(peer, (count) => this.#answered(count));
  }

  /** Greets the device, and takes what it sends from then on. */
  open(): void {
    const { device, peer, receipts } = this.#parts;
    const { name, frames } = device.settings;
    const ready = { type: 'ready', device: name, max_fps: frames?.maxFps ?? null };
    peer.send(JSON.stringify(receipts ? { ...ready, receipts } : ready));
    if (receipts) peer.onClose(device.lines.watch(peer, () => this.#pending >= maxPending));
    peer.onDrain(() => this.#drained());
    peer.onMessage((message) => this.#receive(message));
  }

  /** Makes no promise where the backend makes none: most messages are taken within the call. */
  #receive(message: string | Uint8Array): void {
    if (++this.#pending === maxPending) this.#hold();
    const give = typeof message === 'string' ? undefined : this.#receipts?.owe();
    const refusal = this.#refusalOf(message);
    if (refusal !== undefined) {
      giveBackMessage(message);
      this.#refuse(give, refusal);
      return;
    }
    try {
      const taken = this.#take(message);
      if (!(taken instanceof Promise)) {
        // A frame that came too fast, of which nobody has kept anything.
        if (taken === undefined) giveBackMessage(message);
        this.#took(give, taken);
      } else
        void taken.then(
          (seq) => this.#took(give, seq),
          (error: unknown) => this.#refuse(give, this.#textOf(error)),
        );
    } catch (error) {
      this.#refuse(give, this.#textOf(error));
    }
  }

  /** What a flood is told: an error that is thrown for each message of it would cost ten times as much as the message. */
  #refusalOf(message: string | Uint8Array): string | undefined {
    const { settings, ingest } = this.#parts.device;
    if (typeof message === 'string') return ingest.admitReading() ? undefined : ingest.readingCeiling;
    return settings.frames ? undefined : 'a sensor takes no frames';
  }

  #take(message: string | Uint8Array): Awaitable<number | undefined> {
    const { ingest } = this.#parts.device;
    if (typeof message === 'string') {
      const told = ingest.takeReadingText(message);
      return told instanceof Promise ? told.then(() => undefined) : undefined;
    }
    return ingest.takeMessage(message);
  }

  #took(give: Give, seq: number | undefined): void {
    if (give) give(seq === undefined ? this.#tooFast : { seq });
    else this.#settle(1);
  }

  #refuse(give: Give, message: string): void {
    if (give) {
      give({ seq: null, message });
      return;
    }
    this.#refusals.add(message);
    this.#settle(1);
  }

  /** The socket stays: one bad message says nothing of the next. */
  #textOf(error: unknown): string {
    if (error instanceof HTTPError) return error.message;
    this.#parts.context.log('error', 'a message of a device could not be taken', { error });
    return 'internal error';
  }

  /** Who does not read what it asked for is not read either. */
  #answered(count: number): void {
    if (!this.#unread && this.#parts.peer.bufferedAmount > maxUnreadBytes) {
      this.#unread = true;
      this.#hold();
    }
    this.#settle(count);
  }

  #drained(): void {
    if (!this.#unread) return;
    this.#unread = false;
    this.#release();
  }

  #settle(count: number): void {
    const full = this.#pending >= maxPending;
    this.#pending -= count;
    if (full && this.#pending < maxPending) this.#release();
  }

  #hold(): void {
    if (this.#holds++ === 0) this.#parts.peer.pause();
  }

  #release(): void {
    if (--this.#holds === 0) this.#parts.peer.resume();
  }
}
