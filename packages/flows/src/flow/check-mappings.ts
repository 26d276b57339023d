import type { Route, RouteTable } from '@waymark/contract';
import { nearestOr } from '@waymark/contract/declaring';
import { type Mapping, type Step, stepsOf } from '../run/flow-plan.ts';
import { parseTemplate } from '../template/template.ts';
import { type FlowFault, fault } from './flow-rules.ts';
import type { FlowSettings } from './flow-settings.ts';

/** Finds mappings that name what their tool does not take, leave out what it needs, or read what the flow is never given. */
export function checkMappings(settings: FlowSettings, table: RouteTable): readonly FlowFault[] {
  const { name, plan } = settings;
  const own = table.get(name);
  const given = own && closedNames(own.inputSchema);
  return stepsOf(plan).flatMap((step, i) => [
    ...checkNames(step, table.tool(step.tool)),
    ...(given && step.input ? checkReads(step.input, given, plan.kind !== 'pipeline' || i === 0) : []),
  ]);
}

function checkNames({ tool, input }: Step, route: Route | undefined): readonly FlowFault[] {
  if (!input || !route) return [];
  const { names, required } = takes(route);
  const said = Object.keys(input).filter((name) => input[name] !== undefined);
  const strange = names ? said.filter((name) => !names.includes(name)) : [];
  return [
    ...strange.map((name): FlowFault => {
      const rule = `its step "${tool}" takes no "${name}"`;
      return { code: 'flow-input', rule, ...nearestOr('take it out of the input', name, names ?? []) };
    }),
    ...required
      .filter((name) => !said.includes(name))
      .map((name) =>
        fault('flow-input', `its step "${tool}" needs "${name}"`, `add ${name}: '$.${name}' to its input`),
      ),
  ];
}

/** What a tool takes; `names` is undefined where it takes others as well. */
function takes({ facts, inputSchema }: Route): {
  readonly names: readonly string[] | undefined;
  readonly required: readonly string[];
} {
  const schema = facts.toolInput ?? inputSchema;
  const { required, properties } = schema as SchemaMembers;
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return {
    names: closedNames(schema),
    // A default is filled in before anything is missed.
    required: needed.filter((name) => !hasDefault(properties?.[name])),
  };
}

/** As somebody may have written it; what is wrong with it is said of its route. */
interface SchemaMembers {
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly required?: unknown;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: unknown;
}

/** The names of a schema that knows no others. */
function closedNames(schema: object): readonly string[] | undefined {
  const { properties, additionalProperties, patternProperties } = schema as SchemaMembers;
  return additionalProperties === false && patternProperties === undefined
    ? Object.keys(properties ?? {})
    : undefined;
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'default' in schema;
}

/** Places that no input of the flow can have. @param isFirst what reaches the step is that input, too */
function checkReads(mapping: Mapping, given: readonly string[], isFirst: boolean): readonly FlowFault[] {
  return textsIn(mapping).flatMap((text): readonly FlowFault[] => {
    const template = parseTemplate(text);
    if (template?.kind !== 'place' || (template.of === 'incoming' && !isFirst)) return [];
    const [name, ...rest] = template.path;
    if (name === undefined || given.includes(name)) return [];
    const [root] = text.split('.', 1);
    const known = given.map((one) => [root, one, ...rest].join('.'));
    const rule = `it is never given "${text}"`;
    return [{ code: 'flow-template', rule, ...nearestOr('add it to its inputSchema', text, known) }];
  });
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
