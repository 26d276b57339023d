import {
  checkOptions,
  checkScopes,
  type Declaration,
  type Fault,
  isOptions,
} from '@waymark/contract/declaring';
import type { Boot } from '@waymark/contract/engine';
import { checkExposure, checkPublic } from '../check/check-exposure.ts';
import { checkRanges, type Range } from '../check/check-ranges.ts';
import { checkContexts, checkModels, checkScopesOfTools, checkTools, routesOf } from '../check/check-uses.ts';
import { pathKey } from '../check/path-key.ts';
import type { BehaviourDeclaration, BehaviourOptions } from './behaviour.ts';
import type { BehaviourFault } from './behaviour-rules.ts';
import { type BehaviourSettings, behaviourShapes } from './behaviour-settings.ts';

/**
 * Finds what keeps a behaviour from being told by its name, or from being run at all: such a one gets no route.
 *
 * @param others what is declared before it, and every agent
 */
export function checkBehaviourForm(
  { name, body }: BehaviourDeclaration,
  others: readonly Declaration[],
): readonly BehaviourFault[] {
  if (typeof body !== 'function') return [withoutFunction];
  if (isGenerator(body)) return [generator];
  if (typeof name !== 'string' || !/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(name)) return [badName(name)];
  const twin = others.find((one) => pathKey(one.name) === pathKey(name));
  if (!twin) return [];
  const rule = `${twin.kind} "${twin.name}" is declared at ${twin.declaredAt} already`;
  return [{ code: 'behaviour-taken', rule, fix: 'give one of the two another name' }];
}

/** Finds what its options show by themselves. */
export function checkBehaviour({ options }: BehaviourDeclaration): readonly Fault[] {
  if (!isOptions(options)) return checkOptions(options, {});
  const given = options as BehaviourOptions;
  const scopes = [given.scopes, given.exposeScopes].filter((one) => one !== undefined);
  return [
    ...checkOptions(given, behaviourShapes),
    ...scopes.flatMap(checkScopes),
    ...checkRanges('behaviour', given, ranges),
    ...checkExposure('behaviour', given.exposeAt, '/tidy'),
  ];
}

/** Finds names that stand for nothing, and scopes that it lacks to use the ones that do. */
export function checkBehaviourUses(
  settings: BehaviourSettings,
  contexts: ReadonlySet<string>,
  { table, models, env }: Boot,
): readonly Fault[] {
  const { model, tools, context, scopes } = settings;
  return [
    ...checkModels([model], models),
    ...checkTools('behaviour', tools, table),
    ...checkContexts('behaviour', context, contexts),
    ...checkScopesOfTools('behaviour', scopes, routesOf(tools, table)),
    ...checkPublic('behaviour', settings, { env }),
  ];
}

const withoutFunction: BehaviourFault = {
  code: 'behaviour-body',
  rule: 'it has no function',
  fix: 'write the function as the last argument, after the options',
};

const generator: BehaviourFault = {
  code: 'behaviour-body',
  rule: 'its function is a generator, which runs nothing when it is called',
  fix: 'write an async function, without the *',
};

function isGenerator(body: object): boolean {
  return /GeneratorFunction\]$/.test(Object.prototype.toString.call(body));
}

function badName(name: unknown): BehaviourFault {
  const rule =
    name === ''
      ? 'it has no name'
      : 'its name is not a letter and up to 63 letters, digits, "_" or "-" after it';
  const fix = name === '' ? 'name the function, or write the name first' : "write a word: 'tidy'";
  return { code: 'behaviour-name', rule, fix };
}

/** What the answer of a model may be asked for with: by a behaviour, and by one of its questions. */
export const answerRanges: Readonly<Record<string, Range>> = {
  maxTokens: { least: 1, most: 1_000_000, example: 16_000 },
  temperature: { least: 0, most: 2, example: 0.5, parts: true },
};

const ranges: Readonly<Record<string, Range>> = {
  maxSteps: { least: 1, most: 1_000, example: 50 },
  tokenBudget: { least: 1, most: 1_000_000_000, example: 200_000 },
  ...answerRanges,
};
