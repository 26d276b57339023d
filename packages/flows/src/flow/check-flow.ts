import { checkOptions, checkScopes, type Fault, isOptions } from '@waymark/contract/declaring';
import { checkKind } from './check-kind.ts';
import type { FlowDeclaration } from './flow.ts';
import { type FlowFault, fault } from './flow-rules.ts';
import { flowShapes } from './flow-settings.ts';
import { hasParameter } from './has-parameter.ts';

const namePattern = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Finds what is wrong with the name of a flow: such a one gets no route. */
export function checkFlowName(
  { name }: FlowDeclaration,
  earlier: readonly FlowDeclaration[],
): readonly FlowFault[] {
  if (typeof name !== 'string' || !namePattern.test(name))
    return [
      fault(
        'flow-name',
        'its name is not a letter and up to 63 letters, digits, "_" or "-" after it',
        "write a word: 'triage'",
      ),
    ];
  const twin = earlier.find((one) => keyOf(one.name) === keyOf(name));
  if (!twin) return [];
  const rule = `flow "${twin.name}" is declared at ${twin.declaredAt} already`;
  return [fault('flow-taken', rule, 'give one of the two another name')];
}

/** Finds what its options show by themselves. */
export function checkFlow({ options }: FlowDeclaration): readonly Fault[] {
  if (!isOptions(options)) return checkOptions(options, {});
  const scopes = [options.scopes, options.exposeScopes].filter((one) => one !== undefined);
  return [
    ...checkOptions(options, flowShapes),
    ...checkKind(options),
    ...scopes.flatMap(checkScopes),
    ...checkBudget(options.tokenBudget),
    ...checkExposure(options.exposeAt),
  ];
}

const mostTokens = 1_000_000_000;

function checkBudget(tokens: unknown): readonly FlowFault[] {
  if (typeof tokens !== 'number' || (Number.isInteger(tokens) && tokens >= 1 && tokens <= mostTokens))
    return [];
  const rule = `tokenBudget is not a whole number from 1 to ${mostTokens.toLocaleString('en-US')}`;
  return [fault('flow-range', rule, 'write tokenBudget: 200000')];
}

function checkExposure(path: unknown): readonly FlowFault[] {
  if (typeof path !== 'string' || !hasParameter(path)) return [];
  return [fault('flow-path', `exposeAt "${path}" has a parameter`, "write fixed text: '/triage'")];
}

/** `-` and `_` are one in a path. */
function keyOf(name: unknown): string {
  return String(name).toLowerCase().replaceAll('_', '-');
}
