import type { Route, Values } from '@waymark/contract';
import type { InputError } from '@waymark/contract/engine';
import { invalidInput } from '@waymark/contract/route';
import { type StandardReading, type StandardSchema, validateStandard } from '@waymark/contract/schema';
import type { Bound } from './bound.ts';
import { createRefuseLarge, type RefuseLarge } from './large-values.ts';
import { createRefuseLong, type RefuseLong } from './long-texts.ts';
import { toPointer } from './validator.ts';

/** What the libraries of a route make of its input. */
export interface Libraries {
  /**
   * @param errors what is wrong already: all is told at once
   * @throws {HTTPError} 422
   */
  read(given: Values, errors: readonly InputError[], bound: Bound): Promise<void> | undefined;
}

/** The parameters of a route that a library validates, or the one that validates them all; undefined without any. */
export function toLibraries({ parameters, standard, engine, inputSchema }: Route): Libraries | undefined {
  // What a run made of its input is not what the caller holds: arguments may be somebody's own object.
  const own = engine.durability === 'run' ? copy : (value: unknown): unknown => value;
  if (standard) {
    const refusals = toRefusals(inputSchema);
    const names = parameters.map(({ name }) => name);
    return {
      read: (given, errors, bound) =>
        settle(
          // Names that nobody knows are refused already, and a strict library would do so once more.
          [
            ask(
              { standard, ...refusals, at: '' },
              own(errors.length > 0 ? only(names, given) : given),
              given,
            ),
          ],
          ([whole]) => {
            bound.given = given;
            // Its schema says that it is an object.
            bound.input = whole as Values;
          },
          errors,
        ),
    };
  }
  const schemas = parameters.flatMap(({ name, schema, standard: one }) =>
    one ? [{ name, standard: one, ...toRefusals(schema), at: `/${toPointer(name)}` }] : [],
  );
  if (schemas.length === 0) return undefined;
  return {
    read: (given, errors, bound) =>
      settle(
        schemas.map((one) => ask(one, own(ownValue(given, one.name)), given)),
        (values) => {
          bound.given = given;
          bound.input = withValues(given, schemas, values);
        },
        errors,
      ),
  };
}

function only(names: readonly string[], given: Values): Values {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
  );
}

/** Arguments are JSON. */
function copy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Own members only: a parameter may be called `constructor`. */
function ownValue(given: Values, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function withValues(
  given: Values,
  schemas: readonly { readonly name: string }[],
  values: readonly unknown[],
): Values {
  const input: Record<string, unknown> = { ...given };
  schemas.forEach(({ name }, i) => {
    if (values[i] !== undefined || Object.hasOwn(given, name)) input[name] = values[i];
  });
  return input;
}

/** One schema of a library, and where in the input its value stands. */
interface Part {
  readonly standard: StandardSchema;
  readonly refuseLarge: RefuseLarge;
  readonly refuseLong: RefuseLong;
  readonly at: string;
}

/** What is looked at before a library is asked. */
function toRefusals(description: object): Pick<Part, 'refuseLarge' | 'refuseLong'> {
  return { refuseLarge: createRefuseLarge(description), refuseLong: createRefuseLong(description) };
}

function ask(
  { standard, refuseLarge, refuseLong, at }: Part,
  value: unknown,
  given: Values,
): StandardReading | Promise<StandardReading> {
  const large = refuseLarge(value);
  const errors = large.length > 0 ? large : refuseLong(value);
  if (errors.length > 0)
    return { ok: false, errors: errors.map(({ path, message }) => ({ path: at + path, message })) };
  const reading = validateStandard(standard, value, at);
  if (!(reading instanceof Promise)) return withRequired(reading, given);
  const later = reading.then((read) => withRequired(read, given));
  // Nobody waits for it where the library of another parameter throws at once.
  later.catch(() => undefined);
  return later;
}

/** Libraries have many words for what is not there. */
function withRequired(reading: StandardReading, given: Values): StandardReading {
  if (reading.ok) return reading;
  const errors = reading.errors.map((error) => {
    const name = /^\/([^/]+)$/.exec(error.path)?.[1];
    return name === undefined || Object.hasOwn(given, fromPointer(name))
      ? error
      : { path: error.path, message: 'is required' };
  });
  return { ok: false, errors };
}

/** Hands over what all of them gave, or throws what any of them refused. */
function settle(
  readings: readonly (StandardReading | Promise<StandardReading>)[],
  take: (values: readonly unknown[]) => void,
  errors: readonly InputError[],
): Promise<void> | undefined {
  const finish = (all: readonly StandardReading[]): void => {
    const wrong = [...errors, ...all.flatMap((one) => (one.ok ? [] : one.errors))];
    if (wrong.length > 0) throw invalidInput(wrong);
    take(all.map((one) => (one.ok ? one.value : undefined)));
  };
  if (readings.some((one) => one instanceof Promise))
    return Promise.all(readings.map(async (one) => one)).then(finish);
  finish(readings as readonly StandardReading[]);
  return undefined;
}

function fromPointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
