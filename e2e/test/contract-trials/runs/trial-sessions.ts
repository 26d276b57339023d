import type { Json, SessionAppend, SessionStore } from '@waymark/contract';

/** What was said in conversations, over a map. Messages count from 0; `uptoN` is the first that is not there yet. */
export class TrialSessions implements SessionStore {
  readonly #sessions = new Map<string, { readonly messages: readonly Json[]; readonly fromN: number }>();

  async load(
    key: string,
    range?: { readonly fromN: number; readonly uptoN: number },
  ): Promise<Awaited<ReturnType<SessionStore['load']>>> {
    const session = this.#sessions.get(key);
    if (!session) return undefined;
    const { fromN, uptoN } = range ?? { fromN: session.fromN, uptoN: session.messages.length };
    return { fromN, uptoN, messages: session.messages.slice(fromN, uptoN) };
  }

  async forget(key: string): Promise<void> {
    this.#sessions.delete(key);
  }

  async count(): Promise<number> {
    return this.#sessions.size;
  }

  /** Part of the end of a run, where there is a database. */
  append(key: string, { messages, replaces = false }: SessionAppend): void {
    const session = this.#sessions.get(key) ?? { messages: [], fromN: 0 };
    this.#sessions.set(key, {
      messages: [...session.messages, ...messages],
      fromN: replaces ? session.messages.length : session.fromN,
    });
  }
}
