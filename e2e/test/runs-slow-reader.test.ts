import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { callers, thinking } from './agents-application.ts';

/** Steps of one run, each larger than what goes out before a reader asks. */
const steps = 200;
const text = 'x'.repeat(60_000);

interface Event {
  readonly id: number | undefined;
  readonly event: string;
  readonly data: { readonly [member: string]: unknown };
}

it('a reader who stops reading misses no step: it is cut off, and reads on where it was', async () => {
  verifies('run.read-on');
  let done = (): void => {};
  const ended = new Promise<void>((resolve) => {
    done = resolve;
  });
  const desk = await thinking((app) => {
    app.get(
      '/large',
      { tool: true, toolName: 'large', scopes: ['read'], summary: 'Gives much.' },
      () => text,
    );
    app.behaviour('lengthy', { tools: ['large'], scopes: ['read'], maxSteps: 300 }, async (ctx) => {
      for (let i = 0; i < steps; i++) await ctx.call('large');
      done();
      return 'done';
    });
  });
  const ask = async (method: string, path: string, headers = {}): Promise<IncomingMessage> => {
    const asked = request(desk.url + path, {
      method,
      headers: {
        'x-api-key': callers.ANN_KEY,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...headers,
      },
    });
    asked.end(method === 'POST' ? '{}' : undefined);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response;
  };

  const first = await ask('POST', '/behaviours/lengthy');
  // Nothing is read until all has happened.
  await ended;
  const told = await eventsOf(first);
  const seen = told.filter(({ event }) => event === 'step');
  expect(told.at(-1)).toMatchObject({ event: 'error', data: { status: 503, code: 'reader_too_slow' } });
  expect(seen.length).toBeLessThan(steps);

  const runId = String(seen[0]?.data['run_id']);
  const rest = await eventsOf(
    await ask('GET', `/behaviours/lengthy/runs/${runId}`, { 'last-event-id': String(seen.at(-1)?.id) }),
  );
  expect(rest.at(-1)).toMatchObject({ event: 'result' });
  const ids = [...seen, ...rest.slice(0, -1)].map(({ id }) => id);
  expect(ids).toHaveLength(steps);
  const all = await eventsOf(await ask('GET', `/behaviours/lengthy/runs/${runId}`));
  expect(ids).toEqual(all.slice(0, -1).map(({ id }) => id));
});

async function eventsOf(response: IncomingMessage): Promise<readonly Event[]> {
  response.setEncoding('utf8');
  let received = '';
  for await (const piece of response) received += String(piece);
  return received
    .split('\n\n')
    .filter((block) => /^event: /m.test(block))
    .map((block) => ({
      id: /^id: (\d+)$/m.test(block) ? Number(/^id: (\d+)$/m.exec(block)?.[1]) : undefined,
      event: /^event: (\w+)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null') as Event['data'],
    }));
}
