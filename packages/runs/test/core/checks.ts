import type { ModelFrame, ModelLeg, ModelOp } from './model-leg.ts';
import type { ModelStore } from './model-store.ts';

/** A rule of the core was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** A leg that leaves its root to a human, or to another process, has nothing under way, by what the model knows itself. */
export function checkIdle({ isDraining, process }: ModelLeg, root: ModelFrame): void {
  if (process.leg?.end !== undefined) throw new Violation('a leg leaves twice');
  if (!isIdle(root)) throw new Violation('a leg leaves while something is under way');
  for (const frame of framesOf(root)) {
    const rows = process.world.store.rowsOf(frame.runId);
    if (frame.values.some((seq) => rows[seq]?.state !== 'done'))
      throw new Violation('a leg leaves before values are stored');
    if (!isDraining && [...frame.open].some(({ begun }) => !begun))
      throw new Violation('a step was not begun, and no process is about to end');
  }
}

/** A root that waits was not decided about since its leg began, except for calls behind others of their turn. */
export function checkParked({ root }: ModelLeg, store: ModelStore): void {
  if (store.pending.length === 0 && store.waits.size === 0) throw new Violation('a root waits for nobody');
  // Made by the model.
  for (const frame of framesOf(root as ModelFrame))
    for (const { waits, after, seq } of frame.open) {
      const status = store.approvals.get(`${frame.runId}.${seq}`)?.status;
      const isBehind = waits && after && after.result === undefined;
      if ((status === 'approved' || status === 'denied') && !isBehind)
        throw new Violation('a root waits, and was decided about');
    }
}

/** A run that ends has asked for all that is recorded, and nothing acts for it any more. */
export function checkFinish(frame: ModelFrame): void {
  if (frame.isFinished) throw new Violation('a run ends twice');
  if (!frame.hasEnded) throw new Violation('a run ends before its code');
  if (frame.asked < frame.recorded.length) throw new Violation('a run ends that forgot a step');
  const rows = frame.leg.process.world.store.rowsOf(frame.runId);
  if (frame.values.some((seq) => rows[seq]?.state !== 'done'))
    throw new Violation('a run ends before its values are stored');
  for (const op of frame.open)
    if (op.leaf.kind !== 'safe' && !isAllHumans(op)) throw new Violation('a run ends while a step acts');
}

/** Whether a step, with all below it, waits for humans alone. */
function isAllHumans({ waits, child }: ModelOp): boolean {
  if (!child) return waits;
  return !child.hasEnded && child.open.size > 0 && [...child.open].every(isAllHumans);
}

function isIdle({ open, hasEnded }: ModelFrame): boolean {
  if (open.size === 0) return false;
  const isLeft = [...open].some((op) => op.leaf.kind !== 'safe' && !isAllHumans(op));
  return (!hasEnded || isLeft) && [...open].every(isIdleOp);
}

function isIdleOp({ waits, begun, child, isPaused, frame }: ModelOp): boolean {
  return child ? isIdle(child) : waits || !begun || (isPaused && frame.leg.isDraining);
}

function framesOf(frame: ModelFrame): readonly ModelFrame[] {
  return [
    frame,
    ...[...frame.open].flatMap(({ child }) => (child && !child.isFinished ? framesOf(child) : [])),
  ];
}
