import {
  enterSchema,
  isSchemaObject,
  resolveReference,
  type SchemaObject,
  type SchemaScope,
  type SchemaTarget,
  valuesOf,
} from '@waymark/contract/schema';
import { jsonText } from './json-text.ts';

/**
 * A schema without `null`, which no text of a path or query stands for: a parameter is left out instead. A definition
 * that takes `null` stays as it is, for whoever else refers to it; its place is taken by a copy that does not.
 *
 * @param outer the schemas around it, where references start
 */
export function withoutNull(schema: object, outer: SchemaScope): object {
  return isSchemaObject(schema) ? new NullTaker().take(schema, outer) : schema;
}

/** Definitions that are looked into at most, since copies of copies grow: what refers to more of them is shown `null`. */
const maxTargets = 200;

class NullTaker {
  #targets = 0;
  /** Definitions that are being looked at: one that refers to itself does so in its copy, too. */
  readonly #open = new Set<SchemaObject>();

  /** @returns the schema itself when there is no `null` in it */
  take(schema: SchemaObject, outer: SchemaScope): SchemaObject {
    const scope = enterSchema(schema, outer);
    const parts: SchemaObject[] = [];
    const around = Object.entries(schema).flatMap(([keyword, value]): readonly [string, unknown][] => {
      const left = this.#takeFrom(keyword, value, scope);
      if (left === undefined) return [];
      const part = keyword === '$ref' ? this.#copy(String(value), scope) : onlyChoice(keyword, left, value);
      if (!part) return [[keyword, left]];
      parts.push(part);
      return [];
    });
    const isSame = parts.length === 0 && around.every(([keyword, value]) => value === schema[keyword]);
    if (isSame && around.length === Object.keys(schema).length) return schema;
    return parts.reduce(join, Object.fromEntries(around));
  }

  /** What is left of the value of a keyword; undefined where that is nothing. */
  #takeFrom(keyword: string, value: unknown, scope: SchemaScope): unknown {
    switch (keyword) {
      case 'type':
        return Array.isArray(value) ? typeWithoutNull(value) : value;
      case 'enum':
        return Array.isArray(value) ? filtered(value, (one) => one !== null) : value;
      case 'default':
        return value === null ? undefined : value;
      case 'items':
        return isSchemaObject(value) ? this.take(value, scope) : value;
      case 'allOf':
      case 'prefixItems':
        return Array.isArray(value) ? this.#takeEach(value, scope) : value;
      case 'anyOf':
      case 'oneOf':
        return Array.isArray(value)
          ? this.#takeEach(
              filtered(value, (one) => !isNull(one, scope)),
              scope,
            )
          : value;
      default:
        return value;
    }
  }

  #takeEach(schemas: readonly unknown[], scope: SchemaScope): readonly unknown[] {
    const taken = schemas.map((one) => (isSchemaObject(one) ? this.take(one, scope) : one));
    return taken.every((one, i) => one === schemas[i]) ? schemas : taken;
  }

  /** What a reference means, where that takes `null` and means the same here. */
  #copy(reference: string, scope: SchemaScope): SchemaObject | undefined {
    const target = resolveReference(reference, scope);
    if (!target || this.#open.has(target.node) || ++this.#targets > maxTargets) return undefined;
    this.#open.add(target.node);
    const copy = this.take(target.node, target.scope);
    this.#open.delete(target.node);
    if (copy === target.node || !canMove(target, scope)) return undefined;
    const { $id: _, $anchor: __, $dynamicAnchor: ___, ...unnamed } = copy;
    return unnamed;
  }
}

function typeWithoutNull(types: readonly unknown[]): unknown {
  const left = filtered(types, (one) => one !== 'null');
  return left !== types && left.length === 1 ? left[0] : left;
}

/** The list itself when nothing is taken out. */
function filtered(list: readonly unknown[], keep: (one: unknown) => boolean): readonly unknown[] {
  const left = list.filter(keep);
  return left.length === list.length ? list : left;
}

function isNull(schema: unknown, scope: SchemaScope): boolean {
  const { types } = valuesOf(schema, scope);
  return types.size === 1 && types.has('null');
}

/** The last of several choices is none any more. */
function onlyChoice(keyword: string, left: unknown, before: unknown): SchemaObject | undefined {
  if ((keyword !== 'anyOf' && keyword !== 'oneOf') || left === before) return undefined;
  const [only, ...others] = left as readonly unknown[];
  return others.length === 0 && isSchemaObject(only) ? only : undefined;
}

/** Words for people: those around a part are about its use, and win. */
const words = ['title', 'description', 'default', 'examples', 'example', 'deprecated', '$comment'];

/** One schema that holds for both: a part moves into what is around it, where neither says what the other does. */
function join(around: SchemaObject, part: SchemaObject): SchemaObject {
  const isFree = Object.keys(part).every((keyword) => !(keyword in around) || words.includes(keyword));
  if (isFree && !('$id' in part) && !('$defs' in part)) return { ...part, ...around };
  const { allOf } = around;
  return { ...around, allOf: [...(Array.isArray(allOf) ? allOf : []), part] };
}

/** Whether the references of a definition mean the same where somebody refers to it. */
function canMove({ node, scope }: SchemaTarget, place: SchemaScope): boolean {
  const references = [...(jsonText(node) ?? '').matchAll(/"\$(?:dynamicR|r)ef":("(?:[^"\\]|\\.)*")/g)];
  return references.every(([, text = '""']) => {
    const reference = JSON.parse(text) as string;
    return resolveReference(reference, scope)?.node === resolveReference(reference, place)?.node;
  });
}
