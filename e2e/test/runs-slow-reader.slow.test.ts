import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { callers, thinking } from './agents-application.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

interface Event {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: { readonly [member: string]: unknown };
}

/** A behaviour of many steps with large results. */
async function lengthy(steps: number, bytes: number) {
  let done = (): void => {};
  const ended = new Promise<void>((resolve) => {
    done = resolve;
  });
  const desk = await thinking((app) => {
    app.get('/large', { tool: true, toolName: 'large', scopes: ['read'], summary: 'Gives much.' }, () =>
      'x'.repeat(bytes),
    );
    app.behaviour('lengthy', { tools: ['large'], scopes: ['read'], maxSteps: steps + 1 }, async (ctx) => {
      for (let i = 0; i < steps; i++) await ctx.call('large');
      done();
      return 'done';
    });
  });
  const ask = async (method: string, path: string): Promise<IncomingMessage> => {
    const asked = request(desk.url + path, {
      method,
      headers: {
        'x-api-key': callers.ANN_KEY,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
    });
    asked.end(method === 'POST' ? '{}' : undefined);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response;
  };
  return { ask, ended };
}

describe('a reader who stops reading', () => {
  const forms = [
    [60, 200_000],
    [200, 60_000],
  ] as const;
  it.each(forms.slice(0, byTier({ quick: 1, slow: 1, drill: 2 })))(
    'misses none of %i steps of %i bytes: they are told when it reads on',
    async (steps, bytes) => {
      verifies('run.read-on', 'run.same-form');
      const { ask, ended } = await lengthy(steps, bytes);
      const first = await ask('POST', '/behaviours/lengthy');
      // Nothing is read until all has happened.
      await ended;
      const told = await eventsOf(first);
      expect(told.at(0)).toMatchObject({ event: 'run' });
      expect(told.at(-1)).toMatchObject({ event: 'result', data: { status: 200, body: 'done' } });
      const seen = told.filter(({ event }) => event === 'step');
      expect(seen).toHaveLength(steps);
      for (const { id, data } of seen)
        expect(id).toBe(`${String(told[0]?.data['run_id'])}/${String(data['seq'])}`);
      const later = await eventsOf(
        await ask('GET', `/behaviours/lengthy/runs/${String(told[0]?.data['run_id'])}`),
      );
      // Live or late: the same.
      expect(seen).toEqual(later.filter(({ event }) => event === 'step'));
    },
  );

  it('costs a page of the journal, not all of it', async () => {
    const readers = 8;
    const { ask, ended } = await lengthy(200, 60_000);
    const first = await ask('POST', '/behaviours/lengthy');
    await ended;
    const [begun] = await eventsOf(first);
    const before = heapBytes();
    const all = await Promise.all(
      Array.from({ length: readers }, () =>
        ask('GET', `/behaviours/lengthy/runs/${String(begun?.data['run_id'])}`),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    // All of it would be 12 MB each; 32 numbers are 2.
    expect(heapBytes() - before).toBeLessThan(readers * 4e6);
    const [one, ...others] = all;
    for (const response of others) response.destroy();
    const told = one ? await eventsOf(one) : [];
    expect(told.filter(({ event }) => event === 'step')).toHaveLength(200);
  });
});

function heapBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function eventsOf(response: IncomingMessage): Promise<readonly Event[]> {
  response.setEncoding('utf8');
  let received = '';
  for await (const piece of response) received += String(piece);
  return received
    .split('\n\n')
    .filter((block) => /^event: /m.test(block))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      event: /^event: (\w+)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null') as Event['data'],
    }));
}
