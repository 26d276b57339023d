import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { deviceRoutes, type PictureAnswer } from '../../client/device-routes.ts';
import { toPauseMs } from './pace.ts';
import type { PictureLine } from './picture-line.ts';
import { useSeen } from './use-seen.ts';

/** The newest picture of a camera, as far as it came. */
export interface Picture {
  /** Of a blob, for as long as the component is shown. */
  readonly url: string | undefined;
  /** When it was new, by the clock of this browser: epoch milliseconds. */
  readonly atMs: number | undefined;
  /** Why there is no newer one, in the words of the service. */
  readonly trouble: string | undefined;
}

const nothing: Picture = { url: undefined, atMs: undefined, trouble: undefined };

/** Asks for the pictures of a camera one after the other, while somebody looks at where they are shown. */
export function usePicture(
  place: RefObject<HTMLElement | null>,
  { name, line, paceMs }: { readonly name: string; readonly line: PictureLine; readonly paceMs: number },
): Picture {
  const { service } = useApp();
  const [picture, setPicture] = useState(nothing);
  const pace = useRef(paceMs);
  pace.current = paceMs;
  const held = useRef<{ url?: string; tag?: string | undefined }>({});
  const seen = useSeen(place);
  useEffect(
    () => () => {
      if (held.current.url !== undefined) URL.revokeObjectURL(held.current.url);
    },
    [],
  );
  useEffect(() => {
    if (!seen) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    const { latest } = deviceRoutes(service);
    let failures = 0;
    const take = (answer: PictureAnswer): number => {
      const now = Date.now();
      if (answer.found === 'none') {
        setPicture((before) => ({ ...before, trouble: answer.why }));
        return toPauseMs(++failures, answer.retryAfterMs);
      }
      failures = 0;
      const before = held.current.url;
      if (answer.found === 'new') held.current = { url: URL.createObjectURL(answer.image), tag: answer.tag };
      setPicture({ url: held.current.url, atMs: now - answer.ageMs, trouble: undefined });
      if (answer.found === 'new' && before !== undefined) URL.revokeObjectURL(before);
      return pace.current;
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        const leave = await line.enter();
        const beganMs = performance.now();
        const waitMs = await (signal.aborted
          ? Promise.resolve(0)
          : latest(name, held.current.tag, signal).then(take, () =>
              signal.aborted ? 0 : take({ found: 'none', why: 'it did not answer in time', retryAfterMs: 0 }),
            ));
        leave();
        await pause(Math.max(0, waitMs - (performance.now() - beganMs)), signal);
      }
    };
    void follow();
    return () => stopped.abort();
  }, [seen, name, line, service]);
  return picture;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
