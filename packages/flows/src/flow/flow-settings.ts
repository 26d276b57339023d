import { createHash } from 'node:crypto';
import type { InputShape } from '@waymark/contract';
import { checkScopes, isOptions, type Shape, wellShaped } from '@waymark/contract/declaring';
import type { FlowPlan, Mapping, Step } from '../run/flow-plan.ts';
import type { FlowDeclaration, FlowOptions } from './flow.ts';
import { hasParameter } from './has-parameter.ts';

/** A declared flow with every default filled in. */
export interface FlowSettings {
  readonly name: string;
  readonly plan: FlowPlan<Step>;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly exposeScopes: readonly string[];
  readonly tokenBudget: number | null;
  readonly exposeAt: string;
  readonly tool: boolean;
  /** As it was declared; null where the flow takes any object. */
  readonly inputSchema: InputShape | null;
  readonly public: boolean;
  /** Changes with the plan. */
  readonly codeVersion: string;
  readonly declaredAt: string;
}

/** What each option holds. */
export const flowShapes = {
  // Looked at as steps.
  ...{ pipeline: 'any', parallel: 'any', route: 'any', default: 'any' },
  merge: ['collect', 'merge'],
  ...{ classifyWith: 'text', classifyPrompt: 'text', description: 'text' },
  // Looked at as scopes.
  ...{ scopes: 'any', exposeScopes: 'any' },
  ...{ tokenBudget: 'number', tool: 'boolean', public: 'boolean', inputSchema: 'schema' },
  ...{ exposeAt: 'text', declaredAt: 'text' },
} as const satisfies Readonly<Record<keyof FlowOptions, Shape>>;

/** What a flow takes that does not say (decision 7.3). */
export const openInput = {
  type: 'object',
  properties: { input: { type: 'string', description: 'What the flow is given.' } },
  additionalProperties: true,
} as const;

/** The options as a program without types may have written them, those of a wrong type left out. */
type Given = Partial<{
  readonly pipeline: unknown;
  readonly parallel: unknown;
  readonly route: unknown;
  readonly default: unknown;
  readonly merge: 'collect' | 'merge';
  readonly classifyWith: string;
  readonly classifyPrompt: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly exposeScopes: readonly string[];
  readonly tokenBudget: number;
  readonly exposeAt: string;
  readonly tool: boolean;
  readonly inputSchema: InputShape;
  readonly public: boolean;
}>;

/** Fills the defaults. Options that are wrong count as left out: the check reports them. */
export function toSettings({ name, options, declaredAt }: FlowDeclaration): FlowSettings {
  const given = wellShaped(options as Given, flowShapes);
  const { scopes: wanted = [], exposeScopes: starters = wanted } = given;
  const scopes = checkScopes(wanted).length === 0 ? wanted : [];
  const plan = toPlan(given);
  const { exposeAt } = given;
  return {
    name,
    plan,
    description: given.description ?? '',
    scopes,
    exposeScopes: checkScopes(starters).length === 0 ? starters : scopes,
    tokenBudget: given.tokenBudget ?? null,
    exposeAt:
      exposeAt === undefined || hasParameter(exposeAt)
        ? `/flows/${String(name).replaceAll('_', '-')}`
        : exposeAt,
    tool: given.tool ?? true,
    inputSchema: given.inputSchema ?? null,
    public: given.public ?? false,
    codeVersion: createHash('sha256')
      .update(JSON.stringify([name, plan]))
      .digest('base64url')
      .slice(0, 16),
    declaredAt,
  };
}

function toPlan({
  pipeline,
  parallel,
  route,
  default: otherwise,
  merge = 'collect',
  classifyWith = 'fast',
  classifyPrompt,
}: Given): FlowPlan<Step> {
  if (parallel !== undefined) return { kind: 'parallel', steps: toSteps(parallel), merge };
  if (route === undefined) return { kind: 'pipeline', steps: toSteps(pipeline) };
  const labelled = isOptions(route) ? Object.entries(route) : [];
  const routes = labelled.flatMap(([label, step]) => toSteps([step]).map((one) => ({ label, step: one })));
  const [last = null] = toSteps([otherwise]);
  return { kind: 'route', routes, otherwise: last, classifyWith, classifyPrompt: classifyPrompt ?? null };
}

function toSteps(given: unknown): readonly Step[] {
  return Array.isArray(given) ? given.flatMap((step: unknown) => toStep(step) ?? []) : [];
}

/** A step in its one form; undefined for what is none. */
function toStep(given: unknown): Step | undefined {
  if (typeof given === 'string') return given === '' ? undefined : { tool: given };
  if (!isOptions(given)) return undefined;
  const { tool, input } = given as { readonly tool?: unknown; readonly input?: unknown };
  if (typeof tool !== 'string' || tool === '') return undefined;
  if (input === undefined) return { tool };
  const mapping = isOptions(input) ? toMapping(input) : undefined;
  return mapping && { tool, input: mapping };
}

/** As it is at the declaration; undefined for what JSON cannot hold, which the check reports. */
function toMapping(given: object): Mapping | undefined {
  try {
    return JSON.parse(JSON.stringify(given)) as Mapping;
  } catch {
    return undefined;
  }
}
