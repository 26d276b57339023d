/** Who imports whom: files by the file that names them. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * Groups of files that import each other, directly or through others, each as the shortest way round from its first file back
 * to it, and all its members.
 */
export interface Circle {
  readonly files: readonly string[];
  /** The first file, those on the way, and the first one again. */
  readonly way: readonly string[];
}

/** Every circle, in the order of its first file by name. */
export function findCircles(imports: Imports): Circle[] {
  return groupsIn(imports).map((files) => {
    const [first = ''] = files;
    return { files, way: wayRound(imports, first) };
  });
}

/** Strongly connected components of more than one file (Tarjan), sorted. */
function groupsIn(imports: Imports): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const low = (file: string): number => lowest.get(file) ?? 0;
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    open.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(file, Math.min(low(file), low(next)));
    }
    if (low(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || imports.get(file)?.includes(file)) groups.push(group.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return groups.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

function wayRound(imports: Imports, first: string): string[] {
  const ways: string[][] = [[first]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === first) return [...way, first];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return [first];
}
