import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { JsonObject } from '../../client/runtime.ts';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { Ago } from '../../design/time.tsx';
import { LongText } from '../../design/value-view.tsx';
import { type DataSource, toDataRows } from './data-sources.ts';

interface MemoryProps {
  readonly source: Extract<DataSource, { kind: 'memory' }>;
  readonly query: string;
}

const timeoutMs = 35_000;

/** What the caller itself has in a memory: nobody reads what others keep there. */
export function MemoryView({ source, query }: MemoryProps): VNode {
  const { service, router } = useApp();
  const { name, path } = source;
  const { value, error } = usePolled(
    async (signal) => {
      if (query === '') return [];
      const search = service.call<JsonObject, unknown>({
        ...{ method: 'GET', path, query: ['query'], json: true, retry: true, timeoutMs },
      });
      return toDataRows(await search({ query }, { signal }));
    },
    {},
    [path, query],
  );
  return (
    <>
      <form
        class="filters"
        role="search"
        aria-label={`Search ${name}`}
        onSubmit={(event) => {
          event.preventDefault();
          router.filter({ q: String(new FormData(event.currentTarget).get('q') ?? '').trim() });
        }}
      >
        <input
          class="input slight"
          type="search"
          name="q"
          aria-label="Words of what is kept"
          placeholder="Words of what is kept"
          defaultValue={query}
          maxLength={500}
        />
        <button type="submit" class="button slight">
          Search
        </button>
      </form>
      <p class="soft small">
        A memory belongs to its caller: you see what was kept with your own key, the best matches first.
      </p>
      {error !== undefined && !value && <Failure title={`${name} could not be searched`} error={error} />}
      {query === '' && (
        <Empty title={`Search ${name}`}>
          It is found by words of its key and its value. Nothing lists all of it.
        </Empty>
      )}
      {query !== '' && value?.length === 0 && <Empty title={`Nothing of yours in ${name} is about that`} />}
      <ul class="kept">
        {value?.map((entry) => (
          <li key={String(entry['key'])} class="card stack">
            <div class="row">
              <strong class="grow mono">{String(entry['key'])}</strong>
              {typeof entry['updated_at_ms'] === 'number' && (
                <span class="small soft">
                  <Ago atMs={entry['updated_at_ms']} />
                </span>
              )}
            </div>
            <LongText plain text={String(entry['value'])} />
          </li>
        ))}
      </ul>
    </>
  );
}
