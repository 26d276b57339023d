import { HTTPError, type Route, type Values } from '@waymark/contract';
import { type ArgumentsInput, type InputError, type RequestInput, readQuery } from '@waymark/contract/engine';
import { invalidInput, type Parameter, refuseInfinite, toEnforcedSchema } from '@waymark/contract/route';
import { enterSchema, maxInputErrors, type SchemaObject, valuesOf } from '@waymark/contract/schema';
import type { Bound } from './bound.ts';
import type { Coerce } from './coerce.ts';
import { compileDefaults, type FillDefaults } from './fill-defaults.ts';
import { type Libraries, toLibraries } from './libraries.ts';
import { type TextPlan, toTextPlan } from './text-plan.ts';
import { compileSchema, toPointer, unknownName, type Validator } from './validator.ts';

/** Turns the input of calls of one route into validated values. A promise only where a library gives one. */
export interface InputBinder {
  /**
   * Refuses a JSON body that holds far too many names, when only a part of it is read; undefined where it may hold any.
   *
   * @throws {HTTPError} 422
   */
  readonly refuseCrowd: ((members: object) => void) | undefined;
  /**
   * @param content the parsed JSON body; undefined when there is none
   * @throws {HTTPError} 400 a parameter twice · 422 what the schemas refuse, and numbers that JavaScript does not keep
   */
  fromRequest(input: RequestInput, content: unknown, bound: Bound): Promise<void> | undefined;
  /** @throws {HTTPError} 422 */
  fromArguments(input: ArgumentsInput, bound: Bound): Promise<void> | undefined;
}

/**
 * Compiles the binding of a route (decisions 1.4, 1.5, 2.4): path and query are coerced by schema, JSON is taken
 * strictly, defaults are filled in, then everything is validated at once.
 *
 * @param strictQuery refuse query names that are not declared, where the route does not say
 * @throws {Error} when a schema does not compile
 */
export function createInputBinder(route: Route, strictQuery: boolean): InputBinder {
  if (route.parameters.length === 0 && route.strict && route.body !== 'json')
    return bindsNothing(route, strictQuery);
  const plan = new InputPlan(route, strictQuery);
  const binder: InputBinder = {
    refuseCrowd: plan.takesAny ? undefined : (members) => plan.refuseCrowd(members),
    fromRequest(input, content, bound) {
      const given = plan.gather(input, content);
      plan.refuseUnkept(given);
      return plan.finish(plan.complete(given), bound);
    },
    fromArguments({ values }, bound) {
      plan.refuseCrowd(values);
      const complete = plan.complete(values);
      // Where a body is parsed, its text says that there is nothing to look for.
      refuseInfinite(complete);
      return plan.finish(complete, bound);
    },
  };
  return route.parameters.some(({ name, required }) => !required && name in {})
    ? withoutPrototype(binder)
    : binder;
}

/** Of an input that may have a `constructor` and has none, nobody reads the one that every object has. */
function withoutPrototype(binder: InputBinder): InputBinder {
  const strip = (reading: Promise<void> | undefined, bound: Bound): Promise<void> | undefined => {
    const take = (): void => {
      bound.input = Object.assign(Object.create(null), bound.input);
    };
    if (reading) return reading.then(take);
    take();
    return undefined;
  };
  return {
    refuseCrowd: binder.refuseCrowd,
    fromRequest: (input, content, bound) => strip(binder.fromRequest(input, content, bound), bound),
    fromArguments: (input, bound) => strip(binder.fromArguments(input, bound), bound),
  };
}

function bindsNothing(route: Route, strictQuery: boolean): InputBinder {
  const refuseQuery = route.strictQuery ?? strictQuery;
  return {
    refuseCrowd: undefined,
    fromRequest({ search }) {
      if (search === '') return undefined;
      const names: string[] = [];
      readQuery(search, (name) => {
        if (refuseQuery && names.length < maxInputErrors) names.push(name);
        return false;
      });
      if (names.length > 0) throw unknownNames(names, []);
      return undefined;
    },
    fromArguments({ values }) {
      const names = Object.keys(values);
      if (names.length > 0) throw unknownNames(names, []);
      return undefined;
    },
  };
}

const none: readonly InputError[] = [];

/** Names that nobody knows, before nothing else is looked at. */
const maxStrangers = 256;

class InputPlan {
  readonly #path: readonly { readonly name: string; readonly coerce: Coerce }[];
  readonly #query: ReadonlyMap<string, TextPlan>;
  readonly #content: string | undefined;
  /** Names of what travels in path and query: a JSON body must not hold them. */
  readonly #elsewhere: readonly string[];
  /** Every name that there is, where no others are allowed. */
  readonly #known: ReadonlySet<string> | undefined;
  /** Whether a name of the query is a parameter; where no others are allowed, throws. */
  readonly #wants: (name: string) => boolean;
  readonly #fillDefaults: FillDefaults | undefined;
  readonly #validator: Validator;
  readonly #libraries: Libraries | undefined;

  constructor(route: Route, strictQuery: boolean) {
    const { parameters, inputSchema } = route;
    // References of a parameter may start from the whole input.
    const scope = enterSchema(inputSchema as SchemaObject);
    this.#path = inPlace(parameters, 'path').map(({ name, schema }) => ({
      name,
      coerce: toTextPlan(valuesOf(schema, scope)).once,
    }));
    this.#query = new Map(
      inPlace(parameters, 'query').map(({ name, schema }) => [name, toTextPlan(valuesOf(schema, scope))]),
    );
    this.#wants = toWants(this.#query, route.strictQuery ?? strictQuery);
    this.#content = inPlace(parameters, 'content')[0]?.name;
    this.#elsewhere = parameters
      .filter(({ place }) => place === 'path' || place === 'query')
      .map(({ name }) => name);
    const enforced = toEnforcedSchema(route);
    this.#known = closedNames(enforced);
    this.#fillDefaults = compileDefaults(enforced);
    this.#validator = compileSchema(enforced);
    this.#libraries = toLibraries(route);
  }

  /** Whether a JSON body may hold any names. */
  get takesAny(): boolean {
    return this.#content !== undefined || this.#known === undefined;
  }

  gather({ params, search }: RequestInput, content: unknown): Record<string, unknown> {
    const values = this.#fromBody(content);
    for (const { name, coerce } of this.#path) values[name] = coerce(params[name] ?? '');
    if (search === '') return values;
    const firsts: FirstTexts = new Map();
    readQuery(search, this.#wants, (name, text) => this.#addQuery(values, name, text, firsts));
    return values;
  }

  /** Where a body is parsed, its text says that there is nothing to look for. @throws {HTTPError} 422 */
  refuseUnkept(values: Values): void {
    for (const name of this.#elsewhere) {
      const value = values[name];
      if (value === Number.POSITIVE_INFINITY || typeof value === 'object')
        refuseInfinite(value, `/${toPointer(name)}`);
    }
  }

  complete(values: Values): Values {
    return this.#fillDefaults ? (this.#fillDefaults(values) as Values) : values;
  }

  finish(complete: Values, bound: Bound): Promise<void> | undefined {
    const errors = this.#validator.check(complete) ? none : this.#validator.errors(complete);
    if (this.#libraries) return this.#libraries.read(complete, errors, bound);
    if (errors !== none) throw invalidInput(errors);
    bound.given = complete;
    bound.input = complete;
    return undefined;
  }

  /**
   * Refuses by their number what would take long to be copied and checked: 90,000 names fit into 1 MiB.
   *
   * @throws {HTTPError} 422
   */
  refuseCrowd(values: object): void {
    const known = this.#known;
    if (!known) return;
    const names = Object.keys(values);
    if (names.length <= known.size + maxStrangers) return;
    const first = names.slice(0, known.size + maxInputErrors).filter((name) => !known.has(name));
    throw unknownNames(first, [...known]);
  }

  #fromBody(content: unknown): Record<string, unknown> {
    if (content === undefined) return {};
    if (this.#content !== undefined) return { [this.#content]: content };
    if (typeof content !== 'object' || content === null || Array.isArray(content))
      throw invalidInput([{ path: '', message: 'the body must be an object' }]);
    this.refuseCrowd(content);
    const strangers = this.#elsewhere.filter((name) => Object.hasOwn(content, name));
    if (strangers.length > 0) throw unknownNames(strangers, []);
    const members = content as Record<string, unknown>;
    // Parsed for this call alone, so it may become the values; `request.json()` must not see what travelled elsewhere.
    return this.#elsewhere.length > 0 ? { ...members } : members;
  }

  #addQuery(values: Record<string, unknown>, name: string, text: string, firsts: FirstTexts): void {
    const plan = this.#query.get(name);
    if (!plan) return;
    // Own members only: a parameter may be called `constructor`.
    if (!Object.hasOwn(values, name)) {
      values[name] = plan.once(text);
      if (plan.item) firsts.set(name, text);
    } else if (plan.item) addItem(values, name, text, plan.item, firsts);
    else throw new HTTPError(400, `query parameter "${name}" is given twice`);
  }
}

/** What lists were given first, by their names. */
type FirstTexts = Map<string, string>;

function addItem(
  values: Record<string, unknown>,
  name: string,
  text: string,
  item: NonNullable<TextPlan['item']>,
  firsts: FirstTexts,
): void {
  let list = values[name];
  if (!Array.isArray(list)) {
    // Given once it was no list: its text is read again, as the first item.
    list = [item(firsts.get(name) ?? '', 0)];
    values[name] = list;
  }
  // The list was made here: no body may hold the name of a query parameter.
  (list as unknown[]).push(item(text, (list as unknown[]).length));
}

function toWants(plans: ReadonlyMap<string, TextPlan>, strict: boolean): (name: string) => boolean {
  if (!strict) return (name) => plans.has(name);
  return (name) => {
    if (!plans.has(name)) throw unknownNames([name], [...plans.keys()]);
    return true;
  };
}

function unknownNames(names: readonly string[], known: readonly string[]): HTTPError {
  const told = names.slice(0, maxInputErrors);
  return invalidInput(told.map((name) => unknownName(`/${toPointer(name)}`, name, known)));
}

function closedNames(schema: object): ReadonlySet<string> | undefined {
  const {
    additionalProperties,
    patternProperties,
    properties = {},
  } = schema as {
    readonly additionalProperties?: unknown;
    readonly patternProperties?: unknown;
    readonly properties?: object;
  };
  if (additionalProperties !== false || patternProperties !== undefined) return undefined;
  return new Set(Object.keys(properties));
}

function inPlace(parameters: readonly Parameter[], place: Parameter['place']): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.place === place);
}
