import { describe, expect, it } from 'vitest';
import { MessageTurns } from '../../src/socket/message-turns.ts';
import type { Sharer } from '../../src/socket/sharer-lanes.ts';

function spend(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** Somebody whose share takes longer than a turn has for all of them. */
function slow(name: string, log: string[], callerKey = 'ada'): Sharer {
  return {
    callerKey,
    takeTurn: () => {
      spend(3);
      log.push(name);
      return 1;
    },
  };
}

const nextTurn = () => new Promise(setImmediate);

/** Somebody with messages that wait, who takes a share of them in each turn. */
function sharer(turns: MessageTurns, name: string, shares: number[], log: string[]): Sharer {
  const self: Sharer = {
    callerKey: 'ada',
    takeTurn: () => {
      log.push(name);
      const share = shares.shift() ?? 0;
      if (shares.length > 0) turns.wait(self);
      return share;
    },
  };
  return self;
}

describe('MessageTurns', () => {
  it('gives a share in the next turn, and none before', async () => {
    const turns = new MessageTurns();
    const log: string[] = [];
    turns.wait(sharer(turns, 'a', [32, 32, 1], log));
    expect(log).toEqual([]);
    await nextTurn();
    expect(log).toEqual(['a']);
    await nextTurn();
    await nextTurn();
    await nextTurn();
    expect(log).toEqual(['a', 'a', 'a']);
  });

  it('hands over 256 messages in one turn, and goes on with those who had none', async () => {
    const turns = new MessageTurns();
    const log: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) turns.wait(sharer(turns, name, [128, 128], log));
    await nextTurn();
    expect(log.splice(0)).toEqual(['a', 'b']);
    await nextTurn();
    expect(log.splice(0)).toEqual(['c', 'd']);
    await nextTurn();
    expect(log.splice(0)).toEqual(['a', 'b']);
    await nextTurn();
    expect(log.splice(0)).toEqual(['c', 'd']);
    await nextTurn();
    expect(log).toEqual([]);
  });

  it('serves all of those for whom nothing has waited, as long as the turn has time', async () => {
    const turns = new MessageTurns();
    const log: string[] = [];
    for (let i = 0; i < 1_000; i++) turns.wait(sharer(turns, `${i}`, [0], log));
    await nextTurn();
    expect(log.length).toBeGreaterThan(20);
    await expect.poll(() => log).toHaveLength(1_000);
    expect(log).toEqual(Array.from({ length: 1_000 }, (_, i) => `${i}`));
  });

  it('serves no more of those who wait than 2 ms have time for, and at least one', async () => {
    const turns = new MessageTurns();
    const log: string[] = [];
    for (const name of ['a', 'b', 'c']) turns.wait(slow(name, log));
    for (const served of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      await nextTurn();
      expect(log).toEqual(served);
    }
  });

  it.each(['wait', 'begin'] as const)('serves callers in turn, of those who %s', async (how) => {
    const turns = new MessageTurns();
    const log: string[] = [];
    if (how === 'begin') {
      turns.mayBegin(slow('first', log));
      spend(3);
    }
    const come = (name: string, caller: string): void => {
      if (how === 'wait') turns.wait(slow(name, log, caller));
      else expect(turns.mayBegin(slow(name, log, caller))).toBe(false);
    };
    for (let i = 0; i < 50; i++) come(`flood ${i}`, 'eve');
    come('one', 'bob');
    come('two', 'bob');
    await expect.poll(() => log.length).toBeGreaterThan(4);
    expect(log.slice(0, 5)).toEqual(['flood 0', 'one', 'flood 1', 'two', 'flood 2']);
    await expect.poll(() => log.length).toBe(52);
    expect(log.slice(5)).toEqual(Array.from({ length: 47 }, (_, i) => `flood ${i + 3}`));
  });

  it('serves those who wait and those who come anew in turn, so that nobody waits for ever', async () => {
    const turns = new MessageTurns();
    const log: string[] = [];
    turns.wait(slow('waits', log));
    for (let turn = 0; turn < 4; turn++) {
      turns.mayBegin(slow('begins', log));
      spend(3);
      expect(turns.mayBegin(slow('late', log))).toBe(false);
      await nextTurn();
    }
    expect(log.slice(0, 2).toSorted()).toEqual(['late', 'waits']);
  });

  it('lets those begin who come within 2 ms, and the others in a later turn, beside those who have had a share', async () => {
    const turns = new MessageTurns();
    const log: string[] = [];
    const [first, late, flood] = ['first', 'late', 'flood'].map((name) => sharer(turns, name, [1], log));
    if (!first || !late || !flood) throw new Error('three sharers');
    expect(turns.mayBegin(first)).toBe(true);
    turns.wait(flood);
    spend(3);
    expect(turns.mayBegin(late)).toBe(false);
    // In one turn, where the machine has nothing else to do.
    await expect.poll(() => log).toEqual(['late', 'flood']);
    expect(turns.mayBegin(late)).toBe(true);
  });
});
