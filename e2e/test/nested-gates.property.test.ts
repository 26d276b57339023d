import { byTier, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leavesOf, randomTree, type TreeNode } from './nested/call-tree.ts';
import { type GatedTrees, serveTrees } from './nested/gated-trees.ts';
import { randoms } from './runs/sample.ts';

/** `nested-gates.drill.ts` has hundreds. */
const count = byTier({ quick: 3, slow: 4, drill: 8 });

const scopes = ['read', 'write'];
const wires: TreeNode = {
  ...{ kind: 'agent', name: 'wires', scopes, perTurn: 1, heir: undefined },
  calls: [{ tool: 'wire', leaf: 'by_agent' }],
};

describe('random trees of agents, behaviours and flows', () => {
  const random = randoms(11 + Number(process.env['RUNS_SEED'] ?? 0));
  const trees = Array.from({ length: count }, (_, i) => randomTree(random, `t${i}`, i % 3 === 2));
  let served: GatedTrees;
  beforeAll(async () => {
    served = await serveTrees([...trees, wires], random);
  });
  afterAll(() => served.close());

  it.each(trees.map((tree, i) => ({ i, tree, what: `${tree.kind} ${i}` })))(
    'do nothing gated before a human says yes, then once, and never after a no: $what',
    async ({ i, tree }) => {
      verifies('gate.no-way-around', 'gate.runs', 'authority.run.nested', 'authority.run.root-id');
      const gated = leavesOf(tree).filter(({ tool }) => tool === 'wire' || tool === 'create_transfers');
      const { asked, executed } = await served.check(tree);
      expect(executed).toBeLessThanOrEqual(asked);
      // Where nobody may do less than the others, all that is certain happens.
      const certain = gated.filter((leaf) => leaf.certain).length;
      if (i % 3 !== 2) expect(executed).toBeGreaterThanOrEqual(certain);
    },
  );
});

/** An answer to a call of a tool. */
interface ToolAnswer {
  readonly id: number;
  readonly error?: { readonly code: number };
  readonly result?: { readonly isError: boolean; readonly content: readonly [{ readonly text: string }] };
}

describe('the gated tools of a tree over MCP', () => {
  let served: GatedTrees;
  beforeAll(async () => {
    served = await serveTrees([wires], randoms(1));
  });
  afterAll(() => served.close());

  const call = (id: number, name: string, values: object) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: values },
  });

  it('are refused alone, in a batch, under every name, and wait behind an agent', async () => {
    verifies('gate.by-door', 'gate.batch', 'gate.no-way-around', 'gate.runs', 'mcp.result.waiting');
    const names = ['wire', 'create_transfers', 'create_wire', 'Wire', 'wire ', 'transfer_to_wire', '/wire'];
    const direct = names.map((name, id) => call(id, name, { leaf: `direct_${id}` }));
    const batch = [...direct, call(99, 'wires', { input: 'Go on.' }), call(100, 'look', { leaf: 'seen' })];
    const answers = (await served.mcp(batch)) as readonly ToolAnswer[];
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    for (const [id, name] of names.entries()) {
      const { result, error } = byId.get(id) ?? {};
      const alone = (await served.mcp(direct[id] ?? {})) as ToolAnswer;
      for (const answer of [{ result, error }, alone])
        if (id < 2)
          expect(answer.result).toMatchObject({
            isError: true,
            content: [
              { text: `tool "${name}" requires human approval and cannot be invoked directly over MCP` },
            ],
          });
        else expect(answer.error?.code).toBe(-32602);
      expect(served.times(`direct_${id}`)).toBe(0);
    }
    // The door of the agent is MCP, and that of its call is the agent: a human is asked.
    const { isError, content } = byId.get(99)?.result ?? { isError: true, content: [{ text: '' }] };
    expect(isError).toBe(false);
    expect(JSON.parse(content[0].text)).toMatchObject({
      ...{ agent: 'wires', status: 'awaiting_approval' },
      pending_approvals: [{ tool: 'wire', path: ['wires'], arguments: { leaf: 'by_agent' } }],
    });
    expect(served.times('by_agent')).toBe(0);
    expect(served.times('seen')).toBe(1);
  });
});
