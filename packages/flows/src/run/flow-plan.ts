import type { Json, RouteTable } from '@waymark/contract';
import type { RouteFacts } from '@waymark/contract/route';

/** A step as it is declared, in one form. */
export type Step = { readonly tool: string; readonly input?: Mapping };

/** What a tool is given: values and templates. */
export type Mapping = { readonly [name: string]: Json | undefined };

/** What a flow does, in terms of its steps. */
export type FlowPlan<S> =
  | { readonly kind: 'pipeline'; readonly steps: readonly S[] }
  | { readonly kind: 'parallel'; readonly steps: readonly S[]; readonly merge: 'collect' | 'merge' }
  | {
      readonly kind: 'route';
      readonly routes: readonly { readonly label: string; readonly step: S }[];
      readonly otherwise: S | null;
      readonly classifyWith: string;
      readonly classifyPrompt: string | null;
    };

/** A step of a run: what its tool was when the run started decides what it is given to the end, and how it is read. */
export type PlannedStep = Step & { readonly engine: NonNullable<RouteFacts['startsRun']> | 'handler' };

/** The plan that a run is started with and keeps. */
export function toRunPlan(plan: FlowPlan<Step>, table: Pick<RouteTable, 'tool'>): FlowPlan<PlannedStep> {
  return mapSteps(plan, (step) => ({ ...step, engine: table.tool(step.tool)?.facts.startsRun ?? 'handler' }));
}

/** The same plan over other steps. */
function mapSteps<A, B>(plan: FlowPlan<A>, map: (step: A) => B): FlowPlan<B> {
  if (plan.kind !== 'route') return { ...plan, steps: plan.steps.map(map) };
  const { routes, otherwise } = plan;
  return {
    ...plan,
    routes: routes.map(({ label, step }) => ({ label, step: map(step) })),
    otherwise: otherwise === null ? null : map(otherwise),
  };
}

/** All steps of a plan, in the order in which they are declared. */
export function stepsOf<S>(plan: FlowPlan<S>): readonly S[] {
  if (plan.kind !== 'route') return plan.steps;
  const { routes, otherwise } = plan;
  return [...routes.map(({ step }) => step), ...(otherwise === null ? [] : [otherwise])];
}
