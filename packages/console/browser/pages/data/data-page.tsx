import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { type DataSource, toDataSources } from './data-sources.ts';
import { MemoryView } from './memory-view.tsx';
import { ResourceView } from './resource-view.tsx';

/** What the application keeps, read through its own routes: `#/data/tickets`, `#/data/tickets/1`. */
export function page({ place }: PageProps): VNode {
  const { service, router } = useApp();
  const { value, error } = usePolled((signal) => service.control.routes.list({}, { signal }), {}, []);
  const sources = useMemo(() => value && toDataSources(value.routes), [value]);
  const [name, rowKey] = place.rest;
  const chosen = name === undefined ? sources?.[0] : sources?.find((one) => one.name === name);
  const step = (by: number): void => {
    const at = chosen ? (sources?.indexOf(chosen) ?? -1) : -1;
    const next = sources?.[at + by];
    if (next) router.go(toFragment('data', [next.name]));
  };
  useKeys([
    { keys: ']', says: 'next resource or memory', press: () => step(1) },
    { keys: '[', says: 'resource or memory before', press: () => step(-1) },
  ]);
  return (
    <div class="page full">
      <header>
        <h1>Data</h1>
        <span class="soft">Read only, through the routes that your key may use.</span>
      </header>
      {error !== undefined && !value && <Failure title="The routes could not be read" error={error} />}
      {sources?.length === 0 && (
        <Empty
          title="The application keeps nothing that could be read here"
          code={
            "app.resource('tickets', { title: Type.String() }, { readScopes: ['tickets:read'] });\napp.memory('notes');"
          }
        >
          Resources are tables with routes, memories are what callers want to find again:
        </Empty>
      )}
      {sources && sources.length > 0 && <Sources sources={sources} chosen={chosen} />}
      {sources && sources.length > 0 && !chosen && (
        <Empty title={`There is no resource and no memory “${name}”`}>
          <a href={toFragment('data')}>See what there is</a>
        </Empty>
      )}
      {chosen?.kind === 'resource' && (
        <ResourceView key={chosen.path} source={chosen} query={place.query} rowKey={rowKey} />
      )}
      {chosen?.kind === 'memory' && (
        <MemoryView key={chosen.path} source={chosen} query={place.query['q'] ?? ''} />
      )}
    </div>
  );
}

function Sources({
  sources,
  chosen,
}: {
  readonly sources: readonly DataSource[];
  readonly chosen: DataSource | undefined;
}): VNode {
  return (
    <nav class="sources" aria-label="Resources and memories">
      {sources.map((one) => (
        <a
          key={one.path}
          href={toFragment('data', [one.name])}
          aria-current={one === chosen ? 'true' : undefined}
          title={`Asks for ${one.scopes.join(' + ') || 'no scope'}`}
        >
          {one.name}
          {one.kind === 'memory' && <span class="small soft"> memory</span>}
        </a>
      ))}
    </nav>
  );
}
