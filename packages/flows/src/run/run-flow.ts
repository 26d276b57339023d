import type { Json } from '@waymark/contract';
import { BudgetExhausted, type RunEnd } from '@waymark/contract/runs';
import { callStep } from './call-step.ts';
import { chooseStep } from './choose-step.ts';
import type { FlowPlan, PlannedStep } from './flow-plan.ts';
import type { FlowWork } from './flow-work.ts';
import { mergeAnswers } from './merge-answers.ts';

/**
 * Runs a flow to its end, by the plan it was started with. Each call and each choice is a journaled step.
 *
 * @returns what its last step answered; with another status than `completed`, what the step answered that ended so
 */
export async function runFlow(work: FlowWork): Promise<RunEnd<Json>> {
  // Written by `toRunPlan` when the run was started, validated by the flow's schema.
  const plan = work.scope.definition as FlowPlan<PlannedStep>;
  // JSON, whatever a library has made of it: its members become arguments.
  const input = JSON.parse(JSON.stringify(work.context.input)) as Json;
  try {
    if (plan.kind === 'pipeline') return await runPipeline(plan.steps, input, work);
    if (plan.kind === 'parallel') return await runParallel(plan, input, work);
    return await callStep(await chooseStep(plan, input, work), { incoming: input, input }, work);
  } catch (error) {
    if (error instanceof BudgetExhausted) return { status: 'budget_exhausted', value: null };
    throw error;
  }
}

async function runPipeline(
  steps: readonly PlannedStep[],
  input: Json,
  work: FlowWork,
): Promise<RunEnd<Json>> {
  let last: RunEnd<Json> = { status: 'completed', value: input };
  for (const step of steps) {
    last = await callStep(step, { incoming: last.value, input }, work);
    if (last.status !== 'completed') break;
  }
  return last;
}

/**
 * All steps at once. The first that fails ends the run: the runner waits for those that still work, and takes back what
 * humans are being asked (runs.md, 7).
 */
async function runParallel(
  { steps, merge }: Extract<FlowPlan<PlannedStep>, { kind: 'parallel' }>,
  input: Json,
  work: FlowWork,
): Promise<RunEnd<Json>> {
  const ends = await Promise.all(steps.map((step) => callStep(step, { incoming: input, input }, work)));
  const answers = ends.map(({ value }, i) => ({ tool: steps[i]?.tool ?? '', value }));
  const early = ends.find(({ status }) => status !== 'completed');
  return { status: early?.status ?? 'completed', value: mergeAnswers(answers, merge) };
}
