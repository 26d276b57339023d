import { checkOptions, checkScopes, type Fault, isOptions } from '@waymark/contract/declaring';
import { maxToolBytes } from '@waymark/contract/tools';
import { checkExposure } from '../check/check-exposure.ts';
import { checkRanges, type Range } from '../check/check-ranges.ts';
import { pathKey } from '../check/path-key.ts';
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
  const twin = earlier.find((one) => pathKey(one.name) === pathKey(name));
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
    ...checkRanges('agent', given, ranges),
    ...checkExposure('agent', given.exposeAt, '/support'),
  ];
}

const ranges: Readonly<Record<string, Range>> = {
  maxSteps: { least: 1, most: 1_000, example: 12 },
  tokenBudget: { least: 1, most: 1_000_000_000, example: 200_000 },
  toolResultLimit: { least: 1, most: maxToolBytes, example: 16_384 },
  contextWindow: { least: 100, most: 100_000_000, example: 150_000 },
  keepRecent: { least: 1, most: 1_000, example: 6 },
  temperature: { least: 0, most: 2, example: 0.5, parts: true },
  maxTokens: { least: 1, most: 1_000_000, example: 16_000 },
  maxInputBytes: { least: 1, most: 16_777_216, example: 1_048_576 },
  maxImages: { least: 0, most: 100, example: 4 },
};
