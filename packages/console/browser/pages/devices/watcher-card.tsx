import type { VNode } from 'preact';
import { toFragment } from '../../app/place.ts';
import type { ControlWatchersListOutputWatchersItem as WatcherRow } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Ago } from '../../design/time.tsx';
import type { Tone } from '../../design/tone.ts';
import { counted } from '../../design/words.ts';
import { WatcherCeilings } from './watcher-ceilings.tsx';

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  ok: ['good', 'It looks as it should.'],
  limited: ['warn', 'It has reached a ceiling and waits until there is room again.'],
  parked: ['warn', 'Its run waits for a human or for a model; until then it looks no more.'],
  failing: ['bad', 'Its last run failed. It tries again when something has changed.'],
  offline: ['idle', 'Its device gives nothing to look at.'],
};

/** Who judges what a device shows: how often, within what bounds, and how that goes. */
export function WatcherCard({ watcher }: { readonly watcher: WatcherRow }): VNode {
  const { name, agent, every, status, runs_here: here, webhook, parked, last_run_id: runId } = watcher;
  const [tone, says] = states[status] ?? ['idle', ''];
  return (
    <section class="card stack" aria-label={`Watcher ${name}`}>
      <div class="row wrap">
        <h2 class="grow">{name}</h2>
        <Badge tone={tone}>{status}</Badge>
      </div>
      <p>{says}</p>
      <dl class="pairs">
        <dt>Agent</dt>
        <dd>
          <a href={toFragment('playground', ['agent', agent])}>{agent}</a>, with{' '}
          {watcher.scopes.join(', ') || 'no scope'}
        </dd>
        <dt>Looks</dt>
        <dd>
          every {every} s
          <NextTick watcher={watcher} />
        </dd>
        <dt>Last run</dt>
        <dd>
          {runId === null || watcher.last_run_at_ms === null ? (
            'none yet'
          ) : (
            <a href={toFragment('runs', [runId])}>
              <Ago atMs={watcher.last_run_at_ms} />
            </a>
          )}
        </dd>
        {parked > 0 && (
          <>
            <dt>Waiting</dt>
            <dd>
              <a href={toFragment('approvals')}>{counted(parked, 'run')}</a>
            </dd>
          </>
        )}
        {webhook !== null && (
          <>
            <dt>Tells</dt>
            <dd>
              <a href={toFragment('webhooks', [`watcher:${name}`])}>{webhook}</a>
            </dd>
          </>
        )}
      </dl>
      <WatcherCeilings watcher={watcher} />
      {!here && <p class="small soft">It runs in another process of this service, which knows its ticks.</p>}
    </section>
  );
}

function NextTick({ watcher }: { readonly watcher: WatcherRow }): VNode | null {
  const { next_tick_at_ms: next } = watcher;
  if (next === null) return null;
  return (
    <>
      , next <Ago atMs={next} />
    </>
  );
}
