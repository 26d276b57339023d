import { media, type Route, Type, toRoute } from '@waymark/contract';
import { type EngineContext, RouteResponse } from '@waymark/contract/engine';
import type { SpendCell, UsageStore } from '@waymark/contract/stores';

/** Cells in one answer when the caller does not say, and the most: two hundred callers and models in each hour of a day. */
const defaultLimit = 1_000;
const maxLimit = 5_000;

const csvType = 'text/csv; charset=utf-8';

/**
 * Lists the spend ledger by time, caller and model at once: what charts are stacked of, and tables made of.
 *
 * @param store asked at each request; may throw what the caller is to read
 */
export function spendRoute(store: () => UsageStore): Route {
  const answer = async ({ input, request }: EngineContext): Promise<unknown> => {
    const { bucket, since_ms, until_ms, limit } = input as unknown as SpendQuery;
    const cells = await store().cells({
      ...{ bucket, limit: limit + 1 },
      ...(since_ms !== undefined && { sinceMs: since_ms }),
      ...(until_ms !== undefined && { untilMs: until_ms }),
    });
    const rows = cells.slice(0, limit).map(toRow);
    if (wantsCsv(request.headers['accept']))
      return new RouteResponse(
        200,
        { kind: 'bytes', bytes: Buffer.from(toCsv(rows)), mediaType: csvType },
        { vary: 'accept', 'content-disposition': 'attachment; filename="spend.csv"' },
      );
    return { bucket, cells: rows, more: cells.length > limit };
  };
  return toRoute(
    'GET',
    '/spend',
    { kind: 'control', answer },
    {
      plane: 'control',
      placement: 'owner',
      summary: 'Lists what was spent by time, caller and model, the newest first.',
      input: spendQuery,
      // A misspelt filter would list everything.
      strictQuery: true,
      output: spendAnswer,
      facts: { client: 'spend.list', answers: { 200: [media('text/csv')] } },
    },
  );
}

/** Where `Accept` names it, and not JSON before it. */
function wantsCsv(accept = ''): boolean {
  const named = accept.toLowerCase();
  const csv = named.indexOf('text/csv');
  const json = named.indexOf('application/json');
  return csv >= 0 && (json < 0 || csv < json);
}

type SpendRow = ReturnType<typeof toRow>;

function toRow(cell: SpendCell) {
  return {
    ...{ time: cell.time, caller: cell.caller, model: cell.model, calls: cell.calls },
    input_tokens: cell.inputTokens,
    output_tokens: cell.outputTokens,
    cache_read_tokens: cell.cacheReadTokens,
    cache_write_tokens: cell.cacheWriteTokens,
    cost_usd: cell.costMicros === null ? null : cell.costMicros / 1_000_000,
  };
}

const columns = [
  ...(['time', 'caller', 'model', 'calls', 'input_tokens', 'output_tokens'] as const),
  ...(['cache_read_tokens', 'cache_write_tokens', 'cost_usd'] as const),
] satisfies readonly (keyof SpendRow)[];

/** RFC 4180. */
function toCsv(rows: readonly SpendRow[]): string {
  const lines = rows.map((row) => columns.map((name) => toCell(row[name])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

function toCell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  // Programs for tables take what begins like this for a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What the dispatcher has validated against `spendQuery`. */
interface SpendQuery {
  readonly bucket: 'hour' | 'day';
  readonly since_ms?: number;
  readonly until_ms?: number;
  readonly limit: number;
}

const epochMs = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

const spendQuery = {
  bucket: Type.Union([Type.Literal('hour'), Type.Literal('day')], {
    default: 'day',
    description: 'How long each span is, in UTC.',
  }),
  since_ms: epochMs('Only what was spent at this time or later, epoch milliseconds.'),
  until_ms: epochMs('Only what was spent before this time.'),
  limit: Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit }),
};

const count = Type.Integer({ minimum: 0 });

const spendAnswer = Type.Object(
  {
    bucket: Type.Union([Type.Literal('hour'), Type.Literal('day')]),
    cells: Type.Array(
      Type.Object(
        {
          time: Type.String({
            description: 'The begin of the span: `2026-03-01T12:00:00Z`, or `2026-03-01`.',
          }),
          caller: Type.String(),
          model: Type.String({ description: '`<provider>/<model>`.' }),
          ...{ calls: count, input_tokens: count, output_tokens: count },
          ...{ cache_read_tokens: count, cache_write_tokens: count },
          cost_usd: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
        },
        { additionalProperties: false, title: 'SpendCell' },
      ),
    ),
    more: Type.Boolean({ description: 'There are others, of older spans: ask for them with `until_ms`.' }),
  },
  { additionalProperties: false },
);
