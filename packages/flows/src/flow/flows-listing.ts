import { listing, type Route, type RouteTable, Type } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { FlowPlan, Step } from '../run/flow-plan.ts';
import type { FlowSettings } from './flow-settings.ts';

const Names = Type.Array(Type.String());
const orNull = (schema: object): object => Type.Union([schema, Type.Null()]);

const StepRow = Type.Object(
  { tool: Type.String(), input: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
  { additionalProperties: false },
);

const Kind = Type.Union([
  Type.Object(
    { kind: Type.Literal('pipeline'), steps: Type.Array(StepRow) },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      ...{ kind: Type.Literal('parallel'), branches: Type.Array(StepRow) },
      merge: Type.Union([Type.Literal('collect'), Type.Literal('merge')]),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      ...{
        kind: Type.Literal('route'),
        routes: Type.Record(Type.String(), StepRow),
        default: orNull(StepRow),
      },
      ...{ classify_with: Type.String(), classify_prompt: orNull(Type.String()) },
    },
    { additionalProperties: false },
  ),
]);

const Row = Type.Object(
  {
    ...{ name: Type.String(), description: Type.String(), kind: Kind },
    ...{ scopes: Names, expose_scopes: Names, token_budget: orNull(Type.Integer()) },
    ...{
      expose_at: Type.String(),
      tool: Type.Boolean(),
      input_schema: orNull(Type.Object({})),
      public: Type.Boolean(),
    },
  },
  { additionalProperties: false },
);

/** Lists flows in the names of the option table (decision 10.1). */
export function flowsListing(flows: readonly FlowSettings[]): Route {
  const rows = ({ table }: EngineContext) => flows.map((one) => toRow(one, table));
  return listing('flows', rows, { summary: 'Lists the declared flows.', row: Row });
}

function toRow(settings: FlowSettings, table: RouteTable) {
  const { name, description, plan, scopes, tool } = settings;
  return {
    ...{ name, description, kind: toKind(plan), scopes },
    expose_scopes: settings.exposeScopes,
    token_budget: settings.tokenBudget,
    expose_at: settings.exposeAt,
    tool,
    // As its route has it, in whichever form it was declared.
    input_schema: settings.inputSchema === null ? null : (table.get(name)?.inputSchema ?? null),
    public: settings.public,
  };
}

function toKind(plan: FlowPlan<Step>) {
  if (plan.kind === 'pipeline') return plan;
  if (plan.kind === 'parallel') return { kind: plan.kind, branches: plan.steps, merge: plan.merge };
  return {
    kind: plan.kind,
    routes: Object.fromEntries(plan.routes.map(({ label, step }) => [label, step])),
    default: plan.otherwise,
    classify_with: plan.classifyWith,
    classify_prompt: plan.classifyPrompt,
  };
}
