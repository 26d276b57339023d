import { callSite, checkOptions, type Feature, isOptions, type Kind } from '@waymark/contract/declaring';
import type { DeclarationList } from './declaration-list.ts';

type Method = (...given: readonly unknown[]) => unknown;

/**
 * Makes a method of every kind: it hands its arguments to the kind's `declare` and keeps the declaration.
 *
 * @param self what a method returns, unless its kind says otherwise
 */
export function toMethods(
  features: readonly Feature[],
  list: DeclarationList,
  self: () => unknown,
): Readonly<Record<string, Method>> {
  const methods = features.flatMap(({ name: feature, kinds }) =>
    kinds.map((kind): readonly [string, Method] => {
      const method: Method = (...given) => {
        const declaration = declare(kind, given, callSite(method), list);
        list.declare(feature, declaration);
        return kind.gives ? kind.gives(declaration) : self();
      };
      return [kind.method, method];
    }),
  );
  return Object.fromEntries(methods);
}

function declare(kind: Kind, given: readonly unknown[], declaredAt: string, list: DeclarationList): unknown {
  const { arrange, options, method, title = () => method } = kind;
  // Programs without types may pass anything, and every `declare` takes it.
  const make = kind.declare as (...given: readonly unknown[]) => unknown;
  const arranged = [...(arrange?.(given) ?? given)];
  if (options === undefined) return { ...Object(make(...arranged)), declaredAt };
  const place = typeof options === 'function' ? options(arranged) : options;
  const found = arranged[place];
  if (found !== undefined && !isOptions(found))
    list.refuse(title(...arranged.map(toText)), declaredAt, checkOptions(found, {}));
  arranged[place] = { declaredAt, ...(isOptions(found) && found) };
  return make(...arranged);
}

/** What is wrong with a name is reported under a title that holds it: it has to be writable. */
function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
