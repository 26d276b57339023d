import type { Problem } from '@waymark/contract';
import {
  asText,
  checkOptions,
  checkScopes,
  type Fault,
  isOptions,
  toProblems,
} from '@waymark/contract/declaring';
import type { WatchDeclaration, WatchOptions } from './watch.ts';
import { fault, type WatchFault } from './watch-rules.ts';
import { watchShapes } from './watch-settings.ts';

/** Declarations, sorted by whether they can be served. */
export interface CheckedWatches {
  /** Those with nothing wrong by themselves. */
  readonly sound: readonly WatchDeclaration[];
  readonly problems: readonly Problem[];
}

/** Finds everything that declarations of watchers show by themselves. No message holds a URL. */
export function checkWatches(declarations: readonly WatchDeclaration[]): CheckedWatches {
  const sound: WatchDeclaration[] = [];
  const problems: Problem[] = [];
  declarations.forEach((declaration, i) => {
    const { name, options, declaredAt } = declaration;
    const twin = declarations.slice(0, i).find((one) => one.name === name);
    const faults = [...checkName(name, twin), ...checkOwnOptions(options)];
    if (faults.length === 0) sound.push(declaration);
    problems.push(...toProblems(titleOf(declaration), declaredAt, faults));
  });
  return { sound, problems };
}

/** How a watcher is named in messages. */
export function titleOf({ name }: Pick<WatchDeclaration, 'name'>): string {
  return `watch "${asText(name)}"`;
}

const watchName = /^[A-Za-z][A-Za-z0-9_-]{0,53}$/;

function checkName(name: unknown, twin: WatchDeclaration | undefined): readonly WatchFault[] {
  if (typeof name !== 'string' || !watchName.test(name))
    return [
      fault(
        'watch-name',
        'its name is not a letter and up to 53 letters, digits, "_" or "-" after it',
        "write a word: 'door_guard'",
      ),
    ];
  if (!twin) return [];
  return [fault('watch-taken', `it is declared at ${twin.declaredAt} already`, 'choose another name')];
}

function checkOwnOptions(options: WatchDeclaration['options']): readonly Fault[] {
  const faults = checkOptions(options, watchShapes);
  if (!isOptions(options)) return faults;
  const given: Partial<WatchOptions> = options;
  return [
    ...faults,
    ...(['device', 'agent'] as const)
      .filter((name) => given[name] === undefined || given[name] === '')
      .map((name) => fault('watch-incomplete', `it has no ${name}`, `write ${name}: '…', the name of one`)),
    ...(given.scopes === undefined ? [] : checkScopes(given.scopes)),
    ...ranges.flatMap((range) => checkRange(given, range)),
    ...checkEmpty(given),
    ...checkUnused(given),
  ];
}

interface Range {
  readonly name: 'every' | 'maxRunsPerHour' | 'maxCostPerDay';
  readonly isWithin: (value: number) => boolean;
  readonly words: string;
}

const ranges: readonly Range[] = [
  { name: 'every', isWithin: (n) => n >= 0.1 && n <= 86_400, words: '0.1 to 86,400 seconds' },
  {
    name: 'maxRunsPerHour',
    isWithin: (n) => Number.isInteger(n) && n >= 1 && n <= 36_000,
    words: '1 to 36,000 runs, a whole number',
  },
  {
    name: 'maxCostPerDay',
    isWithin: (n) => n > 0 && n <= 1_000_000,
    words: 'more than 0 USD, at most 1,000,000',
  },
];

/** Another type than a number is said already. */
function checkRange(given: Partial<WatchOptions>, { name, isWithin, words }: Range): readonly WatchFault[] {
  const value: unknown = given[name];
  if (typeof value !== 'number' || isWithin(value)) return [];
  return [fault('watch-range', `${name} is not ${words}`, `write ${words}, or leave it out`)];
}

/** An agent is always asked something: a camera may never have sent a reading. */
function checkEmpty({ input }: Partial<WatchOptions>): readonly WatchFault[] {
  if (typeof input !== 'string' || input.trim() !== '') return [];
  return [fault('watch-input', 'its input is empty', 'say what the agent is to look for, or leave it out')];
}

function checkUnused(given: Partial<WatchOptions>): readonly WatchFault[] {
  if (given.webhook !== undefined) return [];
  return (['webhookBearerEnv', 'webhookSecretEnv'] as const)
    .filter((name) => given[name] !== undefined)
    .map((name) => fault('watch-webhook', `${name} is set, and there is no webhook`, `take ${name} out`));
}
