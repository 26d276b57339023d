// Somebody who uses the desk as it is meant, in a process of its own: so many requests a second, whatever happens.
import { setTimeout as sleep } from 'node:timers/promises';
import { openGreenhouse } from './greenhouse.ts';
import { Desk } from './neighbour-desk.ts';

/** What a neighbour is told. */
export type Wish = { readonly url: string; readonly key: string } | { readonly ms: number };

/** What a neighbour met with. */
export interface Met {
  /** Milliseconds from when each was due until it was over. */
  readonly ms: readonly number[];
  /** Answers that were not what they should be. */
  readonly faults: Readonly<Record<string, number>>;
}

const perSecond = 50;
let use: readonly (() => Promise<void>)[] = [];

process.on('message', (wish: Wish) => void hear(wish));

async function hear(wish: Wish): Promise<void> {
  if ('ms' in wish) process.send?.(await live(wish.ms));
  else {
    const desk = new Desk(wish.url, wish.key);
    await desk.moveIn();
    const greenhouse = await openGreenhouse(wish.url, wish.key);
    use = [() => desk.read(), () => greenhouse.report(), () => desk.write(), () => desk.callTool()];
    process.send?.({ ready: true });
  }
}

async function live(ms: number): Promise<Met> {
  const took: number[] = [];
  const faults: Record<string, number> = {};
  const doings: Promise<void>[] = [];
  const startMs = performance.now();
  const count = Math.round((ms / 1000) * perSecond);
  for (let i = 0; i < count; i++) {
    const dueMs = startMs + (i * 1000) / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    const doing = use[i % use.length]?.() ?? Promise.resolve();
    doings.push(
      doing
        .catch((error: unknown) => {
          const text = error instanceof Error ? error.message : String(error);
          faults[text] = (faults[text] ?? 0) + 1;
        })
        // From when it was due: who waits for their turn waits as well.
        .then(() => void took.push(performance.now() - dueMs)),
    );
  }
  await Promise.all(doings);
  return { ms: took, faults };
}
