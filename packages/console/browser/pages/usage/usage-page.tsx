import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { SpendCell } from '../../client/control.ts';
import { Choice } from '../../design/choice.tsx';
import { download } from '../../design/download.ts';
import { Empty } from '../../design/empty.tsx';
import { Failure, toSentence } from '../../design/failure.tsx';
import { counted, toCount, toShortCount, toUsd } from '../../design/words.ts';
import { Budgets } from './budgets.tsx';
import { DearestRuns } from './dearest-runs.tsx';
import {
  groupBy,
  groupings,
  type Measure,
  type Range,
  ranges,
  sumUp,
  tokensOf,
  toQuestion,
  toStack,
} from './spend.ts';
import { SpendChart } from './spend-chart.tsx';
import { SpendTable } from './spend-table.tsx';

const everyMs = 10_000;
/** The most that the ledger gives at once. */
const mostCells = 5_000;
/** A chart of all there is shows a week at least. */
const shortestMs = 6 * 86_400_000;
const rangeWords: Readonly<Record<Range, string>> = {
  ...{ day: '24 hours', week: '7 days', month: '30 days', all: 'Always' },
};
const groupingWords = { model: 'By model', caller: 'By caller', time: 'By time' } as const;
const measureWords: Readonly<Record<Measure, string>> = { cost: 'Cost', tokens: 'Tokens' };

/** What was spent on models: when, by whom, on which, and within what ceilings. */
export function page({ place }: PageProps): VNode {
  const { service, router } = useApp();
  const range = ranges.find((one) => one === place.query['range']) ?? 'week';
  const by = groupings.find((one) => one === place.query['by']) ?? 'model';
  // A moment that stays: the question is the same until another range is chosen.
  const question = useMemo(() => toQuestion(range, Date.now()), [range]);
  const { value, error } = usePolled(
    (signal) => service.control.spend.list({ ...question, limit: mostCells }, { signal }),
    { everyMs },
    [range],
  );
  return (
    <div class="page">
      <header>
        <h1>Usage</h1>
        <div class="more">
          <Choice
            label="How far back"
            choices={ranges}
            words={rangeWords}
            value={range}
            onChoose={(one) => router.filter({ range: one })}
          />
          <CsvButton question={question} />
        </div>
      </header>
      {error !== undefined && !value && <Failure title="The ledger could not be read" error={error} />}
      {value?.cells.length === 0 && <NothingSpent range={range} />}
      {value && value.cells.length > 0 && (
        <>
          {value.more && (
            <p class="note" role="note">
              This is the newest part, of {toCount(mostCells)} sums. A shorter time shows all of it.
            </p>
          )}
          <Totals cells={value.cells} />
          <Spent
            cells={value.cells}
            bucket={question.bucket}
            sinceMs={question.since_ms}
            by={by}
            wanted={place.query['of']}
            onBy={(one) => router.filter({ by: one })}
            onMeasure={(one) => router.filter({ of: one })}
          />
        </>
      )}
      <div class="beside">
        <DearestRuns sinceMs={question.since_ms} />
        <Budgets />
      </div>
    </div>
  );
}

interface SpentProps {
  readonly cells: readonly SpendCell[];
  readonly bucket: 'hour' | 'day';
  readonly sinceMs: number | undefined;
  readonly by: (typeof groupings)[number];
  readonly wanted: string | undefined;
  onBy(by: (typeof groupings)[number]): void;
  onMeasure(measure: Measure): void;
}

function Spent({ cells, bucket, sinceMs, by, wanted, onBy, onMeasure }: SpentProps): VNode {
  const total = sumUp(cells);
  // Bars of nothing tell nothing: models without a price are drawn by their tokens.
  const first: Measure =
    (total.costUsd ?? 0) > 0 || cells.some(({ cost_usd: usd }) => (usd ?? 0) > 0) ? 'cost' : 'tokens';
  const measure = wanted === 'cost' || wanted === 'tokens' ? wanted : first;
  const part = by === 'time' ? 'model' : by;
  const stack = useMemo(() => {
    const untilMs = Date.now();
    // A day alone makes no chart.
    const fromMs = sinceMs ?? untilMs - shortestMs;
    return toStack(cells, { by: part, measure, bucket, fromMs, untilMs });
  }, [cells, part, measure, bucket, sinceMs]);
  return (
    <>
      <div class="row wrap">
        <Choice label="Sums" choices={groupings} words={groupingWords} value={by} onChoose={onBy} />
        <Choice
          label="Drawn"
          choices={['cost', 'tokens']}
          words={measureWords}
          value={measure}
          onChoose={onMeasure}
        />
      </div>
      <SpendChart stack={stack} measure={measure} by={part} />
      <SpendTable rows={groupBy(cells, by)} grouping={by} />
    </>
  );
}

function Totals({ cells }: { readonly cells: readonly SpendCell[] }): VNode {
  const total = sumUp(cells);
  const unpriced = [...new Set(cells.filter(({ cost_usd: usd }) => usd === null).map(({ model }) => model))];
  const priced = cells.reduce((sum, { cost_usd: usd }) => sum + (usd ?? 0), 0);
  const cached = total.inputTokens === 0 ? 0 : Math.round((100 * total.cachedTokens) / total.inputTokens);
  return (
    <>
      <dl class="totals">
        <div class="card">
          <dt>Cost</dt>
          <dd>{total.costUsd === null ? `≥ ${toUsd(priced)}` : toUsd(total.costUsd)}</dd>
        </div>
        <div class="card">
          <dt>Tokens</dt>
          <dd>{toShortCount(tokensOf(total))}</dd>
        </div>
        <div class="card">
          <dt>Read from a cache</dt>
          <dd>{cached} %</dd>
        </div>
        <div class="card">
          <dt>Calls of models</dt>
          <dd>{toCount(total.calls)}</dd>
        </div>
      </dl>
      {unpriced.length > 0 && (
        <p class="note" role="note">
          {counted(unpriced.length, 'model')} without a price: {unpriced.slice(0, 5).join(', ')}. What they
          cost is in no sum; <code>app.pricing(model, input, output)</code> gives them one.
        </p>
      )}
    </>
  );
}

function CsvButton({ question }: { readonly question: ReturnType<typeof toQuestion> }): VNode {
  const { service, toasts } = useApp();
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    const { address } = service;
    const query = new URLSearchParams({
      ...Object.fromEntries(Object.entries(question).map(([name, value]) => [name, String(value)])),
      limit: String(mostCells),
    });
    try {
      const path = `${address.control.slice(address.base.length)}/spend?${query}`;
      const response = await service.ask(path, { headers: { accept: 'text/csv' } });
      if (!response.ok) throw new Error(`the service answered ${response.status}`);
      download(await response.blob(), 'spend.csv');
    } catch (error) {
      toasts.say(`The table could not be saved. ${toSentence(error)}`, 'bad');
    }
    setBusy(false);
  };
  return (
    <button type="button" class="button slight" aria-disabled={busy} onClick={() => void save()}>
      Save as CSV
    </button>
  );
}

function NothingSpent({ range }: { readonly range: Range }): VNode {
  if (range !== 'all')
    return (
      <Empty title={`Nothing was spent in the last ${rangeWords[range]}`}>
        <a href={toFragment('usage', [], { range: 'all' })}>Look at all of it</a>
      </Empty>
    );
  return (
    <Empty
      title="Nothing was spent yet"
      code={
        "app.models({ default: 'claude-opus-5' });\napp.pricing('default', 5, 25); // USD for a million tokens"
      }
    >
      Each call of a model stands in the ledger, with its price where that is known:
    </Empty>
  );
}
