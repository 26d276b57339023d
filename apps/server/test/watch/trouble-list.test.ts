import type { Log, Trouble } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TroubleList } from '../../src/watch/trouble-list.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const full: Trouble = { code: 'disk-full', message: 'The disk is full.' };
const gone: Trouble = { code: 'database-gone', message: 'The file is gone.' };

function open(...sources: (() => readonly Trouble[])[]) {
  const log = vi.fn<Log>();
  return { log, list: new TroubleList(sources, { log, monotonic: () => performance.now() }) };
}

describe('TroubleList', () => {
  it('has the troubles of all sources, and each code once', () => {
    const { list } = open(
      () => [full],
      () => [],
      () => [gone, { ...full, message: 'Full.' }],
    );
    expect(list.look()).toEqual([full, gone]);
  });

  it('logs a trouble when it begins and when it is over, although nobody asks', () => {
    verifies('health.troubles.logged');
    const troubles: Trouble[] = [];
    const { list, log } = open(() => troubles);
    list.start();
    vi.advanceTimersByTime(3_000);
    expect(log).not.toHaveBeenCalled();
    troubles.push(full);
    vi.advanceTimersByTime(2_000);
    const begun = ['error', 'the service is in trouble', { code: 'disk-full', trouble: 'The disk is full.' }];
    expect(log.mock.calls).toEqual([begun]);
    troubles.pop();
    vi.advanceTimersByTime(2_000);
    const over = ['info', 'a trouble is over', { code: 'disk-full', lasted_ms: 2_000 }];
    expect(log.mock.calls).toEqual([begun, over]);
    troubles.push(full);
    list.look();
    expect(log.mock.calls).toEqual([begun, over, begun]);
    list.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('warns of somebody outside, where the service itself is well', () => {
    verifies('health.troubles.logged');
    const { list, log } = open(() => [
      { code: 'upstream-failing', message: 'Upstreams fail.', outside: true },
    ]);
    list.look();
    list.look();
    const fields = { code: 'upstream-failing', trouble: 'Upstreams fail.' };
    expect(log.mock.calls).toEqual([['warn', 'somebody outside is in trouble', fields]]);
  });

  it('counts a source that fails as a trouble, and logs why once', () => {
    const failure = new Error('own');
    let broken = true;
    const { list, log } = open(
      () => {
        if (broken) throw failure;
        return [];
      },
      () => [full],
    );
    expect(list.look().map(({ code }) => code)).toEqual(['condition-unknown', 'disk-full']);
    list.look();
    expect(log.mock.calls.filter(([, , fields]) => fields?.['error'] === failure)).toHaveLength(1);
    broken = false;
    expect(list.look()).toEqual([full]);
  });
});
