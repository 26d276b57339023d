/** A run of a random tree: what it may do, how it calls, and what. */
export type TreeNode = {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly calls: readonly TreeCall[];
} & (
  | {
      readonly kind: 'agent';
      /** Calls of each turn of its model; the rest is the last turn's. */
      readonly perTurn: number;
      /** Who goes on with its run after its last turn. */
      readonly heir: TreeNode | undefined;
    }
  | { readonly kind: 'behaviour'; readonly how: 'series' | 'gather' | 'all' | 'race' }
  | { readonly kind: 'flow'; readonly how: 'pipeline' | 'parallel' | 'route' }
);

/** A child run, or a tool: `wire` and `create_transfers` are gated, and everything else is a try to do without the human. */
export type TreeCall =
  | { readonly run: TreeNode }
  | { readonly tool: GatedTool | 'look' | Alias; readonly leaf: string };

/** One has a name of its own, the other that of its route. */
export const gatedTools = ['wire', 'create_transfers'] as const;
type GatedTool = (typeof gatedTools)[number];

/** What the gated tool is not called, though somebody may hope so. */
export const aliases = ['create_wire', 'Wire', 'wire ', 'transfer_to_wire', '/wire', 'POST /wire'] as const;
type Alias = (typeof aliases)[number];

/** What everybody of a tree may share. */
export const allScopes = ['read', 'write'] as const;

const deepest = 7;

/** Runs of one tree, about: a human is asked about each gated call of it, one after the other. */
const mostRuns = 10;

/** Makes a tree of runs, at most 8 of them in each other. @param narrow whether some may do less than others */
export function randomTree(random: () => number, name: string, narrow: boolean): TreeNode {
  const below = (n: number): number => Math.floor(random() * n);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  let count = 0;
  let runs = 0;
  // Some go down straight, others are wide.
  const nesting = pick([0.3, 0.6, 0.95]);
  const call = (depth: number, code: boolean): TreeCall => {
    if (depth < deepest && runs < mostRuns && random() < nesting) return { run: node(depth + 1) };
    const leaf = `${name}_l${count++}`;
    if (random() < 0.6) return { tool: pick(gatedTools), leaf };
    // Flows name tools that are there, or the application does not start.
    return { tool: code && random() < 0.3 ? pick(aliases) : 'look', leaf };
  };
  const node = (depth: number, kind = pick(['agent', 'behaviour', 'flow'] as const)): TreeNode => {
    runs++;
    const width = 1 + below(3);
    const calls = Array.from({ length: width }, () => call(depth, kind !== 'flow'));
    const needed = calls.flatMap((one) => ('tool' in one ? [one.tool === 'look' ? 'read' : 'write'] : []));
    const scopes = allScopes.filter((one) => !narrow || needed.includes(one) || random() < 0.6);
    const base = { name: `${name}_n${count++}`, scopes, calls };
    if (kind === 'behaviour') return { ...base, kind, how: pick(['series', 'gather', 'all', 'race']) };
    if (kind === 'flow') return { ...base, kind, how: pick(['pipeline', 'parallel', 'route']) };
    const heir = runs < mostRuns && random() < 0.3 ? node(depth, 'agent') : undefined;
    return { ...base, kind, perTurn: 1 + below(width), heir };
  };
  return node(0);
}

/** A use of a tool somewhere in a tree. */
export interface Leaf {
  readonly leaf: string;
  readonly tool: string;
  /** What everybody on the way to it may do. */
  readonly scopes: readonly string[];
  /** Whether it must happen when everybody says yes. */
  readonly certain: boolean;
}

/** Everything a tree uses, with the authority that is left there. */
export function leavesOf(
  node: TreeNode,
  held: readonly string[] = allScopes,
  certain = true,
): readonly Leaf[] {
  const scopes = held.filter((scope) => node.scopes.includes(scope));
  const sure = certain && !(node.kind === 'behaviour' && node.how === 'race');
  const calls = node.kind === 'flow' && node.how === 'route' ? node.calls.slice(0, 1) : node.calls;
  const own = calls.flatMap((call): readonly Leaf[] =>
    'run' in call ? leavesOf(call.run, scopes, sure) : [{ ...call, scopes, certain: sure }],
  );
  const heir = node.kind === 'agent' && node.heir ? leavesOf(node.heir, scopes, sure) : [];
  return [...own, ...heir];
}

/** All runs of a tree, and those they are handed over to. */
export function nodesOf(node: TreeNode): readonly TreeNode[] {
  const heir = node.kind === 'agent' && node.heir ? nodesOf(node.heir) : [];
  return [node, ...node.calls.flatMap((call) => ('run' in call ? nodesOf(call.run) : [])), ...heir];
}
