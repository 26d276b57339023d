import type { Host } from '@waymark/contract/engine';

/** How long whoever asks is kept waiting by a store that does not answer. */
const patienceMs = 1_000;

/** Counts the messages that wait, for health. */
export class WaitingCount {
  #known = 0;

  /** Never rejects: a store that fails, or is too slow, leaves the count as it was known last. */
  async current(
    { stores, log }: Pick<Host, 'stores' | 'log'>,
    endpoints: readonly { readonly name: string }[],
  ): Promise<number> {
    const names = new Set(endpoints.map(({ name }) => name));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the store did not answer')), patienceMs);
    });
    try {
      const lines = await Promise.race([stores.outbox.lines(), patience]);
      this.#known = lines
        .filter(({ endpoint }) => names.has(endpoint))
        .reduce((sum, { waiting }) => sum + waiting, 0);
    } catch (error) {
      log('warn', 'messages that wait could not be counted', { error });
    } finally {
      clearTimeout(timer);
    }
    return this.#known;
  }
}
