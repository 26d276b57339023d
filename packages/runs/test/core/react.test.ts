import { describe, expect, it } from 'vitest';
import { Delivery } from '../../src/core/delivery.ts';
import type { Command } from '../../src/core/event.ts';
import { react } from '../../src/core/react.ts';
import type { FrameState, LegState, OpState } from '../../src/core/state.ts';

/** A run whose code may ask. @param recorded numbers of its recorded steps, in the order in which they were stored */
function newFrame(recorded: readonly number[] = []): FrameState {
  return {
    ...{ phase: 'working', ops: new Set(), nextSeq: 0, hasValues: false, storing: 0, delivers: false },
    lastRecorded: Math.max(-1, ...recorded),
    delivery: new Delivery(recorded),
  };
}

function newLeg(root = newFrame()): LegState & { root: FrameState } {
  return { phase: 'working', looks: false, redoes: false, root };
}

function newOp(frame: FrameState, acts = true): OpState {
  return { frame, seq: frame.nextSeq, acts, phase: 'active', child: undefined };
}

/** Asks for a step that nothing is recorded of. */
function ask(leg: LegState, frame: FrameState, acts = true): { op: OpState; done: readonly string[] } {
  const op = newOp(frame, acts);
  return { op, done: names(react(leg, { on: 'asked', op, found: 'nothing' })) };
}

function names(commands: readonly Command[]): readonly string[] {
  return commands.map((command) => (command.to === 'leave' ? `leave ${command.end}` : command.to));
}

describe('react', () => {
  it('executes what is not recorded, and delivers it in a turn after it was stored', () => {
    const leg = newLeg();
    const { op, done } = ask(leg, leg.root);
    expect(done).toEqual(['execute']);
    expect(names(react(leg, { on: 'stored', op, ord: 1 }))).toEqual(['turn']);
    expect(names(react(leg, { on: 'turn', frame: leg.root }))).toEqual(['deliver']);
    expect(op.phase).toBe('settled');
  });

  it('delivers what is recorded in the order in which it was stored, and one for each turn', () => {
    const leg = newLeg(newFrame([1, 0]));
    const first = newOp(leg.root);
    expect(react(leg, { on: 'asked', op: first, found: 'settled' })).toEqual([]);
    const second = newOp(leg.root);
    expect(names(react(leg, { on: 'asked', op: second, found: 'settled' }))).toEqual(['turn']);
    const [delivered, ...rest] = react(leg, { on: 'turn', frame: leg.root });
    expect(delivered).toEqual({ to: 'deliver', op: second });
    expect(names(rest)).toEqual(['turn', 'look']);
  });

  it('leaves a root to humans when all that is under way waits for them, its values stored', () => {
    const leg = newLeg();
    const { op } = ask(leg, leg.root);
    react(leg, { on: 'valued', frame: leg.root });
    expect(names(react(leg, { on: 'held', op }))).toEqual(['look']);
    expect(names(react(leg, { on: 'look' }))).toEqual(['store']);
    react(leg, { on: 'took', frame: leg.root });
    expect(names(react(leg, { on: 'kept', frame: leg.root }))).toEqual(['look']);
    expect(names(react(leg, { on: 'look' }))).toEqual(['leave held']);
    expect(names(react(leg, { on: 'lost' }))).toEqual([]);
  });

  it('goes on as long as anything works, in runs below as well', () => {
    const leg = newLeg();
    const { op: held } = ask(leg, leg.root);
    const { op: above } = ask(leg, leg.root);
    const child = newFrame();
    react(leg, { on: 'nested', op: above, child });
    const { op: below } = ask(leg, child);
    react(leg, { on: 'held', op: held });
    expect(names(react(leg, { on: 'look' }))).toEqual([]);
    react(leg, { on: 'held', op: below });
    expect(names(react(leg, { on: 'look' }))).toEqual(['leave held']);
  });

  it('begins what acts when the values before it are stored', () => {
    const leg = newLeg();
    react(leg, { on: 'valued', frame: leg.root });
    expect(ask(leg, leg.root).done).toEqual(['store']);
    react(leg, { on: 'took', frame: leg.root });
    expect(ask(leg, leg.root, false).done).toEqual(['execute']);
    expect(names(react(leg, { on: 'kept', frame: leg.root }))).toEqual(['execute']);
  });

  it('ends a run when what acts has come to its end, and gives up what does not', () => {
    const leg = newLeg();
    const { op } = ask(leg, leg.root);
    ask(leg, leg.root, false);
    react(leg, { on: 'closed', frame: leg.root });
    expect(names(react(leg, { on: 'look' }))).toEqual([]);
    react(leg, { on: 'stored', op, ord: 1 });
    react(leg, { on: 'turn', frame: leg.root });
    const [finish] = react(leg, { on: 'look' });
    expect(finish).toEqual({ to: 'finish', frame: leg.root, frames: [leg.root] });
    expect(names(react(leg, { on: 'failed', error: { code: 'timeout', message: '', status: 504 } }))).toEqual(
      [],
    );
    expect(names(react(leg, { on: 'finished' }))).toEqual(['leave ended']);
  });

  it('refuses what is asked for after the end of the code', () => {
    const leg = newLeg();
    ask(leg, leg.root);
    react(leg, { on: 'closed', frame: leg.root });
    expect(ask(leg, leg.root).done).toEqual(['refuse']);
  });

  it('fails a root whose code asks for another step than recorded, or ends without one, and nothing counts any more', () => {
    const leg = newLeg(newFrame([0]));
    const op = newOp(leg.root);
    expect(react(leg, { on: 'asked', op, found: 'other' })).toMatchObject([
      { to: 'fail', failure: { why: 'differs', op } },
    ]);
    expect(ask(leg, leg.root).done).toEqual([]);
    const other = newLeg(newFrame([0]));
    expect(react(other, { on: 'closed', frame: other.root })).toMatchObject([
      { to: 'fail', failure: { why: 'forgot', frame: other.root } },
    ]);
  });

  it('begins nothing when the process is about to end, and ends no run that has something left to do', () => {
    const leg = newLeg(newFrame([0]));
    react(leg, { on: 'drained' });
    const recorded = newOp(leg.root);
    expect(names(react(leg, { on: 'asked', op: recorded, found: 'settled' }))).toEqual(['turn']);
    expect(names(react(leg, { on: 'turn', frame: leg.root }))).toEqual(['deliver']);
    expect(ask(leg, leg.root).done).toEqual(['look']);
    react(leg, { on: 'closed', frame: leg.root });
    expect(names(react(leg, { on: 'look' }))).toEqual(['leave released']);
  });

  it('does no step once more when the process is about to end', () => {
    const leg = newLeg();
    const { op } = ask(leg, leg.root);
    react(leg, { on: 'paused', op });
    expect(names(react(leg, { on: 'look' }))).toEqual([]);
    expect(names(react(leg, { on: 'drained' }))).toEqual(['look']);
    react(leg, { on: 'resumed', op });
    expect(op.phase).toBe('left');
    expect(names(react(leg, { on: 'look' }))).toEqual(['leave released']);
  });

  it('begins again when failures of a run below were undone, and nothing else works', () => {
    const leg = newLeg();
    const { op: above } = ask(leg, leg.root);
    const { op: other } = ask(leg, leg.root);
    const child = newFrame();
    react(leg, { on: 'nested', op: above, child });
    expect(names(react(leg, { on: 'closed', frame: child }))).toEqual(['finish']);
    react(leg, { on: 'redone', op: above });
    expect(names(react(leg, { on: 'look' }))).toEqual([]);
    react(leg, { on: 'held', op: other });
    expect(names(react(leg, { on: 'look' }))).toEqual(['leave again']);
  });

  it('leaves it to the store whether a root that ends can still be cancelled', () => {
    const leg = newLeg();
    expect(names(react(leg, { on: 'closed', frame: leg.root }))).toEqual(['finish']);
    expect(names(react(leg, { on: 'cancelled' }))).toEqual([]);
    expect(names(react(leg, { on: 'lost' }))).toEqual(['leave lost']);
  });

  it('drops the runs below with the root', () => {
    const leg = newLeg();
    const { op: above } = ask(leg, leg.root);
    const child = newFrame();
    react(leg, { on: 'nested', op: above, child });
    const { op } = ask(leg, child);
    expect(react(leg, { on: 'givenUp' })).toEqual([
      { to: 'leave', end: 'released', frames: [leg.root, child] },
    ]);
    expect(react(leg, { on: 'stored', op, ord: 1 })).toEqual([]);
  });
});
