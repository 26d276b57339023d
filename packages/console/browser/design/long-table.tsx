import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { windowOf } from './window-of.ts';

/** A column of a table. */
export interface Column<T> {
  readonly name: string;
  /** As `grid-template-columns` takes it. */
  readonly width: string;
  cell(row: T): ComponentChildren;
  readonly numeric?: true;
  /** Left out where there is little room: below 860 pixels. */
  readonly extra?: true;
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  keyOf(row: T): string;
  /** The row that keys act on. */
  readonly selected?: number | undefined;
  /** The end comes near: there may be more. */
  onNearEnd?(): void;
}

const nearRows = 30;

/** A table that holds only the rows that are seen, so that ten thousand are as quick as ten. */
export function LongTable<T>({ label, rows, columns, keyOf, selected, onNearEnd }: TableProps<T>): VNode {
  const body = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ scrolled: 0, height: 800, rowHeight: 35 });
  const narrow = useNarrow();
  const shown = narrow ? columns.filter(({ extra }) => !extra) : columns;
  useEffect(() => {
    const element = body.current;
    if (!element) return;
    const look = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setSeen({ scrolled: element.scrollTop, height: element.clientHeight, rowHeight: rem * 2.5 });
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      resized.disconnect();
    };
  }, []);
  const { first, end } = windowOf(rows.length, seen);
  useEffect(() => {
    if (end >= rows.length - nearRows) onNearEnd?.();
  }, [end, rows.length]);
  useEffect(() => {
    if (selected === undefined || !body.current) return;
    const { scrollTop, clientHeight } = body.current;
    const top = selected * seen.rowHeight;
    if (top < scrollTop) body.current.scrollTop = top;
    else if (top + seen.rowHeight > scrollTop + clientHeight)
      body.current.scrollTop = top + seen.rowHeight - clientHeight;
  }, [selected]);
  const template = { gridTemplateColumns: shown.map(({ width }) => width).join(' ') };
  return (
    <div class="table grow" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div role="rowgroup">
        <div class="line heads" role="row" aria-rowindex={1} style={template}>
          {shown.map(({ name, numeric }) => (
            <span role="columnheader" class={numeric && 'num'} key={name}>
              {name}
            </span>
          ))}
        </div>
      </div>
      {/* Whoever has no mouse scrolls it by keyboard. */}
      <div class="body" role="rowgroup" ref={body} tabIndex={0}>
        <div class="tall" role="presentation" style={{ height: `${rows.length * seen.rowHeight}px` }}>
          {rows.slice(first, end).map((row, i) => (
            <div
              class="line"
              role="row"
              key={keyOf(row)}
              aria-rowindex={first + i + 2}
              aria-selected={selected === undefined ? undefined : selected === first + i}
              style={{ ...template, top: `${(first + i) * seen.rowHeight}px` }}
            >
              {shown.map(({ name, cell, numeric }) => (
                <span role="cell" class={numeric && 'num'} key={name}>
                  {cell(row)}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Whether the window has little room. */
function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia('(max-width: 860px)').matches);
  useEffect(() => {
    const query = matchMedia('(max-width: 860px)');
    const look = (): void => setNarrow(query.matches);
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return narrow;
}
