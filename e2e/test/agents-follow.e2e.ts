import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { callers, type ThinkingApplication, thinking } from './agents-application.ts';

const requestTimeout = 0.5;

/** An agent whose run waits for a human, and whoever follows it. */
async function followed() {
  const app = await thinking(
    (one) => {
      const gated = { tool: true, toolName: 'pay', scopes: ['write'], approval: 'required' } as const;
      one.post('/pay', gated, () => 'paid');
      one.agent('clerk', { scopes: ['write'], tools: ['pay'] });
    },
    { requestTimeout, shutdownTimeout: 5 },
  );
  const { value } = await app.ask('clerk', '[[call pay {}]] [[say Paid.]]');
  const response = await fetch(`${app.url}/agents/clerk/runs/${value.run_id}`, {
    headers: { 'x-api-key': callers.ANN_KEY, accept: 'text/event-stream' },
  });
  return { app, text: response.text(), approval: value.pending_approvals?.[0]?.approval_id ?? '' };
}

describe('following a run that waits for a human', () => {
  it('is not over with the request timeout: it ends with the result', async () => {
    verifies('http.timeout.stream');
    const { app, text, approval } = await followed();
    await sleep(requestTimeout * 3_000);
    await approve(app, approval);
    const events = await text;
    expect(events).toContain('"approval_decided"');
    expect(events).toContain('event: result');
    expect(events).toContain('Paid.');
    expect(events).not.toContain('event: error');
  });

  it('does not keep a server that stops', async () => {
    const { app, text } = await followed();
    const begunMs = performance.now();
    await app.close();
    await text.catch(() => '');
    expect(performance.now() - begunMs).toBeLessThan(10_000);
  });
});

async function approve({ send }: ThinkingApplication, id: string): Promise<void> {
  expect((await send(`/_svc/approvals/${id}`, { approve: true, note: '' })).status).toBe(200);
}
