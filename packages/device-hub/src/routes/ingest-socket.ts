import { HTTPError } from '@waymark/contract';
import type { EngineContext, Host, Peer } from '@waymark/contract/engine';
import type { Device } from '../device/device.ts';
import { Refusals } from './refusals.ts';

/** Messages that may be under way to the backend before the socket stops reading. */
const maxPending = 16;

/** What arrives on one ingest socket: binary messages are frames, text messages are readings. */
export class IngestSocket {
  readonly #device: Device;
  readonly #peer: Peer;
  readonly #context: Pick<EngineContext, 'log'>;
  readonly #refusals: Refusals;
  #pending = 0;

  constructor(
    device: Device,
    peer: Peer,
    context: Pick<EngineContext, 'log'>,
    { after }: Pick<Host, 'after'>,
  ) {
    this.#device = device;
    this.#peer = peer;
    this.#context = context;
    this.#refusals = new Refusals(peer, after);
  }

  /** Greets the device, and takes what it sends from then on. */
  open(): void {
    const { name, frames } = this.#device.settings;
    this.#peer.send(JSON.stringify({ type: 'ready', device: name, max_fps: frames?.maxFps ?? null }));
    this.#peer.onMessage((message) => this.#receive(message));
  }

  #receive(message: string | Uint8Array): void {
    if (++this.#pending === maxPending) this.#peer.pause();
    this.#take(message)
      .catch((error: unknown) => this.#refuse(error))
      .finally(() => {
        if (this.#pending-- === maxPending) this.#peer.resume();
      });
  }

  async #take(message: string | Uint8Array): Promise<void> {
    const { settings, ingest } = this.#device;
    if (typeof message === 'string') await ingest.takeReadingText(message);
    else if (settings.frames) await ingest.takeMessage(message);
    else throw new HTTPError(404, 'a sensor takes no frames');
  }

  /** The socket stays: one bad message says nothing of the next. */
  #refuse(error: unknown): void {
    const known = error instanceof HTTPError;
    if (!known) this.#context.log('error', 'a message of a device could not be taken', { error });
    this.#refusals.add(known ? error.message : 'internal error');
  }
}
