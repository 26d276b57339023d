/** Fills the defaults of one schema into a copy of the value: arguments may belong to somebody's journal. */
export type FillDefaults = (value: unknown) => unknown;

/**
 * Compiles the defaults that stand inside a schema: of properties and of list items. What stands in a choice (`anyOf`)
 * is left alone, since which branch holds is only known after validation.
 *
 * @returns undefined when there are none
 */
export function compileDefaults(schema: object): FillDefaults | undefined {
  const { properties, items } = schema as { properties?: Readonly<Record<string, object>>; items?: unknown };
  const members = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    // A property may be `true` or `false`: JSON Schema has boolean schemas.
    if (typeof property !== 'object') return [];
    const inner = compileDefaults(property);
    return inner || 'default' in property
      ? [{ name, inner, has: 'default' in property, value: (property as { default?: unknown }).default }]
      : [];
  });
  if (members.length > 0)
    return (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      const object = { ...value } as Record<string, unknown>;
      for (const { name, inner, has, value: fallback } of members) {
        // Own members only: a parameter may be called `constructor`.
        const given = Object.hasOwn(object, name) && object[name] !== undefined;
        if (!given && has) object[name] = copy(fallback);
        if (inner && (given || has)) object[name] = inner(object[name]);
      }
      return object;
    };
  const item =
    typeof items === 'object' && items !== null && !Array.isArray(items) ? compileDefaults(items) : undefined;
  return item && ((value) => (Array.isArray(value) ? value.map(item) : value));
}

/** A default belongs to the declaration; a handler may change what it is given. */
function copy(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}
