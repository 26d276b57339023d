import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from './app-context.ts';

const againMs = 3_000;

/**
 * Is told that something happened, as soon as it did, for as long as the component is shown and somebody looks.
 *
 * @param kinds as the feed takes them, with commas; all where it is empty
 * @returns whether it is told now
 */
export function useFeed(on: boolean, kinds: string, onEvent: () => void): boolean {
  const { service } = useApp();
  const [told, setTold] = useState(false);
  const newest = useRef(onEvent);
  newest.current = onEvent;
  useEffect(() => {
    if (!on) return;
    let cut = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = async (): Promise<void> => {
      const { signal } = cut;
      try {
        for await (const _ of service.control.events.stream(kinds === '' ? {} : { kinds }, { signal })) {
          setTold(true);
          newest.current();
        }
      } catch {
        // It goes on by itself after a break; whatever ended it is met when it is begun again.
      }
      setTold(false);
      if (!signal.aborted) timer = setTimeout(() => void listen(), againMs);
    };
    // A window behind others holds no connection.
    const look = (): void => {
      cut.abort();
      clearTimeout(timer);
      cut = new AbortController();
      if (!document.hidden) void listen();
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      cut.abort();
      clearTimeout(timer);
      setTold(false);
    };
  }, [on, kinds, service]);
  return told;
}
