import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { JsonObject } from '../../client/runtime.ts';
import { type DataRow, type DataSource, toDataRows } from './data-sources.ts';

const pageRows = 100;
const timeoutMs = 35_000;

/** What of a resource is asked for. */
export interface RowsQuery {
  readonly sort: string;
  /** One field that must be equal to something. */
  readonly field: string;
  readonly value: string;
}

/** Rows as far as they were read. */
interface Rows {
  readonly rows: readonly DataRow[] | undefined;
  readonly error: unknown;
  readonly ended: boolean;
  more(): void;
  refresh(): void;
}

/** Reads a resource by its own list, page by page. */
export function useRows(source: Extract<DataSource, { kind: 'resource' }>, query: RowsQuery): Rows {
  const { service } = useApp();
  const { path, fields } = source;
  const key = JSON.stringify([path, query]);
  const [later, setLater] = useState<{
    readonly key: string;
    readonly rows: readonly DataRow[];
    readonly ended: boolean;
  }>();
  const reading = useRef(false);
  const ask = async (offset: number, signal?: AbortSignal): Promise<readonly DataRow[]> => {
    const list = service.call<JsonObject, unknown>({
      ...{ method: 'GET', path, json: true, retry: true, timeoutMs },
      query: ['limit', 'offset', 'sort', ...fields],
    });
    const input = {
      ...{ limit: pageRows, offset },
      ...(query.sort !== '' && { sort: query.sort }),
      ...(query.value !== '' && fields.includes(query.field) && { [query.field]: query.value }),
    };
    return toDataRows(await list(input, signal ? { signal } : {}));
  };
  const first = usePolled(async (signal) => ({ key, rows: await ask(0, signal) }), {}, [key]);
  useEffect(() => setLater(undefined), [first.value, key]);
  const begun = first.value?.key === key ? first.value.rows : undefined;
  const known = later?.key === key ? later : undefined;
  const rows = begun && [...begun, ...(known?.rows ?? [])];
  const ended = known?.ended ?? (begun !== undefined && begun.length < pageRows);
  const more = (): void => {
    if (!rows || ended || reading.current) return;
    reading.current = true;
    ask(rows.length).then(
      (page) => {
        reading.current = false;
        setLater({ key, rows: [...(known?.rows ?? []), ...page], ended: page.length < pageRows });
      },
      () => {
        // The next scroll asks once more.
        reading.current = false;
      },
    );
  };
  return { rows, error: first.error, ended, more, refresh: first.refresh };
}
