/** Keeps the screen on while it is held: a phone whose screen goes dark takes its camera away. */
export class WakeLock {
  #sentinel: WakeLockSentinel | undefined;
  #wanted = false;

  hold(): void {
    this.#wanted = true;
    void this.#ask();
  }

  /** The browser lets go whenever the page is hidden; call this when it is seen again. */
  renew(): void {
    if (this.#wanted) void this.#ask();
  }

  release(): void {
    this.#wanted = false;
    void this.#sentinel?.release();
    this.#sentinel = undefined;
  }

  async #ask(): Promise<void> {
    const { wakeLock } = navigator as { readonly wakeLock?: globalThis.WakeLock };
    if (!wakeLock || document.hidden || this.#sentinel?.released === false) return;
    try {
      this.#sentinel = await wakeLock.request('screen');
      if (!this.#wanted) this.release();
    } catch {
      // On low battery, say: the picture is sent as long as the screen is on by itself.
    }
  }
}
