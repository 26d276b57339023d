import { createRouteTable, DeclarationError } from '@waymark/contract';
import type { Dispatcher, Log, Plugin } from '@waymark/contract/engine';
import type { Devices } from '@waymark/contract/hub';
import { testHost, verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDispatcher, createHost, type HostParts, startPlugins } from '../src/index.ts';

const table = createRouteTable().freeze();
const dispatcher: Dispatcher = createDispatcher(table);

function host(parts: Partial<HostParts> = {}) {
  return createHost({ table, dispatcher, ...parts });
}

describe('createHost', () => {
  it('works with a table and a dispatcher alone', async () => {
    const made = host();
    expect(made.table).toBe(table);
    expect(made.dispatcher).toBe(dispatcher);
    expect(Math.abs(made.now() - Date.now())).toBeLessThan(1_000);
    expect(made.newId()).toMatch(/^[0-9A-Z]{26}$/);
    expect(made.signal.aborted).toBe(false);
    expect(await made.stores.audit.list({ limit: 1 })).toEqual([]);
    expect(() => made.log('info', 'nothing is written')).not.toThrow();
    expect([made.runner, made.models, made.database]).toEqual([undefined, undefined, undefined]);
  });

  it('reads the environment', () => {
    vi.stubEnv('WAYMARK_TEST_HOST', 'set');
    expect([host().env('WAYMARK_TEST_HOST'), host().env('WAYMARK_TEST_UNSET')]).toEqual(['set', undefined]);
    expect(host({ env: (name) => `${name}!` }).env('A')).toBe('A!');
    vi.unstubAllEnvs();
  });

  it('fetches nothing without a client', async () => {
    const request = {
      method: 'GET',
      url: 'http://x',
      timeoutMs: 1,
      maxBytes: 1,
      allow: 'public',
      signal: AbortSignal.abort(),
    } as const;
    await expect(host().outbound.request(request)).rejects.toThrow('this host was given no outbound client');
  });

  it('uses what it is given', () => {
    const parts = {
      signal: AbortSignal.abort(),
      now: () => 5,
      monotonic: () => 6,
      newId: () => 'id',
      log: () => {},
      emit: () => {},
      outbound: { request: () => Promise.reject(new Error('not asked')) },
      runner: {} as never,
      models: {} as never,
      database: {} as never,
    };
    expect(host(parts)).toMatchObject(parts);
    const { audit } = testHost().stores;
    expect(host({ stores: { audit } }).stores.audit).toBe(audit);
  });

  describe('after', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('runs a task once, later, unless it is cancelled', () => {
      const [task, cancelled] = [vi.fn<() => void>(), vi.fn<() => void>()];
      const { after } = host();
      after(100, task);
      const cancel = after(100, cancelled);
      cancel();
      cancel();
      vi.advanceTimersByTime(99);
      expect(task).not.toHaveBeenCalled();
      return vi.advanceTimersByTimeAsync(1_000).then(() => {
        expect(task).toHaveBeenCalledTimes(1);
        expect(cancelled).not.toHaveBeenCalled();
      });
    });

    it.each([2 ** 31 - 1, 2 ** 31, 90 * 86_400_000])('waits as long as it is told: %i ms', async (ms) => {
      const task = vi.fn<() => void>();
      host().after(ms, task);
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(task).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(task).toHaveBeenCalledTimes(1);
    });

    it('can be cancelled late in a long wait, and can wait for no end', async () => {
      const task = vi.fn<() => void>();
      const { after } = host();
      const cancels = [after(90 * 86_400_000, task), after(Number.POSITIVE_INFINITY, task)];
      await vi.advanceTimersByTimeAsync(60 * 86_400_000);
      for (const cancel of cancels) cancel();
      expect(vi.getTimerCount()).toBe(0);
      expect(task).not.toHaveBeenCalled();
    });

    it('runs nothing once shutdown began', async () => {
      const end = new AbortController();
      const task = vi.fn<() => void>();
      const { after } = host({ signal: end.signal });
      after(100, task);
      end.abort();
      after(100, task)();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(task).not.toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    });

    it('logs what a task throws, now or later', async () => {
      const log = vi.fn<Log>();
      const error = new Error('bug');
      const { after } = host({ log });
      after(1, () => {
        throw error;
      });
      after(2, () => Promise.reject(error));
      await vi.advanceTimersByTimeAsync(10);
      expect(log.mock.calls).toEqual([
        ['error', 'a timer task failed', { error }],
        ['error', 'a timer task failed', { error }],
      ]);
    });
  });
});

describe('startPlugins', () => {
  const order: string[] = [];
  const plugin = (name: string, parts: Partial<Plugin> = {}): Plugin => ({
    name,
    routes: [],
    start: () => void order.push(`start ${name}`),
    stop: () => void order.push(`stop ${name}`),
    ...parts,
  });
  beforeEach(() => void order.splice(0));

  it('starts nothing where a plugin needs what the host was not given', async () => {
    verifies('hub.pull.outbound');
    const table = createRouteTable().freeze();
    const host = createHost({ table, dispatcher: createDispatcher(table) });
    const needy = (need: 'outbound' | 'database' | 'devices') => plugin('b', { needs: [need] });
    await expect(startPlugins([plugin('a'), needy('outbound')], host)).rejects.toThrow(
      'plugin "b" needs outbound, which createHost was not given: createOutbound() of @waymark/http makes one',
    );
    await expect(startPlugins([plugin('a'), needy('database')], host)).rejects.toThrow(
      'plugin "b" needs database, which createHost was not given',
    );
    await expect(startPlugins([plugin('a'), needy('devices')], host)).rejects.toThrow(
      'plugin "b" needs devices, which createHost was not given: it is a member of what deviceHub() of @waymark/device-hub returns',
    );
    expect(order).toEqual([]);
    await startPlugins([needy('outbound')], testHost());
    expect(order).toEqual(['start b']);
    const devices = { declared: [] } as unknown as Devices;
    const withDevices = createHost({ table, dispatcher: createDispatcher(table), devices });
    expect(withDevices.devices).toBe(devices);
    await startPlugins([needy('devices')], withDevices);
    expect(order).toEqual(['start b', 'start b']);
  });

  it('starts in the order of the list, one after the other, and stops in the opposite order', async () => {
    const slow = plugin('b', {
      start: async () => {
        await Promise.resolve();
        order.push('start b');
      },
    });
    const started = await startPlugins(
      [plugin('a'), slow, plugin('c'), { name: 'quiet', routes: [] }],
      testHost(),
    );
    expect(order).toEqual(['start a', 'start b', 'start c']);
    await started.stop();
    await started.stop();
    expect(order.slice(3)).toEqual(['stop c', 'stop b', 'stop a']);
  });

  it('tells them, in the order of the list, when everything has started', async () => {
    const ready = (name: string): Partial<Plugin> => ({ ready: () => void order.push(`ready ${name}`) });
    const started = await startPlugins(
      [plugin('a', ready('a')), plugin('b'), plugin('c', ready('c'))],
      testHost(),
    );
    expect(order).toEqual(['start a', 'start b', 'start c']);
    await started.ready();
    expect(order.slice(3)).toEqual(['ready a', 'ready c']);
  });

  it('says which one failed to get ready', async () => {
    const broken = { ready: () => Promise.reject(new Error('no file')) };
    const started = await startPlugins([plugin('a', broken), plugin('b')], testHost());
    await expect(started.ready()).rejects.toThrow('plugin "a" failed to get ready');
    await started.stop();
    expect(order.slice(2)).toEqual(['stop b', 'stop a']);
  });

  it('gives each plugin the host', async () => {
    const host = testHost();
    const start = vi.fn<() => void>();
    await startPlugins([plugin('a', { start })], host);
    expect(start).toHaveBeenCalledExactlyOnceWith(host);
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('no port');
      },
    ],
    ['later', () => Promise.reject(new Error('no port'))],
  ])('stops what it started when one fails %s, and says which', async (_, start) => {
    const starting = startPlugins(
      [plugin('a'), plugin('b'), plugin('c', { start }), plugin('d')],
      testHost(),
    );
    await expect(starting).rejects.toThrow('plugin "c" failed to start');
    await expect(starting).rejects.toMatchObject({ cause: { message: 'no port' } });
    expect(order).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  });

  it('lets problems of declarations through as they are', async () => {
    const wrong = new DeclarationError([{ code: 'a-rule', declaration: 'a thing', rule: 'it is wrong' }]);
    const starting = startPlugins(
      [plugin('a'), plugin('b', { start: () => Promise.reject(wrong) })],
      testHost(),
    );
    await expect(starting).rejects.toBe(wrong);
    expect(order).toEqual(['start a', 'stop a']);
  });

  it('stops the others when one fails to stop', async () => {
    const host = testHost();
    const error = new Error('stuck');
    const started = await startPlugins(
      [
        plugin('a'),
        plugin('b', {
          stop: () => {
            throw error;
          },
        }),
        plugin('c', { stop: () => Promise.reject(error) }),
      ],
      host,
    );
    await started.stop();
    expect(order).toEqual(['start a', 'start b', 'start c', 'stop a']);
    expect(host.logs).toEqual(
      ['c', 'b'].map((name) => ({
        level: 'error',
        message: 'a plugin failed to stop',
        fields: { plugin: name, error },
      })),
    );
  });
});
