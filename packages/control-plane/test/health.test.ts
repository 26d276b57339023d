import { defineRoute, type Route, toRoute } from '@waymark/contract';
import type { Trouble } from '@waymark/contract/engine';
import type { EngineKind } from '@waymark/contract/route';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { askReply, tableOf } from './serve.ts';

const health = 'get_svc_health';
const served = (kind: EngineKind, path: string): Route => toRoute('POST', path, { kind, answer: () => null });
const socket = (kind: EngineKind, path: string): Route =>
  toRoute('GET', path, { kind, accept: () => undefined }, { socket: true });

describe('GET /health', () => {
  it('answers every member, with zeros for what is not there', async () => {
    verifies(
      'control.health',
      'control.health.sessions',
      'health.members',
      'version.health',
      'purpose.control.health',
    );
    const table = tableOf([]);
    const { status, body } = await askReply(table, health);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      app: 'desk',
      version: '1.2.3',
      uptime_ms: expect.any(Number) as number,
      routes: table.size,
      tools: 0,
      agents: 0,
      behaviours: 0,
      flows: 0,
      devices: 0,
      watchers: 0,
      sessions: 0,
      pending_approvals: 0,
      provider_waits: 0,
      troubles: [],
      event_loop_p99_ms: 0,
    });
  });

  it('keeps its members in one order', async () => {
    const { body } = await askReply(tableOf([]), health);
    expect(Object.keys(body as object).join(' ')).toBe(
      'status app version uptime_ms routes tools agents behaviours flows devices watchers sessions pending_approvals provider_waits troubles event_loop_p99_ms',
    );
  });

  it('counts tools, agents, behaviours and flows of the table, and no socket twice', async () => {
    verifies('control.health');
    const declared = [
      defineRoute('GET', '/a', { tool: true }, () => 1),
      defineRoute('GET', '/b', {}, () => 1),
      served('agent', '/agents/one'),
      socket('agent', '/agents/one'),
      served('agent', '/agents/two'),
      served('behaviour', '/behaviours/one'),
      served('flow', '/flows/one'),
    ];
    const { body } = await askReply(tableOf(declared), health);
    const routes = declared.length + tableOf([]).size;
    expect(body).toMatchObject({ routes, tools: 1, agents: 2, behaviours: 1, flows: 1 });
  });

  it('takes the other counts from the gauges, those of a plugin under its own names, too', async () => {
    verifies('control.health.sessions');
    const gauges = (): Record<string, number> => ({
      devices: 1,
      watchers: 2,
      sessions: 3,
      pending_approvals: 4,
      countdowns: 5,
      // Those that it counts itself are nobody else's.
      routes: -1,
    });
    const { body } = await askReply(tableOf([], { gauges }), health);
    expect(body).toMatchObject({ devices: 1, watchers: 2, sessions: 3, pending_approvals: 4 });
    expect(body).toMatchObject({ countdowns: 5, routes: 13 });
    expect(Object.keys(body as object).at(-1)).toBe('countdowns');
  });

  it('reads clock and gauges at each request', async () => {
    let nowMs = 10_000;
    const table = tableOf([], { monotonic: () => nowMs, gauges: () => ({ sessions: nowMs }) });
    expect((await askReply(table, health)).body).toMatchObject({ uptime_ms: 0, sessions: 10_000 });
    nowMs = 10_007.9;
    expect((await askReply(table, health)).body).toMatchObject({ uptime_ms: 7, sessions: 10_007.9 });
  });

  it.each([3_600_000, -3_600_000])('counts the uptime on when the clock is set by %i ms', async (byMs) => {
    const table = tableOf([]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
    onTestFinished(() => void vi.useRealTimers());
    const { uptime_ms: uptimeMs } = (await askReply(table, health)).body as { uptime_ms: number };
    expect(uptimeMs).toBeGreaterThanOrEqual(0);
    expect(uptimeMs).toBeLessThan(60_000);
  });

  it('answers 503 "draining" once shutdown began', async () => {
    const table = tableOf([], { draining: () => true });
    const { status, body } = await askReply(table, health);
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'draining', app: 'desk', routes: table.size });
  });

  it.each<[string | boolean, number]>([
    ['', 200],
    [true, 200],
    [false, 503],
  ])('is asked with live = %j while draining: %i', async (live, expected) => {
    const { status, body } = await askReply(tableOf([], { draining: () => true }), health, {
      input: { live },
    });
    expect(status).toBe(expected);
    expect(body).toMatchObject({ status: 'draining' });
  });

  it('declares "live" and "ready" as query names without a default, so that strictQuery lets them through', () => {
    expect(tableOf([]).get(health)?.parameters).toMatchObject([
      { name: 'live', place: 'query', required: false },
      { name: 'ready', place: 'query', required: false },
    ]);
  });

  const full = {
    code: 'disk-full',
    message: 'The disk is full: nothing can be written until there is room.',
  };
  const gone = { code: 'database-gone', message: 'The database file is gone.' };
  const failing = { code: 'upstream-failing', message: 'Upstreams fail: "billing".', outside: true };

  it('is degraded as long as there are troubles, and tells each with a code and a sentence', async () => {
    verifies('health.troubles');
    const troubles = [full, gone];
    const table = tableOf([], { troubles: () => troubles });
    const { status, body } = await askReply(table, health);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'degraded', troubles: [full, gone], app: 'desk' });
    troubles.pop();
    expect((await askReply(table, health)).body).toMatchObject({ status: 'degraded', troubles: [full] });
    troubles.pop();
    expect((await askReply(table, health)).body).toMatchObject({ status: 'ok', troubles: [] });
  });

  it('tells no more of a trouble than the two, whatever a plugin adds', async () => {
    const table = tableOf([], { troubles: () => [{ ...full, path: '/srv/secret.db' }] });
    expect((await askReply(table, health)).body).toMatchObject({ troubles: [full] });
    expect(JSON.stringify((await askReply(table, health)).body)).not.toContain('secret.db');
  });

  it('is draining rather than degraded, and tells the troubles all the same', async () => {
    const table = tableOf([], { draining: () => true, troubles: () => [full] });
    const { status, body } = await askReply(table, health);
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'draining', troubles: [full] });
  });

  it.each<['ok' | 'degraded' | 'draining', object, number]>([
    ['ok', {}, 200],
    ['ok', { ready: '' }, 200],
    ['ok', { live: '' }, 200],
    ['degraded', {}, 200],
    ['degraded', { ready: '' }, 503],
    ['degraded', { ready: true }, 503],
    ['degraded', { ready: false }, 200],
    ['degraded', { live: '' }, 200],
    ['degraded', { live: '', ready: '' }, 200],
    ['draining', {}, 503],
    ['draining', { ready: '' }, 503],
    ['draining', { live: '', ready: '' }, 200],
  ])('asked while %s with %j it answers %i', async (status, input, expected) => {
    verifies('health.ready');
    const table = tableOf([], {
      draining: () => status === 'draining',
      troubles: () => (status === 'degraded' ? [full] : []),
    });
    const answer = await askReply(table, health, { input: { ...input } });
    expect(answer.status).toBe(expected);
    expect(answer.body).toMatchObject({ status });
  });

  it.each<[string, readonly Trouble[], number]>([
    ['somebody outside', [failing], 200],
    ['several outside', [failing, { ...failing, code: 'camera-failing' }], 200],
    ['somebody outside, and by itself', [failing, full], 503],
  ])('degraded by %s it is ready, or not: %i', async (_, troubles, expected) => {
    verifies('health.ready', 'health.outside');
    const table = tableOf([], { troubles: () => troubles });
    const answer = await askReply(table, health, { input: { ready: '' } });
    expect(answer.status).toBe(expected);
    const told = troubles.map(({ code, message }) => ({ code, message }));
    expect(answer.body).toMatchObject({ status: 'degraded', troubles: told });
  });

  it('tells how long the event loop lets wait, to a tenth of a millisecond', async () => {
    verifies('health.event-loop');
    const table = tableOf([], { eventLoopP99Ms: () => 12.3456, gauges: () => ({ event_loop_p99_ms: 7 }) });
    expect((await askReply(table, health)).body).toMatchObject({ event_loop_p99_ms: 12.3 });
  });
});
