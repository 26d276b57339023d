import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { toLine } from '../../design/json-text.ts';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { ValueView } from '../../design/value-view.tsx';
import { counted } from '../../design/words.ts';
import { type DataRow, type DataSource, toColumnNames } from './data-sources.ts';
import { type RowsQuery, useRows } from './use-rows.ts';

type Resource = Extract<DataSource, { kind: 'resource' }>;

interface ResourceProps {
  readonly source: Resource;
  readonly query: Readonly<Record<string, string>>;
  /** The key of the row that is shown whole. */
  readonly rowKey: string | undefined;
}

/** The rows of a resource, as its own list gives them. Nothing is changed here. */
export function ResourceView({ source, query, rowKey }: ResourceProps): VNode {
  const { name, key } = source;
  const asked: RowsQuery = {
    ...{ sort: query['sort'] ?? '', field: query['field'] ?? source.fields[0] ?? '' },
    value: query['value'] ?? '',
  };
  const { rows, error, ended, more, refresh } = useRows(source, asked);
  const names = toColumnNames(rows ?? [], key);
  const chosen = rows?.find((row) => String(row[key]) === rowKey);
  return (
    <>
      <ResourceFilter source={source} asked={asked} refresh={refresh}>
        {rows ? `${counted(rows.length, 'row')}${ended ? '' : ' so far'}` : ''}
      </ResourceFilter>
      {error !== undefined && !rows && (
        <Failure title={`The rows of ${name} could not be read`} error={error} />
      )}
      {rows?.length === 0 && (
        <Empty title={asked.value === '' ? `${name} has no row` : 'No row is like that'}>
          {asked.value === '' ? `POST ${source.path} creates one.` : 'Fields are compared as a whole.'}
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <div class="log" data-open={rowKey !== undefined}>
          <LongTable
            label={`Rows of ${name}`}
            rows={rows}
            columns={columnsOf(source, names, query)}
            keyOf={(row) => String(row[key])}
            onNearEnd={more}
          />
          {rowKey !== undefined && (
            <section class="card stack event-view" aria-label="Row">
              <div class="row">
                <h2 class="grow">
                  {name} {rowKey}
                </h2>
                <a class="small" href={toFragment('data', [name], query)}>
                  Close
                </a>
              </div>
              {chosen ? (
                <ValueView value={chosen} what="the row" />
              ) : (
                <p class="soft">It is not among the rows that were read.</p>
              )}
            </section>
          )}
        </div>
      )}
    </>
  );
}

function columnsOf(
  { name, key }: Resource,
  names: readonly string[],
  query: Readonly<Record<string, string>>,
): readonly Column<DataRow>[] {
  return names.map((column, i) => ({
    name: column,
    width: column === key ? 'minmax(3rem, 0.5fr)' : 'minmax(5rem, 1fr)',
    ...(i > 2 && { extra: true as const }),
    cell: (row: DataRow) => {
      const value = row[column];
      if (column === key)
        return (
          <a class="whole mono" href={toFragment('data', [name, String(value)], query)}>
            {toLine(value, 60)}
          </a>
        );
      if (value === null || value === undefined) return <span class="soft">–</span>;
      return <span title={toLine(value, 400)}>{toLine(value, 160)}</span>;
    },
  }));
}

interface FilterProps {
  readonly source: Resource;
  readonly asked: RowsQuery;
  readonly children: string;
  refresh(): void;
}

function ResourceFilter({ source, asked, children, refresh }: FilterProps): VNode {
  const { router } = useApp();
  const { fields } = source;
  return (
    <form
      class="filters"
      role="search"
      aria-label={`Filter ${source.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const text = (name: string): string => String(data.get(name) ?? '');
        router.filter({ field: text('field'), value: text('value'), sort: text('sort') });
      }}
    >
      <select class="input slight" name="field" aria-label="Field" defaultValue={asked.field}>
        {fields.map((one) => (
          <option key={one} value={one} selected={one === asked.field}>
            {one}
          </option>
        ))}
      </select>
      <input
        class="input slight"
        name="value"
        aria-label="is exactly"
        placeholder="is exactly"
        defaultValue={asked.value}
        maxLength={500}
        autocomplete="off"
        spellcheck={false}
      />
      <select class="input slight" name="sort" aria-label="Order">
        <option value="">in order of the key</option>
        {fields.flatMap((one) => [
          <option key={one} value={one} selected={asked.sort === one}>
            by {one}
          </option>,
          <option key={`-${one}`} value={`-${one}`} selected={asked.sort === `-${one}`}>
            by {one}, down
          </option>,
        ])}
      </select>
      <button type="submit" class="button slight">
        Show
      </button>
      <button type="button" class="button plain slight" onClick={refresh}>
        Read again
      </button>
      <span class="soft small count-of" role="status">
        {children}
      </span>
    </form>
  );
}
