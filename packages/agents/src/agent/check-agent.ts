import { checkOptions, checkScopes, type Fault, isOptions, maxToolBytes, parsePath } from '@waymark/contract';
import type { AgentDeclaration, AgentOptions } from './agent.ts';
import { type AgentFault, fault } from './agent-rules.ts';
import { agentShapes } from './agent-settings.ts';

/** The longest name that fits behind `transfer_to_` in the name of a tool. */
const namePattern = /^[a-zA-Z][a-zA-Z0-9_-]{0,51}$/;

/** Whether an agent can be told by its name at all. */
export function isAgentName(name: unknown): name is string {
  return typeof name === 'string' && namePattern.test(name);
}

/** Finds what is wrong with the name of an agent: such a one gets no route. */
export function checkAgentName(
  { name }: AgentDeclaration,
  earlier: readonly AgentDeclaration[],
): readonly AgentFault[] {
  if (!isAgentName(name))
    return [
      fault(
        'agent-name',
        'its name is not a letter and up to 51 letters, digits, "_" or "-" after it',
        "write a word: 'support'",
      ),
    ];
  const twin = earlier.find((one) => keyOf(one.name) === keyOf(name));
  return twin
    ? [
        fault(
          'agent-taken',
          `agent "${twin.name}" is declared at ${twin.declaredAt} already`,
          'give one of the two another name',
        ),
      ]
    : [];
}

/** Finds what its options show by themselves. */
export function checkAgent({ options }: AgentDeclaration): readonly Fault[] {
  if (!isOptions(options)) return checkOptions(options, {});
  const given = options as AgentOptions;
  const scopes = [given.scopes, given.exposeScopes].filter((one) => one !== undefined);
  return [
    ...checkOptions(given, agentShapes),
    ...scopes.flatMap(checkScopes),
    ...Object.entries(ranges).flatMap(([name, range]) => checkRange(name, given[name as Ranged], range)),
    ...checkExposure(given.exposeAt),
  ];
}

type Ranged =
  | 'maxSteps'
  | 'tokenBudget'
  | 'toolResultLimit'
  | 'contextWindow'
  | 'keepRecent'
  | 'temperature'
  | 'maxTokens'
  | 'maxImages';

/** The least and the most of each; all but the temperature are whole. */
const ranges: Readonly<Record<Ranged, readonly [least: number, most: number]>> = {
  maxSteps: [1, 1_000],
  tokenBudget: [1, 1_000_000_000],
  toolResultLimit: [1, maxToolBytes],
  contextWindow: [100, 100_000_000],
  keepRecent: [1, 1_000],
  temperature: [0, 2],
  maxTokens: [1, 1_000_000],
  maxImages: [0, 100],
};

function checkRange(
  name: string,
  value: unknown,
  [least, most]: readonly [number, number],
): readonly AgentFault[] {
  if (typeof value !== 'number') return [];
  const whole = name !== 'temperature';
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return [];
  const kind = whole ? 'a whole number' : 'a number';
  const rule = `${name} is not ${kind} from ${comma(least)} to ${comma(most)}`;
  return [fault('agent-range', rule, `write ${name}: ${examples[name] ?? least}`)];
}

const examples: Readonly<Record<string, number>> = {
  maxSteps: 12,
  tokenBudget: 200_000,
  toolResultLimit: 16_384,
  contextWindow: 150_000,
  keepRecent: 6,
  temperature: 0.5,
  maxTokens: 16_000,
  maxImages: 4,
};

/** A parameter in the path would be one more thing to be given to a tool that takes its input and nothing else. */
function checkExposure(path: unknown): readonly AgentFault[] {
  if (typeof path !== 'string') return [];
  const parsed = parsePath(path);
  // What is no path at all is said of its route.
  if (!parsed.ok || parsed.segments.every(({ kind }) => kind === 'literal')) return [];
  return [fault('agent-path', `exposeAt "${path}" has a parameter`, "write fixed text: '/support'")];
}

/** `-` and `_` are one in a path. */
function keyOf(name: unknown): string {
  return String(name).toLowerCase().replaceAll('_', '-');
}

function comma(count: number): string {
  return count.toLocaleString('en-US');
}
