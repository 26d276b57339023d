import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import type { ControlRoutesListOutputRoutesItem as RouteRow } from '../../client/control.ts';
import { Badge } from '../../design/badge.tsx';
import { Choice } from '../../design/choice.tsx';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { FilterField } from '../../design/filter-field.tsx';
import { type Column, LongTable } from '../../design/long-table.tsx';
import { matches } from '../../design/matches.ts';
import { counted } from '../../design/words.ts';
import { MethodWord } from './method-word.tsx';
import { RouteView } from './route-view.tsx';
import { type Routes, useRoutes } from './use-routes.ts';
import { type Selection, selections, selectionWords, selects, toWhoMay } from './who-may.ts';

/** Every declaration, or one with its four surfaces: `#/routes/GET%20%2Ftickets`. */
export function page({ place }: PageProps): VNode {
  const known = useRoutes();
  const { routes, error } = known;
  const [name] = place.rest;
  const row = routes?.find((one) => keyOf(one) === name);
  if (name === undefined)
    return (
      <RouteTable known={known} query={place.query['q'] ?? ''} only={toSelection(place.query['only'])} />
    );
  return (
    <div class="page">
      {error !== undefined && !routes && <Failure title="The routes could not be read" error={error} />}
      {row && <RouteView row={row} known={known} />}
      {routes && !row && (
        <Empty title={`There is no route “${name}”`}>
          It may be of another release. <a href={toFragment('routes')}>See all routes</a>
        </Empty>
      )}
    </div>
  );
}

interface TableProps {
  readonly known: Routes;
  readonly query: string;
  readonly only: Selection;
}

function RouteTable({ known, query, only }: TableProps): VNode {
  const { router } = useApp();
  const { routes, document, error } = known;
  const [selected, setSelected] = useState<number | undefined>(undefined);
  const said = (one: RouteRow): string => document.operations.get(keyOf(one))?.summary ?? '';
  const rows = routes?.filter(
    (one) =>
      selects(only, one) &&
      matches(query, [one.method, one.path, one.engine, one.tool, one.scopes.join(' '), said(one)]),
  );
  const move = (by: number): void =>
    setSelected((before) =>
      Math.min(Math.max((before ?? -by) + by, 0), Math.max(0, (rows?.length ?? 1) - 1)),
    );
  useKeys([
    { keys: 'j', says: 'next route', press: () => move(1) },
    { keys: 'k', says: 'route before', press: () => move(-1) },
    {
      keys: 'Enter',
      says: 'open the route',
      press: () => {
        const row = selected === undefined ? undefined : rows?.[selected];
        if (row) router.go(toFragment('routes', [keyOf(row)]));
      },
    },
  ]);
  return (
    <div class="page full">
      <header>
        <h1>Routes &amp; tools</h1>
        <span class="soft" role="status">
          {rows && counted(rows.length, 'route')}
        </span>
        <div class="more">
          <Choice
            label="Show routes that are"
            choices={selections}
            words={selectionWords}
            value={only}
            onChoose={(one) => router.filter({ only: one })}
          />
          <FilterField value={query} what="routes" />
        </div>
      </header>
      {error !== undefined && !routes && <Failure title="The routes could not be read" error={error} />}
      {rows && rows.length > 0 && (
        <LongTable label="Routes" rows={rows} columns={columnsWith(said)} keyOf={keyOf} selected={selected} />
      )}
      {rows?.length === 0 && <NoRoutes filtered={query !== '' || only !== ''} />}
    </div>
  );
}

function columnsWith(said: (row: RouteRow) => string): readonly Column<RouteRow>[] {
  return [
    { name: 'Method', width: '4.5rem', cell: ({ method }) => <MethodWord method={method} /> },
    {
      name: 'Path',
      width: 'minmax(9rem, 1.5fr)',
      cell: (row) => (
        <a class="whole mono" href={toFragment('routes', [keyOf(row)])} title={row.path}>
          {row.path}
        </a>
      ),
    },
    {
      name: 'What it does',
      width: 'minmax(6rem, 2fr)',
      cell: (row) => <span class="soft">{said(row)}</span>,
      extra: true,
    },
    { name: 'Engine', width: '5.5rem', cell: ({ engine }) => engine, extra: true },
    {
      name: 'Tool',
      width: 'minmax(5rem, 1fr)',
      cell: ({ tool }) => (tool === null ? '–' : <code>{tool}</code>),
      extra: true,
    },
    { name: 'Who may', width: 'minmax(6rem, 0.9fr)', cell: (row) => toWhoMay(row) },
    {
      name: 'Approval',
      width: '6rem',
      extra: true,
      cell: ({ approval }) =>
        approval === 'required' ? <Badge tone="warn">a human</Badge> : <span class="soft">none</span>,
    },
  ];
}

function keyOf({ method, path }: Pick<RouteRow, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

function toSelection(text: string | undefined): Selection {
  return selections.find((one) => one === text) ?? '';
}

function NoRoutes({ filtered }: { readonly filtered: boolean }): VNode {
  if (filtered)
    return <Empty title="No route is like that">Another word, or another selection, shows more.</Empty>;
  return (
    <Empty
      title="Nothing is declared yet"
      code={
        "app.get('/hello', { tool: true }, async () => {\n  'Say hello.';\n  return { hello: 'world' };\n});"
      }
    >
      A route is at once an HTTP endpoint, a tool for agents and MCP, a method of the client and a schema:
    </Empty>
  );
}
