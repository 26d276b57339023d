import assert from 'node:assert/strict';
import { type Caller, startThinking } from '../agents-application.ts';
import { allScopes, gatedTools, type Leaf, leavesOf, nodesOf, type TreeNode } from './call-tree.ts';
import { declareTools, declareTree, type Use } from './declare-tree.ts';

/** A call that waits, as the listing shows it. */
interface Waiting {
  readonly approval_id: string;
  readonly arguments: { readonly leaf: string };
}

/** How a tree came out, when all its promises hold. */
export interface TreeReport {
  /** Calls of gated tools that a human was asked about when everybody says yes. */
  readonly asked: number;
  readonly executed: number;
}

/** An application that declares trees, and what came to their tools. */
export interface GatedTrees {
  /** Runs a tree to its end four times: humans say yes, no and what they like, and its caller may only read. */
  check(tree: TreeNode): Promise<TreeReport>;
  /** Sends a message, or several in one array, to the MCP endpoint. */
  mcp(body: object): Promise<unknown>;
  /** How often a leaf was executed since the last start. */
  times(leaf: string): number;
  close(): Promise<void>;
}

/** Who starts a tree, and what they may do. */
const callers = {
  ann: { caller: 'ANN_KEY', scopes: allScopes },
  cat: { caller: 'CAT_KEY', scopes: ['read'] },
} as const;

/** Statuses of a tree that ended, waits, or failed because of a no or a scope. */
const expected = [200, 202, 403, 502];

/** Serves trees over HTTP and MCP; their agents ask a simulator. */
export async function serveTrees(trees: readonly TreeNode[], random: () => number): Promise<GatedTrees> {
  let uses: Use[] = [];
  const app = await startThinking((one) => {
    declareTools(one, (use) => uses.push(use));
    for (const tree of trees) declareTree(one, tree);
  });
  const times = (leaf: string): number => uses.filter((use) => use.leaf === leaf).length;
  const send = async (path: string, body: object, caller?: Caller): Promise<void> => {
    const { status, text } = await app.send(path, body, caller);
    assert.ok(expected.includes(status), `${path}: ${status} ${text}`);
  };
  const pending = async (): Promise<readonly Waiting[]> => {
    const { value } = await app.send('/_svc/approvals');
    return (value as unknown as { approvals: readonly Waiting[] }).approvals;
  };

  /** Starts it and decides until nobody is asked any more. @returns how often each leaf was allowed */
  const play = async (
    tree: TreeNode,
    says: () => boolean,
    who: keyof typeof callers = 'ann',
  ): Promise<ReadonlyMap<string, number>> => {
    const { kind, name } = tree;
    const { caller, scopes } = callers[who];
    const seen = { leaves: leavesOf(tree, scopes), rootId: who, allowed: new Map<string, number>() };
    const { allowed } = seen;
    uses = [];
    const input = kind === 'agent' ? { input: 'Go on.' } : {};
    await send(`/${kind}s/${name.replaceAll('_', '-')}`, input, caller);
    for (let rows = await pending(); rows.length > 0; rows = await pending()) {
      checkUses(uses, seen);
      const row = rows[Math.floor(random() * rows.length)] as Waiting;
      const { leaf } = row.arguments;
      const approve = says();
      if (approve) allowed.set(leaf, (allowed.get(leaf) ?? 0) + 1);
      await send(`/_svc/approvals/${row.approval_id}`, { approve, note: '' });
    }
    checkUses(uses, seen);
    return allowed;
  };

  return {
    ...{ times, close: () => app.close() },
    mcp: async (body) => (await app.send('/_svc/mcp', body)).value,
    async check(tree) {
      const allowed = await play(tree, () => true);
      const leaves = leavesOf(tree).filter(({ tool }) => tool !== 'look');
      // Where somebody may do less than the others, a step that is refused ends its flow.
      const whole = nodesOf(tree).every(({ scopes }) => scopes.length === allScopes.length);
      for (const one of leaves) {
        const asked = allowed.get(one.leaf) ?? 0;
        // Nobody is asked about what could not be done anyway.
        const possible = isGated(one) && one.scopes.includes('write');
        if (!possible) assert.equal(asked, 0, `somebody was asked about ${one.tool} ${one.leaf}`);
        if (!one.certain || !whole) continue;
        assert.equal(asked, possible ? 1 : 0, `${one.leaf} was asked about ${asked} times`);
        assert.equal(times(one.leaf), asked, `${one.leaf} was allowed`);
      }
      const executed = leaves.reduce((sum, { leaf }) => sum + times(leaf), 0);
      await play(tree, () => false);
      for (const { leaf } of leaves)
        assert.equal(times(leaf), 0, `${leaf} was executed, and nobody said yes`);
      await play(tree, () => random() < 0.5);
      const narrow = await play(tree, () => true, 'cat');
      assert.equal(narrow.size, 0, 'somebody was asked about what the caller may not do');
      return { asked: [...allowed.values()].reduce((sum, one) => sum + one, 0), executed };
    },
  };
}

/** Nothing gated without its yes, nothing under another name, and nobody with more authority than all above it. */
function checkUses(
  uses: readonly Use[],
  seen: {
    readonly leaves: readonly Leaf[];
    readonly rootId: string;
    readonly allowed: ReadonlyMap<string, number>;
  },
): void {
  const byLeaf = new Map(seen.leaves.map((leaf) => [leaf.leaf, leaf]));
  for (const { leaf, tool, scopes, rootId } of uses) {
    const wanted = byLeaf.get(leaf);
    // The way out of a race.
    if (!wanted) continue;
    assert.equal(tool, wanted.tool, `${leaf} came to ${tool}`);
    assert.deepEqual(scopes, wanted.scopes, `scopes at ${leaf}`);
    assert.equal(rootId, seen.rootId);
    const times = uses.filter((one) => one.leaf === leaf).length;
    const most = tool === 'look' ? 1 : (seen.allowed.get(leaf) ?? 0);
    assert.ok(times <= most, `${leaf} was executed ${times} times, allowed ${most}`);
  }
}

function isGated({ tool }: Leaf): boolean {
  return gatedTools.some((one) => one === tool);
}
