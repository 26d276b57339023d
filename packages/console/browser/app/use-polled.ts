import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from './app-context.ts';

/** Something that is asked of the service again and again. */
export interface Polled<T> {
  /** The newest answer; it stays while the service is away. */
  readonly value: T | undefined;
  /** Why there is no newer one. */
  readonly error: unknown;
  refresh(): void;
}

/**
 * Asks as long as the component is shown: now, every so often, and as soon as a service that was away is back.
 *
 * @param everyMs 0: once
 * @param dependencies with another one it begins anew, and what was there is forgotten
 */
export function usePolled<T>(
  load: (signal: AbortSignal) => Promise<T>,
  everyMs: number,
  dependencies: readonly unknown[],
): Polled<T> {
  const { connection } = useApp();
  const [answer, setAnswer] = useState<{ readonly value?: T; readonly error?: unknown }>({});
  const refresh = useRef((): void => {});
  const newest = useRef(load);
  newest.current = load;
  const revived = connection.revived.value;
  useEffect(() => () => setAnswer({}), dependencies);
  useEffect(() => {
    const stopped = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      clearTimeout(timer);
      try {
        const value = await newest.current(stopped.signal);
        if (!stopped.signal.aborted) setAnswer({ value });
      } catch (error) {
        if (!stopped.signal.aborted) setAnswer((before) => ({ ...before, error }));
      }
      if (everyMs > 0 && !stopped.signal.aborted) timer = setTimeout(() => void ask(), everyMs);
    };
    refresh.current = () => void ask();
    void ask();
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, [...dependencies, revived, everyMs]);
  return { value: answer.value, error: answer.error, refresh: () => refresh.current() };
}
