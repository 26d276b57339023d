/** Behaviours that never come to an end, in a whole application: what does not count towards `maxSteps` ends them, or time. */
import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { type ThinkingApplication, thinking } from './agents-application.ts';

const tooMany = { halted: true, reason: 'the limit of 10000 values, messages and contexts is reached' };

/** Health, for as long as something else goes on. @returns the answers */
async function healthWhile(
  { send }: ThinkingApplication,
  work: Promise<unknown>,
): Promise<readonly number[]> {
  const all: number[] = [];
  let over = false;
  void work.then(() => {
    over = true;
  });
  do all.push((await send('/_svc/health')).status);
  while (!over);
  return all;
}

it('a loop that waits by the recorded clock is ended, and health answers meanwhile', async () => {
  verifies('behaviour.ctx.uncounted');
  const app = await thinking((declared) => {
    declared.behaviour('wait', { input: { ms: Type.Integer() } }, async (ctx, { ms }) => {
      const startedMs = ctx.now();
      let n = 0;
      // As `await ctx.now()`: what waits for a value lets nothing else happen.
      while ((await Promise.resolve(ctx.now())) - startedMs < ms) n++;
      return { n };
    });
  });
  const waits = app.send('/behaviours/wait', { ms: 600_000 });
  const answers = await healthWhile(app, waits);
  expect(await waits).toMatchObject({ status: 200, value: tooMany });
  expect(new Set(answers)).toEqual(new Set([200]));
  const { runs } = (await app.send('/_svc/runs')).value as never as { runs: readonly object[] };
  expect(runs).toMatchObject([{ name: 'wait', status: 'step_limit' }]);
});

it('a loop of contexts is ended by its deadline, and health answers meanwhile', async () => {
  verifies('http.timeout.agent-leg');
  const app = await thinking(
    (declared) => {
      declared.context('facts', { data: 'few' }).behaviour('read', { context: ['facts'] }, async (ctx) => {
        for (;;) await ctx.context('facts');
      });
    },
    { agentTimeout: 0.3 },
  );
  const reads = app.send('/behaviours/read', {});
  const answers = await healthWhile(app, reads);
  expect(await reads).toMatchObject({ status: 504, value: { detail: 'timed out after 0.3 s' } });
  expect(answers.length).toBeGreaterThan(1);
  expect(new Set(answers)).toEqual(new Set([200]));
});
