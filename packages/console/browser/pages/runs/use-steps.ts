import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { Live } from '../../app/live.ts';

/** What comes in a burst is told once. */
const burstMs = 150;

/**
 * Tells of each step of a run, and of what is below it, until it is over.
 *
 * @returns whether the feed is there; without it one has to ask
 */
export function useSteps(id: string, over: boolean, onStep: () => void): boolean {
  const { service, connection } = useApp();
  const [told, setTold] = useState(false);
  const newest = useRef(onStep);
  newest.current = onStep;
  const revived = connection.revived.value;
  useEffect(() => {
    if (over) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const live = new Live(service.control, ['step', 'run', 'approval'], () => void connection.refresh());
    const forget = live.open.subscribe(setTold);
    live.listen((_, runId = '') => {
      // Runs below it are called after it: `01J….3`.
      if (rootOf(runId) === rootOf(id)) timer ??= setTimeout(tell, burstMs);
    });
    const tell = (): void => {
      timer = undefined;
      newest.current();
    };
    live.start();
    return () => {
      clearTimeout(timer);
      forget();
      live.stop();
    };
  }, [id, over, revived]);
  return told;
}

function rootOf(runId: string): string | undefined {
  return runId.split('.', 1)[0];
}
