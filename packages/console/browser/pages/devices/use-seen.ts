import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Whether somebody may look at an element now: it is in the window, and the window is not behind others. */
export function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  const [open, setOpen] = useState(() => !document.hidden);
  useEffect(() => {
    const look = (): void => setOpen(!document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting === true));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return near && open;
}
