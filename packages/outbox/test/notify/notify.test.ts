import { createRouteTable } from '@waymark/contract';
import type { RunSpec } from '@waymark/contract/runs';
import { testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createNotices, createOutbox, type NotifyOptions, notify } from '../../src/index.ts';

const secret = `whsec_${Buffer.from('a'.repeat(32)).toString('base64')}`;
const env = (name: string): string | undefined => (name === 'HOOK_SECRET' ? secret : undefined);
const table = createRouteTable();
const secretEnv = 'HOOK_SECRET';
const ops = notify('https://ops.example/hook', {
  name: 'ops',
  secretEnv,
  events: ['approval_requested', 'run_finished'],
});
const yard = notify('https://yard.example/hook', {
  secretEnv,
  events: ['device_status', 'watcher_limited', 'run_finished'],
});

const problemsOf = (...calls: readonly ReturnType<typeof notify>[]): readonly string[] =>
  (createOutbox(calls).check?.({ table, env }) ?? []).map(
    ({ declaration, code, severity = 'error', rule }) => `${severity} ${code} ${declaration}: ${rule}`,
  );

describe('notify', () => {
  it('is called by its name, or by the host of its URL', () => {
    expect([ops.name, yard.name]).toEqual(['ops', 'yard.example']);
    expect(problemsOf(ops, yard)).toEqual([]);
    expect(createOutbox([ops, yard]).webhooks?.()).toEqual([
      { name: 'notify:ops', url: 'https://ops.example/hook', secretEnv },
      { name: 'notify:yard.example', url: 'https://yard.example/hook', secretEnv },
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    ['https://a.example', { secretEnv }, ['error notify-events notify "a.example": it tells of no event']],
    [
      'https://a.example',
      { secretEnv, events: [] },
      ['error notify-events notify "a.example": it tells of no event'],
    ],
    [
      'https://a.example',
      { secretEnv, events: ['run_finished', 'runs'] },
      ['error notify-events notify "a.example": unknown event "runs"'],
    ],
    [
      'https://a.example',
      { secretEnv, events: 'run_finished' },
      ['error option-type notify "a.example": events is not a list of texts'],
    ],
    [
      'https://a.example',
      { secretEvn: 'X', secretEnv, events: ['run_finished'] },
      ['error unknown-option notify "a.example": unknown option "secretEvn"'],
    ],
    [
      'nowhere',
      { secretEnv, events: ['run_finished'] },
      ['error notify-endpoint notify: its URL is no http or https URL'],
    ],
    [
      'https://a.example',
      { secretEnv: 'UNSET', events: ['run_finished'] },
      ['error notify-endpoint notify "a.example": the variable UNSET is not set'],
    ],
    [
      'https://a.example',
      { events: ['run_finished'] },
      [
        'warning notify-endpoint notify "a.example": its messages are not signed, so its receiver cannot tell them from those of others',
      ],
    ],
  ])('of %s with %j is refused, or warned of', (url, options, problems) => {
    verifies('notify.checked');
    expect(problemsOf(notify(url, options as NotifyOptions))).toEqual(problems);
  });

  it.each([undefined, null, 5])('takes %j for what it is, and throws nothing', (given) => {
    const declaration = notify(given as never, given as never);
    expect(problemsOf(declaration).length).toBeGreaterThan(0);
    expect(createOutbox([declaration]).webhooks?.()).toEqual([]);
  });

  it('tells of devices and watchers, each receiver of what it wants', async () => {
    verifies('notify.events');
    const host = testHost();
    const plugin = createOutbox([ops, yard]);
    await plugin.start?.(host);
    plugin.observe?.({ kind: 'device_status', device: 'door', status: 'offline' });
    plugin.observe?.({ kind: 'watcher_limited', watcher: 'yard', runs: 60 });
    plugin.observe?.({ kind: 'tool_called', tool: 'door' });
    await expect.poll(() => host.stores.outbox.kept('notify:yard.example', 9)).toHaveLength(2);
    const [limited, device] = await host.stores.outbox.kept('notify:yard.example', 9);
    const atMs = host.now();
    expect(device?.body).toEqual({
      type: 'device_status',
      timestamp: new Date(atMs).toISOString(),
      data: { device: 'door', status: 'offline', since_ms: atMs },
    });
    expect(limited?.body).toMatchObject({ type: 'watcher_limited', data: { watcher: 'yard', runs: 60 } });
    expect(await host.stores.outbox.kept('notify:ops', 9)).toEqual([]);
  });
});

describe('the notices of runs', () => {
  const approval = {
    approvalId: 'appr_1',
    rootId: 'run_1',
    agent: 'desk',
    path: ['desk'],
    caller: 'ada',
    tool: 'refund',
    arguments: { note: 'x'.repeat(30_000), amount: 5 },
    reason: 'too dear',
    requestedMs: Date.UTC(2026, 0, 1),
    expiresMs: Date.UTC(2026, 0, 2),
  };
  const ended = {
    ...{ runId: 'run_1', createdMs: 1_000, endedMs: 3_500, status: 'completed' as const },
    spec: { kind: 'agent', name: 'desk' } as RunSpec,
  };
  const figures = { durationMs: 2_500, tokens: 120, costMicros: 7 };

  it('have what a human needs to decide, and the link where it is known', () => {
    const { approvalRequested } = createNotices([ops, yard], {
      publicUrl: 'https://desk.example/',
      controlPrefix: '/_svc',
    });
    const deliveries = approvalRequested(approval);
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]).toMatchObject({
      endpoint: 'notify:ops',
      body: {
        type: 'approval_requested',
        timestamp: '2026-01-01T00:00:00.000Z',
        truncated: true,
        data: {
          ...{ approval_id: 'appr_1', run_id: 'run_1', agent: 'desk', path: ['desk'], caller: 'ada' },
          ...{ tool: 'refund', reason: 'too dear', expires_at_ms: approval.expiresMs },
          arguments: { amount: 5, note: expect.stringMatching(/^x+…$/) as string },
          decide_url: 'https://desk.example/_svc/approvals/appr_1',
        },
      },
    });
    const [unlinked] = createNotices([ops], { controlPrefix: '/_svc' }).approvalRequested(approval);
    expect(JSON.stringify(unlinked)).not.toContain('decide_url');
  });

  it('say what a run came to', () => {
    const { runFinished } = createNotices([ops, yard], { controlPrefix: '/_svc' });
    const deliveries = runFinished(ended, figures);
    expect(deliveries.map(({ endpoint }) => endpoint)).toEqual(['notify:ops', 'notify:yard.example']);
    expect(deliveries[0]?.body).toEqual({
      type: 'run_finished',
      timestamp: '1970-01-01T00:00:03.500Z',
      data: {
        ...{ run_id: 'run_1', kind: 'agent', name: 'desk', status: 'completed' },
        ...{ duration_ms: 2_500, tokens: 120, cost_micros: 7 },
      },
    });
  });

  it('have the same ids for the same, and others for each receiver and each end', () => {
    const notices = createNotices([ops, yard], { controlPrefix: '/_svc' });
    const idsOf = (changes = {}): readonly string[] =>
      notices.runFinished({ ...ended, ...changes }, figures).map(({ id }) => id);
    expect(idsOf()).toEqual(idsOf());
    expect(new Set([...idsOf(), ...idsOf({ endedMs: 9_000 })]).size).toBe(4);
  });
});
