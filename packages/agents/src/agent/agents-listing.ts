import { listing, type Route, Type } from '@waymark/contract';
import type { AgentSettings } from './agent-settings.ts';

const Names = Type.Array(Type.String());
const orNull = (schema: object): object => Type.Union([schema, Type.Null()]);

const Row = Type.Object(
  {
    ...{ name: Type.String(), model: Type.String(), description: Type.String() },
    ...{ tools: Names, handoffs: Names, context: Names, memory: orNull(Type.String()) },
    ...{ scopes: Names, expose_scopes: Names, max_steps: Type.Integer() },
    ...{ token_budget: orNull(Type.Integer()), cache: Type.Boolean(), tool_result_limit: Type.Integer() },
    ...{ context_window: orNull(Type.Integer()), compact_with: Type.String(), keep_recent: Type.Integer() },
    ...{ temperature: orNull(Type.Number()), max_tokens: Type.Integer(), expose_at: Type.String() },
    ...{ tool: Type.Boolean(), max_input_bytes: Type.Integer(), images: Type.Boolean() },
    ...{ max_images: Type.Integer(), public: Type.Boolean() },
  },
  { additionalProperties: false },
);

/** Lists agents in the names of the option table (decision 10.1). What they are told first is left out. */
export function agentsListing(agents: readonly AgentSettings[]): Route {
  const rows = agents.map(toRow);
  return listing('agents', () => rows, { summary: 'Lists the declared agents.', row: Row });
}

function toRow(settings: AgentSettings) {
  const { name, model, description, tools, handoffs, context, memory, scopes, cache, temperature, tool } =
    settings;
  return {
    ...{ name, model, description, tools, handoffs, context, memory, scopes },
    expose_scopes: settings.exposeScopes,
    max_steps: settings.maxSteps,
    token_budget: settings.tokenBudget,
    cache,
    tool_result_limit: settings.toolResultLimit,
    context_window: settings.contextWindow,
    compact_with: settings.compactWith,
    keep_recent: settings.keepRecent,
    temperature,
    max_tokens: settings.maxTokens,
    expose_at: settings.exposeAt,
    tool,
    max_input_bytes: settings.maxInputBytes,
    images: settings.images,
    max_images: settings.maxImages,
    public: settings.public,
  };
}
