import { styleText } from 'node:util';
import type { Finding } from '@waymark/contract/declaring';
import type { StartupReport } from './startup-report.ts';

/** How the first screen is written. */
export interface ScreenOptions {
  /** Whether labels, addresses and warnings have colours; default: false. */
  readonly color?: boolean;
  /** What stands at its end, such as which key helps. */
  readonly hint?: string;
}

/** What people take in at a glance, and every terminal has (decision 12.5). */
const maxRows = 16;
const columns = 80;
const indent = 11;

type Row = readonly [label: string, text: string];

/**
 * Formats the report as lines of text for a terminal: 16 rows of 80 columns at most. Warnings that would need more are counted
 * in the last one.
 */
export function formatReport(report: StartupReport, { color = false, hint }: ScreenOptions = {}): string {
  const paint: Paint = color
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
  const title = `${paint('bold', report.name)} ${report.version} is ready in ${Math.round(report.bootMs)} ms`;
  const facts = factsOf(report);
  const left = maxRows - 1 - rowsOf(facts) - (hint === undefined ? 0 : 1);
  const rows = [...facts, ...warningsWithin(report.warnings, left)];
  return [
    title,
    ...rows.map(([label, text]) => `  ${paintLabel(label, paint)} ${paintText(label, text, paint)}`),
    ...(hint === undefined ? [] : [`  ${paint('dim', hint)}`]),
  ].join('\n');
}

function factsOf(report: StartupReport): readonly Row[] {
  const { url, consoleUrl, docsUrl, openapiUrl, mcpUrl, counts, authentication, door, state, processes } =
    report;
  const { models, keys } = report;
  return [
    ['url', url],
    ...(consoleUrl === undefined ? [] : [['console', consoleUrl] as const]),
    ...(docsUrl === undefined ? [] : [['docs', docsUrl] as const]),
    ['mcp', mcpUrl],
    // The page has a link to it.
    ...(docsUrl === undefined ? [['openapi', openapiUrl] as const] : []),
    [
      'serves',
      Object.entries(counts)
        .map(([what, count]) => `${count} ${what}`)
        .join(', '),
    ],
    ['auth', authentication],
    ['state', state],
    ['runs', `${processes}, ${door}`],
    ...(models === undefined ? [] : [['models', models] as const]),
    ...(keys ? keyRows(keys) : []),
  ];
}

/** The keys themselves are shown when they are made, and never again. */
function keyRows({ file, made }: NonNullable<StartupReport['keys']>): readonly Row[] {
  const rows = Object.entries(made).map(([name, key]): Row => ['', `${name}=${key}`]);
  return [['keys', rows.length > 0 ? `${file}, made just now; delete it to have new ones` : file], ...rows];
}

/** Those for which there is room; the last one says how many there are besides. */
function warningsWithin(warnings: readonly Finding[], room: number): readonly Row[] {
  const rows = warnings.map((warning): Row => ['warning', toLine(warning)]);
  if (rowsOf(rows) <= room) return rows;
  for (let shown = rows.length - 1; shown > 0; shown--) {
    const some = [...rows.slice(0, shown), restOf(rows.length - shown, 'more')];
    if (rowsOf(some) <= room) return some;
  }
  return [restOf(rows.length, rows.length === 1 ? 'warning' : 'warnings')];
}

function restOf(count: number, what: string): Row {
  return ['warning', `${what === 'more' ? 'and ' : ''}${count} ${what}; waymark check lists them all`];
}

/** Rows of the screen that they take: a longer line is broken by the terminal. */
function rowsOf(rows: readonly Row[]): number {
  return rows.reduce((sum, [, text]) => sum + Math.ceil((indent + text.length) / columns), 0);
}

function toLine({ text, fix, at }: Finding): string {
  return `${at === undefined ? '' : `${at.file}:${at.line}  `}${text}${fix === undefined ? '' : `; ${fix}`}`;
}

type Paint = (style: 'bold' | 'dim' | 'cyan' | 'yellow', text: string) => string;

function paintLabel(label: string, paint: Paint): string {
  return paint(label === 'warning' ? 'yellow' : 'dim', label.padEnd(8));
}

function paintText(label: string, text: string, paint: Paint): string {
  return ['url', 'docs', 'mcp', 'openapi'].includes(label) ? paint('cyan', text) : text;
}
