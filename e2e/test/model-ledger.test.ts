import { ModelError, type ModelRequest, type Spend } from '@waymark/contract/models';
import type { UsageStore } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { type LoggedRequest, type Simulator, startSimulator } from '@waymark/model-simulator';
import { createModels, type Models, models, pricing, provider } from '@waymark/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, serve } from './served.ts';

/** USD for a million tokens, times 100: input, output, read from the cache, written to it. No price: not in it. */
const cents: Readonly<Record<string, readonly [number, number, number, number]>> = {
  'claude-opus-5': [500, 2500, 50, 625],
  'claude-haiku': [100, 500, 8, 125],
  'gpt-5': [125, 1000, 12, 0],
};
const unpriced = ['local-llama', 'local-quiet'];

const noonMs = Date.UTC(2026, 2, 1, 12);
const hourMs = 3_600_000;
const mood = {
  type: 'object',
  properties: { mood: { enum: ['good', 'bad'] } },
  required: ['mood'],
  additionalProperties: false,
};

let simulator: Simulator;
let client: Models;

beforeAll(async () => {
  simulator = await startSimulator({
    maxRequests: 5000,
    anonymous: true,
    models: [...Object.keys(cents), ...unpriced],
  });
  client = createModels(
    [
      provider('anthropic', simulator.url, { kind: 'anthropic', apiKeyEnv: 'KEY' }),
      provider('openai', `${simulator.url}/v1`, { apiKeyEnv: 'KEY' }),
      provider('local', `${simulator.url}/v1`),
      models({
        careful: ['openai/gpt-gone', 'local/llama-gone', 'claude-opus-5'],
        thrifty: ['anthropic/claude-gone', 'local/local-llama'],
      }),
      ...Object.entries(cents).map(([model, [input, output, read, written]]) =>
        pricing(model, input / 100, output / 100, {
          cacheReadPerMtok: read / 100,
          cacheWritePerMtok: written / 100,
        }),
      ),
    ],
    // Retries come at once.
    { env: () => 'a-key', wait: async (_ms, signal) => signal.throwIfAborted() },
  );
});

afterAll(async () => {
  client.close();
  await simulator.close();
});

/** One question, and who asks it when. */
interface Case {
  readonly caller: string;
  readonly atMs: number;
  readonly request: Partial<ModelRequest>;
  readonly script: string;
  readonly streamed?: boolean;
  readonly fails?: boolean;
}

const named = [
  'anthropic/claude-opus-5',
  'claude-haiku',
  'openai/gpt-5',
  'local/local-llama',
  'careful',
  'thrifty',
];
/** Longer than what is cached at least. */
const manual = 'The manual says: turn it off and on again. '.repeat(200);

/** The n-th of a long day of a desk: everything that a provider may count, and do before it counts. */
function caseOf(n: number): Case {
  const pick = <T>(list: readonly T[], salt: number): T =>
    list[(n * salt + Math.floor(n / 7)) % list.length] as T;
  const usage = pick(
    [
      '',
      `[[usage input=${n * 37} output=${n * 11}]]`,
      `[[usage input=${1000 + n} output=7 cached=${n} written=${n % 90}]]`,
      // More from the cache than there was: no service should, some do.
      `[[usage input=${n} output=${n + 1} cached=${n + 400}]]`,
      `[[usage input=0 output=0]]`,
      `[[usage input=${1e6 + n} output=${1e5 + 3 * n} cached=${9e5 + n}]]`,
    ],
    5,
  );
  const failure = pick(
    ['', '', '[[error 429 times=1 retry-after=3]]', '[[error 500 times=2]]', '[[error 529 times=1]]'],
    3,
  );
  const shared = {
    caller: pick(['ada', 'bot', 'watcher:door', 'agent:desk'], 1),
    atMs: noonMs + (n % 30) * hourMs + n * 7919,
    request: { model: pick(named, 1) },
  };
  switch (n % 8) {
    case 1:
      return {
        ...shared,
        request: { ...shared.request, schema: mood },
        script: `${usage} [[say no JSON]] [[json {"mood":"good"}]]`,
      };
    case 3:
      return { ...shared, script: `${usage} ${failure} [[say Yes.]]`, streamed: true };
    case 5:
      return { ...shared, script: manual };
    case 7:
      return n % 16 === 7
        ? { ...shared, script: '[[error 400]]', fails: true }
        : // Answered twice without what was asked for: paid for, and of no use.
          {
            ...shared,
            request: { ...shared.request, schema: mood },
            script: `${usage} [[say no]] [[say still no]]`,
            fails: true,
          };
    default:
      return { ...shared, script: `${usage} ${failure} [[say Yes.]]` };
  }
}

/** Asks, and gives what it cost, failed or not. */
async function ask({ request, script, streamed, fails = false }: Case, n: number): Promise<readonly Spend[]> {
  const asked: ModelRequest = {
    model: 'claude-opus-5',
    messages: [{ role: 'user', parts: [{ type: 'text', text: `${script} This is case ${n}.` }] }],
    maxTokens: 1000,
    ...request,
  };
  const options = { signal: AbortSignal.timeout(30_000), ...(streamed && { onDelta: () => {} }) };
  const answered = client.client.complete(asked, options).then(
    (reply) => ({ failed: false, spend: reply.spend }),
    (error: unknown) => {
      if (error instanceof ModelError) return { failed: true, spend: error.spend };
      throw error;
    },
  );
  const { failed, spend } = await answered;
  expect({ n, failed }).toEqual({ n, failed: fails });
  return spend;
}

/** A total of the ledger without its key. */
interface Sum {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costMicros: number | null;
}

const nothing: Sum = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicros: 0,
};

/** What a reply costs by the price list, in whole micro-dollars and whole numbers throughout. */
function priceOf(model: string, usage: NonNullable<LoggedRequest['usage']>): number | null {
  const price = cents[model];
  if (price === undefined) return null;
  const [input, output, read, written] = price;
  const uncached = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const hundredths =
    uncached * input +
    usage.outputTokens * output +
    usage.cacheReadTokens * read +
    usage.cacheWriteTokens * written;
  return Math.floor((hundredths + 50) / 100);
}

function withProvider(model: string): string {
  if (model.startsWith('claude-')) return `anthropic/${model}`;
  return model.startsWith('local-') ? `local/${model}` : `openai/${model}`;
}

/** Adds up what the provider says it has replied, by what the key of a reply is. */
function addUp(
  log: readonly LoggedRequest[],
  cases: readonly Case[],
  keyOf: (one: Case, model: string) => string,
): Readonly<Record<string, Sum>> {
  const sums: Record<string, Sum> = {};
  for (const { format, outcome, usage, body } of log) {
    if (outcome !== 'replied' || !usage) continue;
    const { model } = body as { readonly model: string };
    const n = Number(/This is case (\d+)\./.exec(JSON.stringify(body))?.[1]);
    const key = keyOf(cases[n] as Case, model);
    const sum = sums[key] ?? { ...nothing };
    sums[key] = sum;
    const { cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    // Messages counts the prompt apart from the cache, so there it is never less than what was cached.
    const cached = format === 'anthropic' ? cacheReadTokens + cacheWriteTokens : 0;
    const cost = priceOf(model, usage);
    sum.calls++;
    const inputTokens = Math.max(usage.inputTokens, cached);
    sum.inputTokens += inputTokens;
    sum.outputTokens += outputTokens;
    // A provider may claim to have read more from its cache than there was to read.
    sum.cacheReadTokens += Math.min(cacheReadTokens, inputTokens);
    sum.cacheWriteTokens += cacheWriteTokens;
    sum.costMicros = sum.costMicros === null || cost === null ? null : sum.costMicros + cost;
  }
  return sums;
}

async function totalsOf(
  store: UsageStore,
  by: Parameters<UsageStore['totals']>[0],
): Promise<Readonly<Record<string, Sum>>> {
  return Object.fromEntries((await store.totals(by)).map(({ key, ...sum }) => [key, sum]));
}

const hourOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 13)}:00:00Z`;

/** An application whose ledger the test writes, as the steps of runs do. */
async function openLedger(): Promise<{ readonly store: UsageStore; read(query: string): Promise<unknown> }> {
  const opened: UsageStore[] = [];
  const app = application();
  app.add({ name: 'ledger', routes: [], start: ({ stores }) => void opened.push(stores.usage) });
  const { url } = await serve(app);
  const read = async (query: string): Promise<unknown> => {
    const response = await fetch(`${url}/_svc/usage${query}`);
    expect(response.status).toBe(200);
    return response.json();
  };
  const [store] = opened;
  if (!store) throw new Error('the plugin was not started');
  return { store, read };
}

describe('the spend ledger', () => {
  it('adds up to what the provider has counted, call by call, over retries, fallbacks, repairs and caches', async () => {
    verifies(
      'control.usage',
      'usage.members',
      'usage.unpriced',
      'purpose.control.ledger',
      'ledger.micros',
      'ledger.unpriced',
    );
    const cases = Array.from({ length: 480 }, (_, n) => caseOf(n));
    const { store, read } = await openLedger();
    for (const [n, one] of cases.entries()) {
      const spend = await ask(one, n);
      expect(spend.filter(({ estimated }) => estimated)).toEqual([]);
      expect(spend.every(({ costMicros }) => costMicros === null || Number.isSafeInteger(costMicros))).toBe(
        true,
      );
      await store.append(spend.map((row) => ({ ...row, caller: one.caller, atMs: one.atMs })));
    }
    const log = simulator.requests;
    const countOf = (outcome: LoggedRequest['outcome'], status: number): number =>
      log.filter((one) => one.outcome === outcome && one.status === status).length;
    // What the test is about did happen.
    for (const status of [400, 404, 429, 500, 529])
      expect(countOf('failed', status), `${status}`).toBeGreaterThan(10);
    expect(countOf('replied', 200)).toBeGreaterThan(cases.length);

    const byCaller = addUp(log, cases, ({ caller }) => caller);
    const byModel = addUp(log, cases, (_, model) => withProvider(model));
    const byHour = addUp(log, cases, ({ atMs }) => hourOf(atMs));
    expect(await totalsOf(store, 'caller')).toEqual(byCaller);
    expect(await totalsOf(store, 'model')).toEqual(byModel);
    expect(await totalsOf(store, 'hour')).toEqual(byHour);
    expect(Object.keys(byModel).sort()).toEqual(
      [...Object.keys(cents), 'local-llama'].map(withProvider).sort(),
    );
    expect(byModel['local/local-llama']?.costMicros).toBeNull();
    expect(byModel['anthropic/claude-opus-5']?.cacheReadTokens).toBeGreaterThan(0);
    expect(byModel['anthropic/claude-opus-5']?.cacheWriteTokens).toBeGreaterThan(0);

    const answer = await read('?bucket=hour');
    const [total] = Object.values(addUp(log, cases, () => 'all'));
    const priced = Object.values(byModel).reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0);
    expect(answer).toEqual({
      since_ms: null,
      bucket: 'hour',
      totals: total && onWire(total),
      total_tokens: (total?.inputTokens ?? 0) + (total?.outputTokens ?? 0),
      by_caller: mapValues(byCaller, onWire),
      by_model: mapValues(byModel, onWire),
      by_time: mapValues(byHour, onWire),
      estimated_cost_usd: null,
      priced_cost_usd: priced / 1e6,
      unpriced_models: ['local/local-llama'],
    });

    const sinceMs = noonMs + 12 * hourMs;
    const later = log.filter(({ body }) => {
      const n = Number(/This is case (\d+)\./.exec(JSON.stringify(body))?.[1]);
      return (cases[n]?.atMs ?? 0) >= sinceMs;
    });
    expect(await read(`?since_ms=${sinceMs}`)).toMatchObject({
      since_ms: sinceMs,
      by_caller: mapValues(
        addUp(later, cases, ({ caller }) => caller),
        onWire,
      ),
      by_time: mapValues(
        addUp(later, cases, ({ atMs }) => new Date(atMs).toISOString().slice(0, 10)),
        onWire,
      ),
    });
  }, 120_000);

  it('counts by estimate, and says so, what a provider does not count', async () => {
    const silent = ['[[usage none]]', '[[usage null]]', '[[usage odd]]', '[[quirk no_usage]]'];
    for (const model of ['anthropic/claude-opus-5', 'openai/gpt-5', 'local/local-quiet'])
      for (const [i, script] of silent.entries()) {
        const spend = await ask(
          { caller: 'ada', atMs: 0, request: { model }, script: `${script} [[say ${'word '.repeat(40)}]]` },
          i,
        );
        expect(spend).toHaveLength(1);
        expect(spend[0]).toMatchObject({
          estimated: true,
          inputTokens: expect.toSatisfy((tokens: number) => tokens > 5 && tokens < 300),
          outputTokens: expect.toSatisfy((tokens: number) => tokens > 20 && tokens < 200),
          costMicros: model.startsWith('local') ? null : expect.any(Number),
        });
      }
  });
});

describe('GET /usage', () => {
  it('refuses a query that it does not know, and one of another form', async () => {
    const app = application();
    const { url } = await serve(app);
    const statusOf = async (query: string): Promise<number> =>
      (await fetch(`${url}/_svc/usage${query}`)).status;
    expect(await statusOf('?since=5')).toBe(422);
    expect(await statusOf('?bucket=week')).toBe(422);
    expect(await statusOf('?since_ms=-1')).toBe(422);
    expect(await statusOf('?since_ms=yesterday')).toBe(422);
    expect(await statusOf('?since_ms=0&bucket=day')).toBe(200);
  });
});

function onWire(sum: Sum): object {
  return {
    calls: sum.calls,
    input_tokens: sum.inputTokens,
    output_tokens: sum.outputTokens,
    cache_read_tokens: sum.cacheReadTokens,
    cache_write_tokens: sum.cacheWriteTokens,
    cost_usd: sum.costMicros === null ? null : sum.costMicros / 1e6,
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
