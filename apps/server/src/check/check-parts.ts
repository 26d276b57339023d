import type { Problem, Route } from '@waymark/contract';
import { type Fault, nearestOr, type RuleBook, toProblems } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';

/** What holds for what an application is put together from. */
export const partRules = {
  'application-name': 'An application has a name.',
  'part-unknown': 'What is added is a route or a plugin.',
  'middleware-form': 'Middleware is a function.',
  'plugin-twice': 'Two plugins never have the same name.',
  'plugin-need': 'What a plugin needs is there.',
} as const satisfies RuleBook;

type PartFault = Fault<keyof typeof partRules>;

/** What `add` was given: the compiler lets nothing else pass, JavaScript does. */
export function isPlugin(part: unknown): part is Plugin {
  return isObject(part) && typeof part['name'] === 'string' && Array.isArray(part['routes']);
}

/** Whether something was made by `toRoute`. */
export function isRoute(part: unknown): part is Route {
  return isObject(part) && isObject(part['engine']) && Array.isArray(part['problems']);
}

/** The fault of something that is neither route nor plugin. */
export function unknownPart(part: unknown): PartFault {
  const fix = Array.isArray(part)
    ? 'spread the list: add(...parts)'
    : part instanceof Promise
      ? 'await it'
      : 'add what defineRoute gives, or { name, routes }';
  return { code: 'part-unknown', rule: 'something is added that is neither a route nor a plugin', fix };
}

/** The fault of middleware that is no function. */
export function noMiddleware(part: unknown): PartFault {
  const fix =
    typeof part === 'string'
      ? `use(express.Router().use(${JSON.stringify(part)}, …)) keeps it below a path`
      : 'write a function (req, res, next)';
  return { code: 'middleware-form', rule: 'something is used that is not a function', fix };
}

/** Finds what is wrong with the name of an application. */
export function checkName(name: unknown): readonly PartFault[] {
  if (typeof name === 'string' && name.trim() !== '') return [];
  const fix = "write createApplication('support')";
  return [{ code: 'application-name', rule: 'the name is not a text, or an empty one', fix }];
}

const things = ['runner', 'models', 'database', 'outbound', 'devices'];

/** A plugin, and where it was added. */
export interface AddedPlugin {
  readonly plugin: Plugin;
  readonly declaredAt: string;
}

/**
 * Finds plugins that stand twice in an application, and those that need what it does not have.
 *
 * @param given what the application has
 */
export function checkPlugins(added: readonly AddedPlugin[], given: ReadonlySet<string>): readonly Problem[] {
  return added.flatMap((one) => {
    const { name, needs = [] } = one.plugin;
    const first = added.find(({ plugin }) => plugin.name === name);
    return toProblems(`plugin "${name}"`, one.declaredAt, [
      ...(first && first !== one ? [takenName(first)] : []),
      ...needs.filter((need) => !given.has(need)).map(missing),
    ]);
  });
}

/** Finds plugins of features that need what the application does not have. @param at where it is made */
export function checkFeatureNeeds(
  plugins: readonly Plugin[],
  given: ReadonlySet<string>,
  at: string | undefined,
): readonly Problem[] {
  return plugins.flatMap(({ name, needs = [] }) =>
    toProblems(`plugin "${name}"`, at, needs.filter((need) => !given.has(need)).map(missing)),
  );
}

function takenName({ plugin, declaredAt }: AddedPlugin): PartFault {
  const rule = `a plugin "${plugin.name}" is added already, at ${declaredAt}`;
  return { code: 'plugin-twice', rule, fix: 'take one of the two out, or give it another name' };
}

function missing(need: string): PartFault {
  if (things.includes(need))
    return {
      code: 'plugin-need',
      rule: `needs a ${need}, and the application has none`,
      // The others are there always.
      fix: "write database: 'sqlite://app.db', or take this one out",
    };
  const rule = `needs "${need}", which no application has`;
  return { code: 'plugin-need', rule, ...nearestOr(`there are ${things.join(', ')}`, need, things) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
