import type { Cancel, Host } from '@waymark/contract/engine';
import type { HubBackend } from '@waymark/contract/hub';

/** What the turn of a camera works with. */
export interface PullTurnParts {
  readonly device: string;
  /** Names this process among those that share the backend. */
  readonly holder: string;
  readonly backend: Pick<HubBackend, 'claim' | 'subscribe'>;
  readonly host: Pick<Host, 'after'>;
}

/** Who asks has the camera for so long, unless it says again that it asks: one that is killed is waited for no longer. */
const heldMs = 5_000;
const renewMs = 1_000;
/** How often one who waits looks whether the camera is free; a picture that comes meanwhile is heard of at once. */
const lookMs = 200;

/** Of several processes that share a backend, one at a time asks a camera. */
export class PullTurn {
  readonly #parts: PullTurnParts;
  #renewal: Cancel | undefined;

  constructor(parts: PullTurnParts) {
    this.#parts = parts;
  }

  /**
   * Waits until this process has the camera, or another one has brought a picture.
   *
   * @returns whether it is this one's turn; until `end`
   */
  async take(signal: AbortSignal): Promise<boolean> {
    if (await this.#claim(heldMs)) return this.#hold();
    let brought = false;
    let wake = (): void => {};
    const { ready, cancel } = this.#parts.backend.subscribe(this.#parts.device, ({ kind }) => {
      if (kind !== 'frame') return;
      brought = true;
      wake();
    });
    // Who cannot listen looks.
    ready.catch(() => {});
    try {
      for (;;) {
        signal.throwIfAborted();
        if (await this.#claim(heldMs)) return this.#hold();
        if (brought) return false;
        await new Promise<void>((resolve) => {
          wake = resolve;
          this.#parts.host.after(lookMs, resolve);
        });
        if (brought) return false;
      }
    } finally {
      cancel();
    }
  }

  /** Lets the next one have it, in so many milliseconds: a camera is asked no more often by several than by one. */
  end(inMs: number): void {
    if (!this.#renewal) return;
    this.#renewal();
    this.#renewal = undefined;
    void this.#claim(Math.max(0, inMs));
  }

  #hold(): boolean {
    this.#renewal = this.#parts.host.after(renewMs, () => {
      void this.#claim(heldMs);
      this.#hold();
    });
    return true;
  }

  /** Where nobody can say whose turn it is, each asks for itself: its picture cannot be told anyway. */
  async #claim(ms: number): Promise<boolean> {
    const { backend, device, holder } = this.#parts;
    return backend.claim(device, holder, ms).catch(() => true);
  }
}
