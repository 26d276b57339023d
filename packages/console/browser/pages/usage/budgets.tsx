import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import { Failure } from '../../design/failure.tsx';
import { WatcherCeilings } from '../devices/watcher-ceilings.tsx';

const everyMs = 10_000;

/** What watchers have used of their ceilings: they spend with nobody looking. */
export function Budgets(): VNode | null {
  const { service } = useApp();
  const { value, error } = usePolled(
    (signal) => service.control.watchers.list({}, { signal }),
    { everyMs },
    [],
  );
  if (!value)
    return error === undefined ? null : <Failure title="The watchers could not be read" error={error} />;
  if (value.watchers.length === 0) return null;
  return (
    <section class="card stack" aria-label="Ceilings of watchers">
      <h2>Ceilings of watchers</h2>
      {value.watchers.map((one) => (
        <div class="stack" key={one.name}>
          <h3>
            <a href={toFragment('devices', [one.device])}>{one.name}</a>
          </h3>
          <WatcherCeilings watcher={one} />
        </div>
      ))}
    </section>
  );
}
