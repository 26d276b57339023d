import type { VNode } from 'preact';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { toCount, toShortCount, toUsd } from '../../design/words.ts';
import { type Grouping, type SpendRow, tokensOf } from './spend.ts';

interface TableProps {
  readonly rows: readonly SpendRow[];
  readonly grouping: Grouping;
}

const names: Readonly<Record<Grouping, string>> = { model: 'Model', caller: 'Caller', time: 'When (UTC)' };

/** What was spent, row by row. */
export function SpendTable({ rows, grouping }: TableProps): VNode {
  const columns: readonly Column<SpendRow>[] = [
    {
      name: names[grouping],
      width: 'minmax(8rem, 2fr)',
      cell: ({ name }) => (
        <span title={name}>{name === '' ? 'nobody' : name.replace('T', ' ').replace(/:00Z$/, '')}</span>
      ),
    },
    { name: 'Calls', width: '5rem', numeric: true, extra: true, cell: ({ calls }) => toCount(calls) },
    {
      name: 'In',
      width: '6rem',
      numeric: true,
      extra: true,
      cell: ({ inputTokens }) => toShortCount(inputTokens),
    },
    {
      name: 'Cached',
      width: '5rem',
      numeric: true,
      extra: true,
      cell: ({ inputTokens, cachedTokens }) =>
        inputTokens === 0 ? '–' : `${Math.round((100 * cachedTokens) / inputTokens)} %`,
    },
    {
      name: 'Out',
      width: '6rem',
      numeric: true,
      extra: true,
      cell: ({ outputTokens }) => toShortCount(outputTokens),
    },
    { name: 'Tokens', width: '5rem', numeric: true, cell: (row) => toShortCount(tokensOf(row)) },
    { name: 'Cost', width: '6rem', numeric: true, cell: ({ costUsd }) => toUsd(costUsd) },
  ];
  return (
    <div class="spend-table" style={{ height: `${Math.min(rows.length, 10) * 2.5 + 2.2}rem` }}>
      <LongTable label={`Spent by ${grouping}`} rows={rows} columns={columns} keyOf={({ name }) => name} />
    </div>
  );
}
