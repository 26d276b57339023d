import { nearest, type Problem } from '@waymark/contract';

/** What an option holds; `any` is looked at elsewhere. */
export type Shape = 'number' | 'boolean' | 'text' | 'texts' | 'options' | 'any';

/** Every option of a declaration and what it holds. */
export type Shapes = Readonly<Record<string, Shape>>;

/** A broken rule, before it is known which declaration broke it. */
type Found = Omit<Problem, 'declaration' | 'at'>;

/**
 * Finds options that nobody reads, with the name that was probably meant, and options of another type than theirs. The
 * compiler says so first; JavaScript has none, and `allowUnauthenticated: 'false'` must not open anything.
 */
export function checkShapes(options: unknown, shapes: Shapes): readonly Found[] {
  if (!fits.options(options)) return [{ rule: `the options are not ${words.options}` }];
  return Object.entries(options as object).flatMap(([name, value]) => checkShape(name, value, shapes));
}

/** The options that are known and have their type: what is safe to use while the problems are being reported. */
export function wellShaped<T extends object>(options: T, shapes: Shapes): Partial<T> {
  const good = Object.entries(fits.options(options) ? options : {}).filter(
    ([name, value]) => value !== undefined && checkShape(name, value, shapes).length === 0,
  );
  return Object.fromEntries(good) as Partial<T>;
}

function checkShape(name: string, value: unknown, shapes: Shapes): readonly Found[] {
  // An option may be there and hold nothing; that is the same as leaving it out.
  if (value === undefined) return [];
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (shape === undefined) {
    const close = nearest(name, Object.keys(shapes));
    return [{ rule: `unknown option "${name}"`, ...(close !== undefined && { nearest: close }) }];
  }
  if (fits[shape](value)) return [];
  return [
    {
      rule: `${name} is not ${words[shape]}`,
      ...(shape === 'texts' && typeof value === 'string' && listFix(value)),
    },
  ];
}

const fits: Readonly<Record<Shape, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  text: (value) => typeof value === 'string',
  texts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  options: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  any: () => true,
};

const words: Readonly<Record<Shape, string>> = {
  number: 'a number',
  boolean: 'true or false',
  text: 'a text',
  texts: 'a list of texts',
  options: 'an object',
  any: 'anything',
};

function listFix(value: string): { readonly fix: string } {
  return { fix: `write [${JSON.stringify(value)}]` };
}
