import type { Command, Event, Failure, Found, LegEnd } from './event.ts';
import { isQuiet, standingOf } from './standing.ts';
import { type FrameState, goesOn, type LegState, type OpState } from './state.ts';

const nothing: readonly Command[] = [];

/**
 * The rules of a leg: changes its state by what happened, and says what is to be done about it, in this order. Nothing in
 * it waits, writes or knows the time; commands are done when it has returned.
 */
export function react(leg: LegState, event: Event): readonly Command[] {
  switch (event.on) {
    case 'asked':
      return asked(leg, event.op, event.found);
    case 'value':
      return valueAsked(leg, event.op, event.found);
    case 'valued':
      event.frame.hasValues = true;
      return nothing;
    case 'took':
      event.frame.hasValues = false;
      event.frame.storing++;
      return nothing;
    case 'kept':
      event.frame.storing--;
      return kept(leg, event.frame);
    case 'held':
      event.op.phase = 'held';
      return look(leg);
    case 'paused':
      if (leg.phase === 'draining') return leaveTo(leg, event.op);
      event.op.phase = 'paused';
      return nothing;
    case 'resumed':
      if (event.op.phase === 'held' || event.op.phase === 'paused') event.op.phase = 'active';
      return nothing;
    case 'redone':
      return redone(leg, event.op);
    case 'nested':
      return nested(event.op, event.child);
    case 'numbered':
      event.frame.delivery.expect(event.ord);
      return nothing;
    case 'undone':
      event.frame.delivery.forget(event.ord);
      return turn(event.frame);
    case 'stored':
      return stored(event.op, event.ord);
    case 'turn':
      return delivered(leg, event.frame);
    case 'look':
      return looked(leg);
    case 'closed':
      return closed(leg, event.frame);
    case 'finished':
      return leave(leg, 'ended');
    case 'failed':
      return fail(leg, { why: 'error', error: event.error });
    case 'drained':
      return drained(leg);
    case 'givenUp':
      return goesOn(leg) ? abandon(leg, 'released') : nothing;
    case 'disturbed':
      return goesOn(leg) ? abandon(leg, 'disturbed') : nothing;
    case 'cancelled':
      // Else its end is being written: the store alone knows whether that still counts.
      return goesOn(leg) ? abandon(leg, 'lost') : nothing;
    case 'lost':
      return abandon(leg, 'lost');
  }
}

function asked(leg: LegState, op: OpState, found: Found): readonly Command[] {
  const { frame } = op;
  if (frame.phase === 'over') return nothing;
  if (frame.phase === 'closed') return [{ to: 'refuse', op }];
  frame.nextSeq++;
  if (found === 'other') return fail(leg, { why: 'differs', op });
  frame.ops.add(op);
  if (found === 'settled') {
    op.phase = 'recorded';
    frame.delivery.ask(op);
    return turn(frame);
  }
  if (leg.phase === 'draining') return leaveTo(leg, op);
  // What has effects may depend on them.
  if (!op.acts || !(frame.hasValues || frame.storing > 0)) return [execute(op)];
  op.phase = 'early';
  return frame.hasValues ? [{ to: 'store', frame }] : nothing;
}

function valueAsked(leg: LegState, op: OpState, found: Found): readonly Command[] {
  const { frame } = op;
  if (frame.phase !== 'working') return [{ to: 'refuse', op }];
  frame.nextSeq++;
  if (found === 'other') return fail(leg, { why: 'differs', op });
  op.phase = 'settled';
  return nothing;
}

function execute(op: OpState): Command {
  op.phase = 'active';
  return { to: 'execute', op };
}

/** Nothing new is begun when the process is about to end; what is recorded is given again as ever. */
function leaveTo(leg: LegState, op: OpState): readonly Command[] {
  op.phase = 'left';
  return look(leg);
}

function drained(leg: LegState): readonly Command[] {
  if (leg.phase !== 'working') return nothing;
  leg.phase = 'draining';
  const paused = framesIn(leg.root).flatMap(({ ops }) => [...ops].filter(({ phase }) => phase === 'paused'));
  return paused.flatMap((op) => leaveTo(leg, op));
}

/** Values were stored: whoever waited for that goes on. */
function kept(leg: LegState, frame: FrameState): readonly Command[] {
  if (frame.phase === 'over' || frame.storing > 0) return nothing;
  const commands: Command[] = [];
  for (const op of frame.ops)
    if (op.phase === 'early') commands.push(...(leg.phase === 'draining' ? leaveTo(leg, op) : [execute(op)]));
  // As long as it works, its steps bring the next look.
  if (frame.phase === 'closed' || standingOf(frame) !== 'works') commands.push(...look(leg));
  return commands;
}

function nested(op: OpState, child: FrameState): readonly Command[] {
  if (op.frame.phase === 'over') child.phase = 'over';
  op.child = child;
  op.phase = 'nested';
  return nothing;
}

/** The next leg asks for what was undone: this one goes on as long as anything else happens in it. */
function redone(leg: LegState, op: OpState | undefined): readonly Command[] {
  if (!op) return leave(leg, 'again');
  leg.redoes = true;
  op.phase = 'held';
  return look(leg);
}

function stored(op: OpState, ord: number): readonly Command[] {
  op.phase = 'stored';
  op.frame.delivery.add(ord, op);
  return turn(op.frame);
}

/** One delivery for each turn of the event loop, never inside the call that asks or the promise that finished. */
function turn(frame: FrameState): readonly Command[] {
  if (frame.delivers || frame.phase === 'over' || !frame.delivery.first) return nothing;
  frame.delivers = true;
  return [{ to: 'turn', frame }];
}

function delivered(leg: LegState, frame: FrameState): readonly Command[] {
  frame.delivers = false;
  if (frame.phase === 'over') return nothing;
  const op = frame.delivery.take();
  if (!op) return nothing;
  op.phase = 'settled';
  frame.ops.delete(op);
  const commands: Command[] = [{ to: 'deliver', op }, ...turn(frame)];
  // Without any other step the code has something to do: nothing can be stuck.
  if (frame.phase === 'closed' || frame.ops.size > 0) commands.push(...look(leg));
  return commands;
}

/** Once for all that happens in one turn of the event loop. */
function look(leg: LegState): readonly Command[] {
  if (leg.looks || !goesOn(leg)) return nothing;
  leg.looks = true;
  return [{ to: 'look' }];
}

/** Ends the runs that have nothing under way any more, and the leg, when nothing can happen in it that it has to see. */
function looked(leg: LegState): readonly Command[] {
  leg.looks = false;
  const { root } = leg;
  if (!root) return nothing;
  const frames = framesIn(root);
  const ended = frames.flatMap((frame) => (frame.phase === 'closed' ? finish(leg, frame) : nothing));
  if (ended.length > 0 || standingOf(root) === 'works') return ended;
  // Values that no step followed: a run that waits keeps them, too.
  const unstored = frames.filter(({ hasValues }) => hasValues);
  if (unstored.length > 0) return unstored.map((frame) => ({ to: 'store', frame }));
  if (frames.some(({ storing }) => storing > 0)) return nothing;
  if (leg.phase === 'draining') return leave(leg, 'released');
  return leave(leg, leg.redoes ? 'again' : 'held');
}

function closed(leg: LegState, frame: FrameState): readonly Command[] {
  if (frame.phase === 'over') return nothing;
  frame.phase = 'closed';
  // Nobody can ask for it any more.
  if (frame.lastRecorded >= frame.nextSeq) return fail(leg, { why: 'forgot', frame });
  return isQuiet(frame) ? finish(leg, frame) : look(leg);
}

/** Ends a run whose code has ended, if nothing is under way that has to be recorded. */
function finish(leg: LegState, frame: FrameState): readonly Command[] {
  if (!isQuiet(frame)) return nothing;
  if (frame.hasValues) return [{ to: 'store', frame }];
  if (frame.storing > 0) return nothing;
  // Steps under way that may be done again are given up.
  const isBusy = frame.ops.size > 0;
  const frames = drop(frame);
  if (frame === leg.root) leg.phase = 'ending';
  return [{ to: 'finish', frame, frames: isBusy ? frames : [] }];
}

/** Nobody in a frame can catch it. */
function fail(leg: LegState, failure: Failure): readonly Command[] {
  if (!goesOn(leg)) return nothing;
  leg.phase = 'failing';
  return [{ to: 'fail', failure, frames: drop(leg.root) }];
}

/** Nothing is under way that would have to be aborted. */
function leave(leg: LegState, end: LegEnd): readonly Command[] {
  if (leg.phase === 'over') return nothing;
  leg.phase = 'over';
  drop(leg.root);
  return [{ to: 'leave', end, frames: [] }];
}

/** Leaves whatever is under way. */
function abandon(leg: LegState, end: LegEnd): readonly Command[] {
  if (leg.phase === 'over') return nothing;
  leg.phase = 'over';
  return [{ to: 'leave', end, frames: drop(leg.root) }];
}

/** A frame and those below it that are not over, parents first. */
function framesIn(frame: FrameState | undefined): readonly FrameState[] {
  if (!frame || frame.phase === 'over') return [];
  const frames = [frame];
  for (const { child } of frame.ops) if (child) frames.push(...framesIn(child));
  return frames;
}

/** Nothing more is delivered, and nothing more is taken. @returns the frames that were not over */
function drop(frame: FrameState | undefined): readonly FrameState[] {
  const frames = framesIn(frame);
  for (const one of frames) {
    one.phase = 'over';
    one.ops.clear();
    one.delivery.drop();
  }
  return frames;
}
