import type { LegPort } from './leg-port.ts';
import type { OpFrame } from './op.ts';

/** A recorded step that nobody asks for again for this long is logged. */
const stallMs = 5_000;

/** Ends a leg at its deadline, and logs a replay that stands still. */
export function guardTime(leg: LegPort, root: OpFrame): void {
  const { parts, deadlineMs, tree } = leg;
  const { after, monotonic, log } = parts;
  const startedMs = monotonic();
  if (Number.isFinite(deadlineMs))
    leg.onDrop(
      after(Math.max(0, deadlineMs - startedMs), () => {
        const stalled = stalledIn(root);
        // Some of the time had passed before the leg began.
        const seconds = Math.ceil((deadlineMs - startedMs) / 100) / 10;
        if (stalled) leg.fail({ code: 'replay_mismatch', message: stalled, status: 500 });
        else leg.fail({ code: 'timeout', message: `timed out after ${seconds} s`, status: 504 });
      }),
    );
  if (!tree.hasOps) return;
  leg.onDrop(
    after(stallMs, () => {
      const reason = stalledIn(root);
      if (reason) log('warn', 'a replay stands still', { run_id: tree.rootId, reason });
    }),
  );
}

/** The recorded step that the code does not ask for again. */
function stalledIn(root: OpFrame): string | undefined {
  for (const { delivery, phase, runId } of root.frames) {
    const { awaited } = delivery;
    if (awaited !== undefined && phase === 'working')
      return `run ${runId} differs from its journal at step ${awaited}: it is recorded, and not asked for`;
  }
  return undefined;
}
