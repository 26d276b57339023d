import { HTTPError } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import type { RunSpec } from '@waymark/contract/runs';
import type { RunRecord } from '@waymark/contract/stores';
import { never } from '../journal/never.ts';
import type { Body } from './body-end.ts';
import { Frame } from './frame.ts';
import type { JournalStep } from './journal-step.ts';
import { toChild } from './run-end.ts';

/** Runs nested deeper than this are refused (decision 2.3). */
export const maxRunDepth = 8;

/**
 * Runs a child in the step of its parent, or takes its end from its row. Never settles while it waits.
 *
 * @throws {HTTPError} 508 nested too deeply
 */
export async function runChild(
  { leg, op }: JournalStep,
  spec: RunSpec,
  call: Call,
  body: Body,
): Promise<RunRecord> {
  const { recorder, tree, parts } = leg;
  const above = op.frame.run;
  if (above.depth + 1 >= maxRunDepth) throw new HTTPError(508, `runs are nested ${maxRunDepth} deep at most`);
  if (spec.session) throw new Error(`run ${op.key} is part of another: it has no session`);
  if (op.child) throw new Error(`step ${op.key} has a run already`);
  let run = tree.run(op.key);
  if (run && run.status !== 'running') return run;
  if (!run) {
    run = toChild(above, op.key, spec, call.principal, parts.now());
    await recorder.startChild(run);
  }
  const child = new Frame(leg, run, call.principal, spec.scopes, op);
  leg.happen({ on: 'nested', op, child });
  const end = await child.work(body);
  if (await leg.redo(child.runId, child.fatal(end))) {
    leg.happen({ on: 'redone', op });
    return never();
  }
  return recorder.finish(child.toFinish(end));
}
