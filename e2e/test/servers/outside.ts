import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programForm } from '../../../tools/lib/program-form.ts';

/** How models fail, and until when, of the clock of `performance.now`. */
export interface Outage {
  readonly kind: 'none' | '503' | '429' | 'reset' | 'hang';
  readonly untilMs: number;
}

/** What the process is told: every request fails for a while, or one does. */
export type Order =
  | { readonly kind: Outage['kind']; readonly forMs: number }
  | { readonly kind: Outage['kind']; readonly nth: number };

/** An effect that arrived, with the key it came with. */
export interface Arrival {
  readonly tool: string;
  readonly job: string;
  readonly n: number;
  readonly key: string | null;
}

/** What the outside tells. A model's answer is `answered` when somebody was there to take it: it is paid. */
export type Happened =
  | { readonly what: 'listens'; readonly url: string }
  | { readonly what: 'asked'; readonly job: string; readonly serial: number }
  | { readonly what: 'answered'; readonly job: string; readonly serial: number; readonly tookMs: number }
  | { readonly what: 'refused'; readonly job: string }
  | ({ readonly what: 'effect' } & Arrival);

/** The models and the effects of servers that die, in a process that does not. */
export interface Outside {
  readonly url: string;
  /** Everything so far, in its order. */
  readonly happened: readonly Happened[];
  /** Told of what happens from now on. @returns stops it */
  watch(watcher: (happened: Happened) => void): () => void;
  /** Lets every model fail for a while. */
  fail(kind: Outage['kind'], forMs: number): void;
  /** Lets one request to a model fail, counted from 1. */
  failOnce(kind: Outage['kind'], nth: number): void;
  close(): Promise<void>;
}

/** Starts the process that models and effects are in. */
export async function startOutside(): Promise<Outside> {
  const child = fork(join(import.meta.dirname, 'outside-program.ts'), {
    execArgv: [...programForm],
  });
  const happened: Happened[] = [];
  const watchers = new Set<(happened: Happened) => void>();
  const [first] = (await once(child, 'message')) as [Happened];
  if (first.what !== 'listens') throw new Error('it does not begin by saying where it listens');
  child.on('message', (message: Happened) => {
    happened.push(message);
    for (const watcher of watchers) watcher(message);
  });
  return {
    url: first.url,
    happened,
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    fail: (kind, forMs) => void child.send({ kind, forMs } satisfies Order),
    failOnce: (kind, nth) => void child.send({ kind, nth } satisfies Order),
    async close() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
