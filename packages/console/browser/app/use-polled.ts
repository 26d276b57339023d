import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from './app-context.ts';
import type { LiveType } from './live.ts';

/** Something that is asked of the service again and again. */
export interface Polled<T> {
  /** The newest answer; it stays while the service is away. */
  readonly value: T | undefined;
  /** Why there is no newer one. */
  readonly error: unknown;
  refresh(): void;
}

/** When something is asked for. */
export interface PolledWhen {
  /** 0, the default: once. While the feed is open, a fifth as often. */
  readonly everyMs?: number;
  /** What the feed has to tell about for it to be asked at once. */
  readonly on?: readonly LiveType[];
}

/** What comes in a burst is asked for once. */
const burstMs = 250;
const whileLive = 5;

/**
 * Asks as long as the component is shown: now, when the feed tells of it, every so often, and as soon as a service that was
 * away is back.
 *
 * @param dependencies with another one it begins anew, and what was there is forgotten
 */
export function usePolled<T>(
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs = 0, on = [] }: PolledWhen,
  dependencies: readonly unknown[],
): Polled<T> {
  const { connection, live } = useApp();
  const [answer, setAnswer] = useState<{ readonly value?: T; readonly error?: unknown }>({});
  const refresh = useRef((): void => {});
  const newest = useRef(load);
  newest.current = load;
  const revived = connection.revived.value;
  useEffect(() => () => setAnswer({}), dependencies);
  useEffect(() => {
    const stopped = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asking = false;
    let once = false;
    const plan = (ms: number): void => {
      clearTimeout(timer);
      if (!stopped.signal.aborted) timer = setTimeout(() => void ask(), ms);
    };
    const ask = async (): Promise<void> => {
      if (asking) {
        once = true;
        return;
      }
      asking = true;
      try {
        const value = await newest.current(stopped.signal);
        if (!stopped.signal.aborted) setAnswer({ value });
      } catch (error) {
        if (!stopped.signal.aborted) setAnswer((before) => ({ ...before, error }));
      }
      asking = false;
      if (once) plan(0);
      else if (everyMs > 0) plan(live.open.peek() && on.length > 0 ? everyMs * whileLive : everyMs);
      once = false;
    };
    const forget = live.listen((type) => {
      if (on.some((one) => one === type)) plan(burstMs);
    });
    refresh.current = () => void ask();
    void ask();
    return () => {
      stopped.abort();
      clearTimeout(timer);
      forget();
    };
  }, [...dependencies, revived, everyMs]);
  return { value: answer.value, error: answer.error, refresh: () => refresh.current() };
}
