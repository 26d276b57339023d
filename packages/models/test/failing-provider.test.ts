import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { provider } from '../src/index.ts';
import { openDesk } from './desk.ts';

/** What health says after one question. */
async function toldAfter(text: string, signal = new AbortController().signal): Promise<unknown> {
  const desk = await openDesk({ retries: 0 });
  await desk.ask({ text }, { signal }).catch(() => {});
  return desk.models.plugin.troubles?.().map(({ code, message }) => `${code}: ${message}`);
}
const failing = (fault: string): readonly string[] => [
  `model-failing: Providers of models fail: "anthropic" (${fault}, for 0 s).`,
];

describe('a provider of models', () => {
  it.each([
    ['[[error 503]]', 'answers 503'],
    ['[[error 500]]', 'answers 500'],
    ['[[error 401]]', 'refuses its key'],
    ['[[error 403]]', 'refuses its key'],
  ])('fails with %s, and is named without key or address', async (text, fault) => {
    verifies('health.outside', 'health.outside.public');
    expect(await toldAfter(text)).toEqual(failing(fault));
  });

  it.each(['hello', '[[error 400]]', '[[error 404]]', '[[error 429]]'])(
    'does not fail with %s',
    async (text) => {
      verifies('health.outside.fault');
      expect(await toldAfter(text)).toEqual([]);
    },
  );

  it('does not fail where its asker has gone, or has no key', async () => {
    verifies('health.outside.fault');
    expect(await toldAfter('hello', AbortSignal.abort(new Error('gone')))).toEqual([]);
    const desk = await openDesk({ env: () => undefined });
    await desk.ask({ text: 'hello' }).catch(() => {});
    expect(desk.models.plugin.troubles?.()).toEqual([]);
  });

  it.each([
    { tookMs: 9_999, told: [] },
    { tookMs: 10_000, told: failing('takes too long to answer') },
    { tookMs: 10_001, told: failing('takes too long to answer') },
  ])('that keeps silent until a deadline of its asker, for $tookMs ms', async ({ tookMs, told }) => {
    verifies('health.outside.fault');
    let nowMs = 0;
    const asker = new AbortController();
    const desk = await openDesk({
      monotonic: () => nowMs,
      post: (_url, _headers, _body, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          nowMs += tookMs;
          asker.abort(new DOMException('late', 'TimeoutError'));
        }),
    });
    await desk.ask({ text: 'hello' }, { signal: asker.signal }).catch(() => {});
    const said = desk.models.plugin.troubles?.().map(({ code, message }) => `${code}: ${message}`);
    expect(said).toEqual(told);
  });

  it('that was asked again, and answered, is told of for a moment', async () => {
    verifies('health.outside');
    let nowMs = 0;
    let asked = 0;
    const desk = await openDesk({ monotonic: () => nowMs });
    const { models } = desk;
    await desk.ask({ text: '[[error 503]]' }).catch(() => asked++);
    expect(asked).toBe(1);
    await desk.ask({ text: 'hello' });
    nowMs += 2_999;
    expect(models.plugin.troubles?.()).toHaveLength(1);
    nowMs += 1;
    expect(models.plugin.troubles?.()).toEqual([]);
  });

  it('is the one that fails, not the others', async () => {
    const desk = await openDesk({
      retries: 0,
      declarations: [provider('away', 'http://127.0.0.1:1/v1')],
    });
    await desk.ask({ text: 'hello' });
    await desk.ask({ text: 'hello', model: 'away/m' }).catch(() => {});
    const [told] = desk.models.plugin.troubles?.() ?? [];
    expect(told?.message).toMatch(/^Providers of models fail: "away" \([^"]+, for 0 s\)\.$/);
  });
});
