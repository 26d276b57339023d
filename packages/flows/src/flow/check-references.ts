import type { Route, RouteTable } from '@waymark/contract';
import { type Fault, nearestOr } from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import { stepsOf } from '../run/flow-plan.ts';
import { checkMappings } from './check-mappings.ts';
import { type FlowFault, fault } from './flow-rules.ts';
import type { FlowSettings } from './flow-settings.ts';

/** Finds steps that stand for nothing, and what the flow lacks to use the ones that do. */
export function checkReferences(
  settings: FlowSettings,
  flows: ReadonlyMap<string, FlowSettings>,
  { table, models, env }: Boot,
): readonly Fault[] {
  return [
    ...checkTools(settings, table),
    ...checkMappings(settings, table),
    ...checkItself(settings, flows),
    ...checkModel(settings, models),
    ...checkScopesOfSteps(settings, table),
    ...checkPublic(settings, env),
  ];
}

function checkTools(settings: FlowSettings, table: RouteTable): readonly FlowFault[] {
  const names = table.tools().map(({ name }) => name);
  return toolNames(settings).flatMap((name): readonly FlowFault[] => {
    if (table.tool(name)) return [];
    if (table.get(name))
      return [fault('unknown-step', `its step "${name}" is no tool`, 'declare it with tool: true')];
    const rule = `unknown step "${name}"`;
    return [
      { code: 'unknown-step', rule, ...nearestOr('declare it, or take it out of the flow', name, names) },
    ];
  });
}

/** Each tool once, in the order of the steps. */
function toolNames({ plan }: FlowSettings): readonly string[] {
  return [...new Set(stepsOf(plan).map(({ tool }) => tool))];
}

/** A flow that leads back to itself would go on until runs are nested too deeply. */
function checkItself({ name }: FlowSettings, flows: ReadonlyMap<string, FlowSettings>): readonly FlowFault[] {
  const path = wayTo(name, name, flows, new Set());
  if (!path) return [];
  const rule = `it contains itself: ${[name, ...path].join(' → ')}`;
  return [fault('flow-self', rule, `take "${path[0]}" out of its steps`)];
}

/** The steps from one flow to another; undefined where no way leads there. */
function wayTo(
  target: string,
  from: string,
  flows: ReadonlyMap<string, FlowSettings>,
  seen: Set<string>,
): readonly string[] | undefined {
  const settings = flows.get(from);
  if (!settings || seen.has(from)) return undefined;
  seen.add(from);
  for (const tool of toolNames(settings)) {
    if (tool === target) return [tool];
    const rest = wayTo(target, tool, flows, seen);
    if (rest) return [tool, ...rest];
  }
  return undefined;
}

/** What the models say of a name holds for the flow that uses it. */
function checkModel({ plan }: FlowSettings, models: Boot['models']): readonly Fault[] {
  const problem = plan.kind === 'route' ? models?.check(plan.classifyWith) : undefined;
  if (!problem) return [];
  const { rule, nearest, fix, code = 'unknown-model' } = problem;
  return [{ code, rule, ...(nearest !== undefined && { nearest }), ...(fix !== undefined && { fix }) }];
}

/** Each scope that is missing is said once, with the first step that needs it. */
function checkScopesOfSteps(settings: FlowSettings, table: RouteTable): readonly FlowFault[] {
  const missing = new Map<string, Route>();
  for (const name of toolNames(settings)) {
    const route = table.tool(name);
    for (const scope of route?.scopes ?? [])
      if (route && !settings.scopes.includes(scope) && !missing.has(scope)) missing.set(scope, route);
  }
  return [...missing].map(([scope, { name }]) =>
    fault(
      'flow-scopes',
      `lacks the scope "${scope}", which its step "${name}" needs`,
      `add '${scope}' to its scopes`,
    ),
  );
}

/** Finds a flow open to anybody without `public`: a warning in development, an error in production (decision 3.5). */
function checkPublic(settings: FlowSettings, env: Boot['env']): readonly FlowFault[] {
  if (settings.exposeScopes.length > 0 || settings.public) return [];
  const found = fault(
    'flow-public',
    'anybody can start it, and what its steps do is done in its name',
    'give it exposeScopes, or write public: true',
  );
  return [env('NODE_ENV') === 'production' ? found : { ...found, severity: 'warning' }];
}
