import { PassThrough } from 'node:stream';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Lingering, maxLingering, maxLingeringPerAddress } from '../../src/response/lingering.ts';

/** Lets one more stay, and notes in whose order they are cut. */
function byHand() {
  const lingering = new Lingering();
  const cut: string[] = [];
  const add = (name: string, remoteAddress: string) =>
    lingering.add(Object.assign(new PassThrough(), { remoteAddress }), () => void cut.push(name));
  return { add, cut };
}

describe('Lingering', () => {
  it('cuts of an address the connection that has stayed for longest, where one more comes than may stay', () => {
    verifies('http.last-answer.room');
    const { add, cut } = byHand();
    const leaves = Array.from({ length: maxLingeringPerAddress }, (_, i) => add(`a${i}`, '10.0.0.1'));
    add('b', '10.0.0.2');
    expect(cut).toEqual([]);
    leaves[0]?.();
    leaves[0]?.();
    add('more', '10.0.0.1');
    expect(cut).toEqual([]);
    add('one too many', '10.0.0.1');
    expect(cut).toEqual(['a1']);
  });

  it('cuts one of the address that has most, where all of them are too many', () => {
    verifies('http.last-answer.room');
    const { add, cut } = byHand();
    for (let i = 0; i < maxLingering; i++) add(`${i}`, i < 40 ? '10.0.0.1' : `10.1.0.${Math.floor(i / 8)}`);
    expect(cut).toEqual([]);
    add('one too many', '10.0.0.3');
    expect(cut).toEqual(['0']);
    add('another', '10.0.0.4');
    expect(cut).toEqual(['0', '1']);
  });

  it('cuts each after a second', () => {
    verifies('http.last-answer.room');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { add, cut } = byHand();
    add('stays', '10.0.0.1');
    add('leaves', '10.0.0.1')();
    vi.advanceTimersByTime(999);
    expect(cut).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(cut).toEqual(['stays']);
    // Its place is free.
    for (let i = 0; i < maxLingeringPerAddress; i++) add(`${i}`, '10.0.0.1');
    expect(cut).toEqual(['stays']);
  });
});
