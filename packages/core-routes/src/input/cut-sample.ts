/** Values that an explanation looks at. */
const maxValues = 5_000;

/** Characters of a name that an explanation looks at, if nobody declared it: paths are made of it, again and again. */
const maxName = 16_384;

/** The part of a value in which faults are looked for. */
export type CutSample = (value: unknown) => unknown;

/**
 * Explaining what is wrong visits every value, even after enough is found: 1 s for a list of 1 MiB, out of memory for
 * one of 32 MiB, where checking stops at the first. So only the first few thousand values are explained; members that
 * the schema names come before others, lest they seem to be missing.
 */
export function createSampler(schema: object): CutSample {
  const named = new Set<string>();
  collectNames(schema, named);
  return (value) => cut(value, named, { left: maxValues });
}

function cut(value: unknown, named: ReadonlySet<string>, budget: { left: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (budget.left-- <= 0) break;
      items.push(cut(item, named, budget));
    }
    return items;
  }
  // What is begun is finished, or its last members would seem to be missing; a value that holds itself ends here.
  if (budget.left < -maxValues) return {};
  const own = Object.keys(value);
  const kept = own.filter((name) => named.has(name));
  for (const name of own) {
    if (kept.length >= budget.left) break;
    if (!named.has(name)) kept.push(name);
  }
  budget.left -= kept.length;
  return Object.fromEntries(
    kept.map((name) => [
      named.has(name) ? name : name.slice(0, maxName),
      cut((value as Record<string, unknown>)[name], named, budget),
    ]),
  );
}

/** Every name that the schema could mean: keys anywhere, and the words of lists such as `required`. */
function collectNames(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, inner] of Object.entries(node)) {
    names.add(key);
    if (typeof inner === 'object') collectNames(inner, names);
    else if (Array.isArray(node) && typeof inner === 'string') names.add(inner);
  }
}
