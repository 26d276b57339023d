import { mediaTypeOf } from '@waymark/contract/route';
import {
  enterSchema as enter,
  isSchemaObject as isNode,
  type SchemaObject as Node,
  resolveReference,
  type SchemaScope as Scope,
  type SchemaTarget as Target,
  valuesOf,
} from '@waymark/contract/schema';
import {
  atom,
  declareType,
  type Expression,
  intersection,
  list,
  literal,
  neverType,
  tuple,
  union,
  unknownType,
} from './expression.ts';
import { docComment, lineWidth, propertyName, toSentence } from './layout.ts';
import { NameSet, toPascalCase } from './names.ts';
import { type NamedMember, toObjectMembers } from './object-members.ts';

/** What to declare a type with. */
export interface DeclareOptions {
  readonly doc: string;
  /** An input: `undefined` is the same as leaving out. */
  readonly loose?: boolean;
  /** Members that travel in path or query, where no text is `null`. */
  readonly texts?: ReadonlySet<string>;
}

/** One of the schemas of a type; its status tells it from the others. */
export interface Member {
  readonly schema: unknown;
  readonly status?: string;
}

/** Where a type is needed. */
interface Place {
  /** The name it takes, should it need one. */
  readonly hint: string;
  /** The schemas around it, where references start. */
  readonly scope: Scope;
  /** The hint is its name already, and this the docstring. */
  readonly doc?: string | undefined;
  readonly loose?: boolean;
  readonly texts?: ReadonlySet<string>;
  /** Travels in path or query. */
  readonly asText?: boolean;
}

const scalars: Readonly<Record<string, Expression>> = {
  string: atom('string'),
  number: atom('number'),
  integer: atom('number'),
  boolean: atom('boolean'),
  null: atom('null'),
};

/**
 * Writes JSON Schemas as TypeScript types. Objects become interfaces named by their `title`, else by the way to them,
 * so that every type that uses them is short. What no type can say (`pattern`, `not`, `if`) is left out.
 */
export class TypeWriter {
  readonly names: NameSet;
  readonly #declarations: string[] = [];
  readonly #shared = new Map<string, string>();
  readonly #faults: string[] = [];
  /** The type that is being declared, and the schema it stands for. */
  #current: { readonly name: string; readonly schema: unknown } = { name: '', schema: undefined };

  /** @param names those that are taken, and will be */
  constructor(names = NameSet.forTypes()) {
    this.names = names;
  }

  /** What the schemas so far break. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** All declarations, each before what it needs. */
  toSource(): string {
    return this.#declarations.filter((text) => text !== '').join('\n');
  }

  /** Declares what one of the schemas allows, under a name that was taken from `names`. */
  declare(
    name: string,
    members: readonly Member[],
    { doc, loose = false, texts = new Set() }: DeclareOptions,
  ): void {
    const schema = members.length === 1 ? members[0]?.schema : undefined;
    this.#current = { name, schema };
    this.#alias(name, doc, () => {
      if (members.length === 1) return this.#root(schema, { hint: name, doc, loose, texts });
      const types = members.map(({ schema, status }) => ({ hint: `${name}${status}`, schema }));
      return union(types.map(({ hint, schema }) => this.#unionMember(this.#root(schema, { hint }), hint)));
    });
  }

  #root(schema: unknown, place: Omit<Place, 'scope'>): Expression {
    return this.#write(schema, { ...place, scope: enter(isNode(schema) ? schema : {}) });
  }

  /** Declares a name; an object type has become an interface of this name by itself. */
  #alias(name: string, doc: string, write: () => Expression): void {
    const slot = this.#declarations.push('') - 1;
    const type = write();
    if (type.text !== name) this.#declarations[slot] = docComment(doc) + declareType(name, type);
  }

  #write(schema: unknown, place: Place): Expression {
    if (!isNode(schema)) return schema === false ? neverType : unknownType;
    const scope = enter(schema, place.scope);
    const { title } = schema;
    // An object with a title is one type, wherever it stands. An input has its own name.
    if (!place.loose && isObject(schema) && typeof title === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(title))
      return this.#share(schema, scope, title);
    return this.#untitled(schema, { ...place, scope });
  }

  /** One name for all schemas that read the same. */
  #share(schema: Node, scope: Scope, wanted: string): Expression {
    const text = JSON.stringify(schema);
    const key = text.includes('"$ref"') ? `${text} in ${JSON.stringify(scope.node)}` : text;
    const known = this.#shared.get(key);
    if (known !== undefined) return atom(known);
    const name = this.names.take(wanted);
    // Known before it is written: it may contain itself.
    this.#shared.set(key, name);
    const doc = `The schema \`${name}\`.`;
    this.#alias(name, doc, () => this.#untitled(schema, { hint: name, scope: enter(schema, scope), doc }));
    return atom(name);
  }

  #untitled(schema: Node, place: Place): Expression {
    const { hint, scope, asText = false } = place;
    const { allOf = [], anyOf = [], oneOf = [] } = schema as Readonly<Record<string, readonly unknown[]>>;
    const around = [
      ...this.#reference(schema, place),
      ...allOf.map((one, i) => this.#write(one, { hint: `${hint}All${i + 1}`, scope, asText })),
      ...[anyOf, oneOf].filter((choice) => choice.length > 0).map((choice) => this.#choice(choice, place)),
    ].filter(({ text }) => text !== 'unknown');
    if (around.length === 0) return this.#own(schema, place);
    const own = this.#own(schema, { ...place, hint: `${hint}Own`, doc: undefined });
    if (own.text === 'unknown' && around.length === 1) return around[0] ?? unknownType;
    return intersection([own, ...around].map((part, i) => this.#named(part, `${hint}Part${i + 1}`)));
  }

  #choice(members: readonly unknown[], { hint, scope, asText = false }: Place): Expression {
    return union(
      members.map((member, i) => {
        const name = `${hint}Option${i + 1}`;
        return this.#unionMember(this.#write(member, { hint: name, scope, asText }), name);
      }),
    );
  }

  #reference({ $ref }: Node, { hint, scope, asText = false }: Place): readonly Expression[] {
    if (typeof $ref !== 'string') return [];
    const target = resolveReference($ref, scope);
    if (!target) {
      this.#faults.push(`the reference "${$ref}" points to nothing in the schema`);
      return [];
    }
    if (target.node === this.#current.schema) return [atom(this.#current.name)];
    const wanted = target.name === undefined ? hint : toPascalCase(target.name);
    const type = this.#share(target.node, target.scope, wanted);
    return [asText && saysNull(target) ? atom(`NonNullable<${type.text}>`) : type];
  }

  /** What the keywords beside references and choices say. */
  #own(schema: Node, place: Place): Expression {
    const mediaType = mediaTypeOf(schema);
    if (mediaType !== undefined) return mediaAnswer(mediaType);
    const { type, enum: values, const: constant } = schema;
    const valueType = place.asText ? literalText : literal;
    if ('const' in schema) return valueType(constant);
    if (Array.isArray(values)) return union(values.map(valueType));
    if (!Array.isArray(type)) return this.#ofType(type ?? impliedType(schema), schema, place);
    const members = type.map((one) => this.#ofType(one, schema, { ...place, doc: undefined }));
    return union(members.map((member) => this.#unionMember(member, place.hint)));
  }

  #ofType(type: unknown, schema: Node, place: Place): Expression {
    if (type === 'object') return this.#object(schema, place);
    if (type === 'array') return this.#array(schema, place);
    if (type === 'null' && place.asText) return neverType;
    return (typeof type === 'string' && Object.hasOwn(scalars, type) && scalars[type]) || unknownType;
  }

  #array(schema: Node, { hint, scope, asText = false }: Place): Expression {
    const {
      prefixItems,
      items,
      minItems = 0,
    } = schema as { prefixItems?: unknown; items?: unknown; minItems?: number };
    const item = (): Expression =>
      this.#listItem(this.#write(items ?? true, { hint: `${hint}Item`, scope, asText }), `${hint}Item`);
    if (!Array.isArray(prefixItems)) return list(item());
    const first = prefixItems.map((one, i) => {
      const name = `${hint}${i + 1}`;
      const { text } = this.#named(this.#write(one, { hint: name, scope, asText }), name);
      return i < minItems ? text : `${text}?`;
    });
    const closed = items === false || schema['maxItems'] === first.length;
    return tuple(first, closed ? undefined : item());
  }

  #object(schema: Node, place: Place): Expression {
    const { named, others, alike } = toObjectMembers(schema, meant(schema['propertyNames'], place.scope));
    if (named.length === 0 && others.length === 0)
      return atom(schema['additionalProperties'] === false ? 'NoInput' : 'JsonObject');
    const inherited = place.loose ? named.filter(isInherited) : [];
    const name = this.#interfaceName(place, inherited.length > 0);
    const slot = this.#declarations.push('') - 1;
    const written = new Map<unknown, Expression>();
    // Members of one schema have one type, however many they are.
    const typeOfOther = (one: unknown): Expression => {
      const type = written.get(one) ?? this.#write(one ?? true, { hint: `${name}Value`, scope: place.scope });
      written.set(one, type);
      return type;
    };
    const members = named
      .filter((member) => !inherited.includes(member))
      .map((member) =>
        this.#property(name, member, place, member.own ? undefined : typeOfOther(member.schema)),
      );
    // Named members may be of any type, which those without a name must then include.
    if (others.length > 0) members.push(this.#others(name, alike ? others.map(typeOfOther) : [unknownType]));
    const { description } = schema;
    const doc = typeof description === 'string' ? description : (place.doc ?? this.#partDoc());
    const parts = inherited.map((member) => this.#inheritedMember(member, place));
    if (members.length === 0) return intersection(parts);
    this.#declarations[slot] =
      `${docComment(toSentence(doc))}export interface ${name} {\n${members.join('')}}\n`;
    return intersection([atom(name), ...parts]);
  }

  #interfaceName({ doc, hint }: Place, isPart: boolean): string {
    if (isPart) return this.names.take(`${hint}Own`);
    return doc === undefined ? this.names.take(hint) : hint;
  }

  /** Without it, an object has what all have by its name: no member may be of another type, a choice may. */
  #inheritedMember(member: NamedMember, place: Place): Expression {
    const hint = place.hint + toPascalCase(member.name);
    const name = this.names.take(hint);
    this.#declarations.push(
      `${docComment(this.#partDoc())}export interface ${name} {\n${this.#property(name, member, place, undefined)}}\n`,
    );
    return this.#named(union([atom('object'), atom(name)]), `${hint}Choice`);
  }

  #property(
    owner: string,
    { name, schema, required }: NamedMember,
    { scope, loose = false, texts }: Place,
    known: Expression | undefined,
  ): string {
    const hint = owner + toPascalCase(name).replace(/^_/, '');
    const start = `  readonly ${propertyName(name)}${required ? '' : '?'}: `;
    const place = { hint, scope, asText: texts?.has(name) ?? false };
    // Bytes among the members of an input are its body.
    let type =
      isNode(schema) && mediaTypeOf(schema) ? atom('BinaryBody') : (known ?? this.#write(schema, place));
    if (loose && !required) type = union([this.#unionMember(type, hint), atom('undefined')]);
    return `${docComment(propertyDoc(schema), '  ')}${start}${this.#fitting(type, hint, start).text};\n`;
  }

  /** Members without a name of their own. */
  #others(owner: string, types: readonly Expression[]): string {
    const hint = `${owner}Value`;
    const start = '  readonly [name: string]: ';
    const type = union(types.map((one) => this.#unionMember(one, hint)));
    return `${start}${this.#fitting(type, hint, start).text};\n`;
  }

  #fitting(type: Expression, hint: string, start: string): Expression {
    return start.length + type.text.length + 1 > lineWidth ? this.#named(type, hint) : type;
  }

  #unionMember(type: Expression, hint: string): Expression {
    return type.form === 'intersection' ? this.#named(type, hint) : type;
  }

  #listItem(type: Expression, hint: string): Expression {
    return type.text.length > 40 ? this.#named(type, hint) : this.#unionMember(type, hint);
  }

  /** The type by a name, which always fits. */
  #named(type: Expression, hint: string): Expression {
    if (type.form === 'atom') return type;
    const name = this.names.take(hint);
    this.#declarations.push(docComment(this.#partDoc()) + declareType(name, type));
    return atom(name);
  }

  #partDoc(): string {
    return `Part of \`${this.#current.name}\`.`;
  }
}

/** Of a schema that does not say, the type has no `null` either. */
function saysNull({ node, scope }: Target): boolean {
  const { types, open } = valuesOf(node, scope);
  return !open && types.has('null');
}

/** A value as the type of what travels as text. */
function literalText(value: unknown): Expression {
  return value === null ? neverType : literal(value);
}

/** What the client's runtime makes of an answer that is declared as media. */
function mediaAnswer(mediaType: string): Expression {
  if (/^application\/(.*\+)?json$/.test(mediaType)) return unknownType;
  return atom(mediaType.startsWith('text/') ? 'string' : 'Uint8Array');
}

function isInherited({ name, required }: NamedMember): boolean {
  return !required && name in {};
}

function isObject(schema: Node): boolean {
  return (schema['type'] ?? impliedType(schema)) === 'object';
}

/** Schemas often leave out the type that their other keywords are about. */
function impliedType(schema: Node): string | undefined {
  if (['properties', 'additionalProperties', 'patternProperties'].some((keyword) => keyword in schema))
    return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined;
}

/** The schema that a reference means, one step on. */
function meant(schema: unknown, scope: Scope): unknown {
  if (!isNode(schema) || typeof schema['$ref'] !== 'string') return schema;
  return resolveReference(schema['$ref'], scope)?.node;
}

function propertyDoc(schema: unknown): string {
  if (!isNode(schema)) return '';
  const { description, deprecated } = schema;
  return [
    ...(typeof description === 'string' ? [description.trim()] : []),
    ...('default' in schema ? [`Default: \`${JSON.stringify(schema['default'])}\`.`] : []),
    ...(deprecated === true ? ['@deprecated'] : []),
  ].join('\n');
}
