import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { noteAccepted, TurnLanes } from '../../src/engine/index.ts';

function spend(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** Lanes whose later turns begin when the test says so. */
function lanesByHand(turnMs = 4) {
  let turn = (): void => {};
  let asked = 0;
  const lanes = new TurnLanes({
    turnMs,
    later: (work) => {
      turn = work;
      return { await: () => void asked++ };
    },
  });
  return {
    lanes,
    get asked() {
      return asked;
    },
    /** A turn with all that it brings about. */
    turn: async () => {
      turn();
      await nextTurn();
    },
  };
}

describe('TurnLanes', () => {
  it('let work begin at once, until the milliseconds of a turn are used up', async () => {
    const { lanes, turn } = lanesByHand();
    expect(lanes.mayBegin()).toBe(true);
    spend(5);
    expect(lanes.mayBegin()).toBe(false);
    await turn();
    expect(lanes.mayBegin()).toBe(true);
  });

  it('keep who comes behind those that wait, however little was begun', () => {
    const { lanes } = lanesByHand();
    lanes.wait('a', () => {});
    expect(lanes.mayBegin()).toBe(false);
  });

  it('begin in a turn what fits into it, and at least one, in the order of its caller', async () => {
    const { lanes, turn } = lanesByHand();
    const begun: number[] = [];
    for (let i = 0; i < 6; i++)
      lanes.wait('a', () => {
        spend(i === 0 ? 9 : 3);
        begun.push(i);
      });
    await turn();
    expect(begun).toEqual([0]);
    await turn();
    // Two, or one on a machine that has more to do.
    expect(begun.length).toBeLessThanOrEqual(3);
    while (begun.length < 6) await turn();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('count what work brings about as soon as nothing else is run', async () => {
    const { lanes, turn } = lanesByHand();
    let begun = 0;
    for (let i = 0; i < 20; i++)
      lanes.wait('a', () => {
        begun++;
        void Promise.resolve()
          .then(() => Promise.resolve())
          .then(() => spend(3));
      });
    await turn();
    // Two, or one on a machine that has more to do.
    expect(begun).toBeLessThanOrEqual(2);
  });

  it('give each caller the same time, not the same number', async () => {
    const { lanes, turn } = lanesByHand(1);
    const begun: string[] = [];
    for (let i = 0; i < 10; i++)
      lanes.wait('heavy', () => {
        spend(3);
        begun.push('heavy');
      });
    for (let i = 0; i < 10; i++) lanes.wait('light', () => void begun.push('light'));
    await turn();
    expect(begun).toEqual(['heavy']);
    await turn();
    // Ten of them take less than one turn.
    expect(begun.filter((name) => name === 'light')).toHaveLength(10);
    expect(begun.filter((name) => name === 'heavy').length).toBeLessThanOrEqual(2);
  });

  it('serve one after the other where each takes its time, those who come anew last', async () => {
    const { lanes, turn } = lanesByHand(2);
    const begun: string[] = [];
    const work = (name: string) => (): void => {
      spend(3);
      begun.push(name);
      if (begun.length === 2) lanes.wait('c', work('c1'));
    };
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) lanes.wait(name[0], work(name));
    while (begun.length < 6) await turn();
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1', 'b2', 'a3']);
  });

  it('forget who leaves, and ask for no turn where nobody waits', async () => {
    const { lanes, turn } = lanesByHand();
    const begun: string[] = [];
    const leave = lanes.wait('a', () => void begun.push('left'));
    lanes.wait('b', () => void begun.push('b'));
    leave();
    leave();
    await turn();
    expect(begun).toEqual(['b']);
    const idle = lanesByHand();
    idle.lanes.wait('a', () => {});
    await idle.turn();
    await idle.turn();
    expect(idle.asked).toBe(1);
    expect(idle.lanes.mayBegin()).toBe(true);
  });

  it('serve the others where one throws', async () => {
    const { lanes, turn } = lanesByHand();
    const begun: string[] = [];
    lanes.wait('a', () => {
      throw new Error('of a');
    });
    lanes.wait('b', () => void begun.push('b'));
    await expect(turn()).rejects.toThrow('of a');
    await nextTurn();
    expect(begun).toEqual(['b']);
  });

  it('take turns of the event loop unless told otherwise', async () => {
    const lanes = new TurnLanes({ turnMs: 4 });
    const begun: string[] = [];
    lanes.wait('a', () => void begun.push('a'));
    expect(begun).toEqual([]);
    await nextTurn();
    expect(begun).toEqual(['a']);
  });

  it('let connections go first: runs that go on would keep the next one who connects waiting', async () => {
    const lanes = new TurnLanes({ turnMs: 4 });
    const begun: string[] = [];
    lanes.wait('a', () => void begun.push('a'));
    for (let i = 0; i < 3; i++) {
      noteAccepted();
      await nextTurn();
      expect(begun).toEqual([]);
    }
    await nextTurn();
    expect(begun).toEqual(['a']);
  });
});
