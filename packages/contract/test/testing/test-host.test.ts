import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../src/memory/index.ts';
import { toRoute } from '../../src/route/to-route.ts';
import { fixedClock, testHost } from '../../src/testing/index.ts';

describe('testHost', () => {
  it('collects what is emitted and logged', () => {
    const host = testHost();
    host.emit({ kind: 'insight', device: 'door' });
    host.log('warn', 'slow', { ms: 5 });
    host.log('info', 'ready');
    expect(host.events).toEqual([{ kind: 'insight', device: 'door' }]);
    expect(host.logs).toEqual([
      { level: 'warn', message: 'slow', fields: { ms: 5 } },
      { level: 'info', message: 'ready', fields: {} },
    ]);
  });

  it('counts ids up; they sort and look like ULIDs', () => {
    const host = testHost();
    const ids = Array.from({ length: 11 }, () => host.newId());
    expect(ids[0]).toBe('00000000000000000000000001');
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(11);
    for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('runs later tasks by its clock and logs what they throw', async () => {
    const host = testHost();
    const error = new Error('broken');
    let ranAtMs = 0;
    host.after(10, () => {
      ranAtMs = host.now();
    });
    host.after(20, async () => {
      throw error;
    });
    const cancelled = host.after(5, () => host.log('error', 'never'));
    cancelled();
    await host.clock.advance(20);
    expect(ranAtMs).toBe(host.now() - 10);
    expect(host.logs).toEqual([
      { level: 'error', message: 'a task that was to run later failed', fields: { error } },
    ]);
  });

  it('runs nothing after its shutdown', async () => {
    const host = testHost();
    let ran = false;
    host.after(1, () => {
      ran = true;
    });
    expect(host.signal.aborted).toBe(false);
    host.shutdown();
    await host.clock.advance(10);
    expect(host.signal.aborted).toBe(true);
    expect(ran).toBe(false);
  });

  it('refuses to reach the outside, and answers 501 without a dispatcher', async () => {
    const { outbound, dispatcher, signal, env } = testHost();
    const request = {
      method: 'GET',
      url: 'https://example.org/',
      timeoutMs: 1,
      maxBytes: 1,
      allow: 'public',
      signal,
    } as const;
    await expect(outbound.request(request)).rejects.toMatchObject({
      status: 502,
      message: 'this test host refuses to reach https://example.org/',
    });
    const route = toRoute('GET', '/a', { kind: 'handler' });
    const principal = { id: 'a', rootId: 'a', authenticated: true, scopes: [] };
    const call = {
      route,
      input: { by: 'arguments', values: {} },
      principal,
      via: 'http',
      requestId: 'r',
    } as const;
    expect(await dispatcher.dispatch(call)).toMatchObject({ status: 501, body: { kind: 'problem' } });
    expect(await dispatcher.upgrade(call)).toMatchObject({ ok: false, response: { status: 501 } });
    expect(env('PATH')).toBeUndefined();
  });

  it('has stores and a table of its own', async () => {
    const host = testHost();
    await host.stores.audit.append([{ kind: 'insight', id: '1', at_ms: 1 }]);
    expect(await testHost().stores.audit.list({ limit: 10 })).toEqual([]);
    host.table.add(toRoute('GET', '/a', { kind: 'handler' }));
    expect(testHost().table.size).toBe(0);
  });

  it('uses what it is given instead', async () => {
    const stores = memoryStores();
    const clock = fixedClock(7);
    const lines: string[] = [];
    const host = testHost({
      stores,
      clock,
      env: (name) => `${name}!`,
      log: (_, message) => void lines.push(message),
    });
    expect(host.stores).toBe(stores);
    expect(host.now()).toBe(7);
    expect(host.env('A')).toBe('A!');
    host.after(1, () => {
      throw new Error('broken');
    });
    await clock.advance(1);
    expect(lines).toEqual(['a task that was to run later failed']);
  });
});
