import { listing, type Route, type RouteTable, Type } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { BehaviourSettings } from './behaviour-settings.ts';

const Names = Type.Array(Type.String());
const orNull = (schema: object): object => Type.Union([schema, Type.Null()]);

const Row = Type.Object(
  {
    ...{ name: Type.String(), description: Type.String(), tools: Names, context: Names },
    ...{ scopes: Names, expose_scopes: Names, max_steps: Type.Integer() },
    ...{ token_budget: orNull(Type.Integer()), model: Type.String(), max_tokens: Type.Integer() },
    ...{ temperature: orNull(Type.Number()), expose_at: Type.String() },
    ...{ tool: Type.Boolean(), input_schema: orNull(Type.Object({})), public: Type.Boolean() },
  },
  { additionalProperties: false },
);

/** Lists behaviours in the names of the option table (decision 10.1). */
export function behavioursListing(behaviours: readonly BehaviourSettings[]): Route {
  const rows = ({ table }: EngineContext) => behaviours.map((one) => toRow(one, table));
  return listing('behaviours', rows, { summary: 'Lists the declared behaviours.', row: Row });
}

function toRow(settings: BehaviourSettings, table: RouteTable) {
  const { name, description, tools, context, scopes, model, temperature, tool } = settings;
  return {
    ...{ name, description, tools, context, scopes, model, temperature, tool },
    expose_scopes: settings.exposeScopes,
    max_steps: settings.maxSteps,
    token_budget: settings.tokenBudget,
    max_tokens: settings.maxTokens,
    expose_at: settings.exposeAt,
    // As its route has it, in whichever form it was declared.
    input_schema: settings.input === undefined ? null : (table.get(name)?.inputSchema ?? null),
    public: settings.public,
  };
}
