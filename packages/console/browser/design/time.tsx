import type { VNode } from 'preact';
import { useApp } from '../app/app-context.ts';
import { toAgo, toDuration, toMoment } from './words.ts';

/** How long ago, or in how long; its title has the moment and the zone. */
export function Ago({ atMs }: { readonly atMs: number }): VNode {
  const { now } = useApp();
  return (
    <time dateTime={new Date(atMs).toISOString()} title={toMoment(atMs)}>
      {toAgo(now.value - atMs)}
    </time>
  );
}

/** How long something takes that may still be going on. */
export function Lasting({
  fromMs,
  untilMs,
}: {
  readonly fromMs: number;
  readonly untilMs: number | null;
}): VNode {
  const { now } = useApp();
  return <span>{toDuration(Math.max(0, (untilMs ?? now.value) - fromMs))}</span>;
}
