import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import { deviceRoutes, type KeptInsight } from '../../client/device-routes.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Failure } from '../../design/failure.tsx';
import { Ago } from '../../design/time.tsx';
import { LongText } from '../../design/value-view.tsx';
import { counted, toUsd } from '../../design/words.ts';
import type { PictureLine } from './picture-line.ts';
import { useSeen } from './use-seen.ts';

const everyMs = 3_000;
const millionths = 1_000_000;

interface ListProps {
  readonly name: string;
  readonly watched: boolean;
  readonly line: PictureLine;
}

/** What watchers concluded of a device, newest first, each with the picture that it is about. */
export function InsightList({ name, watched, line }: ListProps): VNode | null {
  const { service } = useApp();
  const { value, error } = usePolled(
    (signal) => deviceRoutes(service).insights({ name }, { signal }),
    { everyMs, on: ['insight'] },
    [name],
  );
  const insights = value && [...value.insights].reverse();
  if (insights === undefined)
    return error === undefined ? null : <Failure title="The insights could not be read" error={error} />;
  if (insights.length === 0 && !watched) return null;
  return (
    <section class="card stack" aria-label="Insights">
      <div class="row">
        <h2 class="grow">Insights</h2>
        <span class="small soft">{counted(insights.length, 'kept', 'kept')}</span>
      </div>
      {insights.length === 0 && <p class="soft">Its watchers have said nothing yet.</p>}
      <ol class="insights">
        {insights.map((one) => (
          <li key={`${one.run_id} ${one.at_ms}`}>
            <Insight device={name} insight={one} line={line} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface InsightProps {
  readonly device: string;
  readonly insight: KeptInsight;
  readonly line: PictureLine;
}

function Insight({ device, insight, line }: InsightProps): VNode {
  const { output, error, status, watcher, run_id: runId, tokens, cost_micros: micros, at_ms: atMs } = insight;
  return (
    <article class="insight">
      {insight.has_frame && <Evidence device={device} insight={insight} line={line} />}
      <div class="stack grow">
        <LongText plain text={String(error ?? output)} />
        <p class="row wrap small soft">
          {status !== 'completed' && <StatusBadge status={status} />}
          <span>{watcher}</span>
          <Ago atMs={atMs} />
          {tokens > 0 && <span>{counted(tokens, 'token')}</span>}
          {tokens > 0 && micros !== 0 && <span>{toUsd(micros === null ? null : micros / millionths)}</span>}
          {runId !== '' && <a href={toFragment('runs', [runId])}>Its run</a>}
        </p>
      </div>
    </article>
  );
}

/** The picture that was judged. It is fetched when somebody comes near it. */
function Evidence({ device, insight, line }: InsightProps): VNode {
  const place = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const { url, why } = useEvidence(device, insight.run_id, line, useSeen(place));
  const alt = `What ${insight.watcher} looked at`;
  return (
    <>
      <button
        ref={place}
        type="button"
        class="evidence"
        aria-label={`${alt}: show it large`}
        disabled={url === undefined}
        onClick={() => setOpen(true)}
      >
        {url === undefined ? <span class="small soft">{why ?? '…'}</span> : <img src={url} alt="" />}
      </button>
      {open && url !== undefined && (
        <Dialog title={alt} onClose={() => setOpen(false)}>
          <img class="large" src={url} alt={insight.output} />
          <p class="small soft">
            Picture {insight.seq}, <Ago atMs={insight.at_ms} />
          </p>
        </Dialog>
      )}
    </>
  );
}

function useEvidence(
  device: string,
  runId: string,
  line: PictureLine,
  seen: boolean,
): { readonly url?: string; readonly why?: string } {
  const { service } = useApp();
  const [answer, setAnswer] = useState<{ readonly url?: string; readonly why?: string }>({});
  const wanted = useRef(false);
  wanted.current ||= seen;
  useEffect(() => {
    if (!wanted.current) return;
    const stopped = new AbortController();
    let url: string | undefined;
    const ask = async (): Promise<void> => {
      const leave = await line.enter();
      if (!stopped.signal.aborted) {
        const found = await deviceRoutes(service)
          .evidence(device, runId, stopped.signal)
          .catch(() => undefined);
        if (found?.found === 'new' && !stopped.signal.aborted) {
          url = URL.createObjectURL(found.image);
          setAnswer({ url });
        } else if (!stopped.signal.aborted)
          setAnswer({ why: found?.found === 'none' ? found.why : 'no answer' });
      }
      leave();
    };
    void ask();
    return () => {
      stopped.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [device, runId, line, service, wanted.current]);
  return answer;
}
