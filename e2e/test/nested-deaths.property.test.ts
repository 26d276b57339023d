import { byTier, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { Loaded } from './kills/kill-series.ts';
import { declared, type NestedShape, scripted } from './nested/declare.ts';
import { endure, type Policy } from './nested/endure.ts';
import { nestedShapes } from './nested/shapes.ts';
import { once } from './runs/once.ts';
import { randoms } from './runs/sample.ts';

/** One point in forty-eight in CI, others for each shape; `nested.drill.ts` takes them all. */
const stride = byTier({ quick: 48, slow: 48, drill: 16 });

/** Where it matters who is asked first. */
const inAnyOrder: readonly Policy[] = ['approve-last', 'deny-last', 'by turns', 'yes-last, then no'];
const several = /two gates$|gates and a failure|plain, gated, plain, gated|race/;

describe.each(nestedShapes.map((shape, i) => ({ shape, name: shape.name, first: 1 + (i % stride) })))(
  'a process that dies during: $name',
  ({ shape, name, first }) => {
    const undisturbed = once((policy: Policy) => endure({ shape, policy }));

    it('no death: it comes to its end, whatever humans say', async () => {
      verifies('run.survives', 'ledger.row');
      const orders = several.test(name) ? inAnyOrder : [];
      for (const policy of ['approve', 'deny', 'expire', ...orders] as const) {
        const { status, engines } = await undisturbed(policy);
        expect(['completed', 'failed']).toContain(status);
        if (policy !== 'expire') expect(engines).toBe(1);
      }
    });

    it('one death, while humans say yes', async () => {
      verifies('run.survives', 'audit.not-batched', 'ledger.row');
      const { points } = await undisturbed('approve');
      expect(points).toBeGreaterThan(20);
      for (let at = first; at <= points; at += stride) {
        const { engines } = await endure({ shape, policy: 'approve', deaths: [at] });
        expect(engines).toBe(2);
      }
    });

    it('one death, while humans say no, or nothing', async () => {
      for (const policy of ['deny', 'expire'] as const) {
        const { points } = await undisturbed(policy);
        for (let at = first; at <= points; at += 3 * stride) await endure({ shape, policy, deaths: [at] });
      }
    });

    it('two deaths, and a store that is out of reach for a moment', async () => {
      const random = randoms(first);
      const { points, uses } = await undisturbed('by turns');
      const deaths = [1 + Math.floor(random() * points), 1 + Math.floor(random() * points)];
      await endure({ shape, policy: 'by turns', deaths });
      await endure({ shape, policy: 'approve', trouble: 1 + Math.floor(random() * uses) });
    });
  },
);

describe('what a shape comes to', () => {
  /** The calls of its root, and how they came out. */
  const calls = async (name: string, policy: Policy): Promise<readonly string[]> => {
    const shape = nestedShapes.find((one) => one.name === name)!;
    const { loaded } = await endure({ shape, policy });
    return loaded.ops
      .filter(({ kind, runId }) => kind === 'call' && runId === loaded.runs[0]?.runId)
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ name: tool, value }) => {
        const { ok, code = 'failed' } = value as { readonly ok: boolean; readonly code?: string };
        return `${tool} ${ok ? 'done' : code}`;
      });
  };
  const effects = async (name: string, policy: Policy): Promise<readonly string[]> => {
    const shape = nestedShapes.find((one) => one.name === name)!;
    const { world } = await endure({ shape, policy });
    const tools = [...world.effects].flatMap(([what, count]) =>
      Array.from({ length: count }, () => what.split(' ', 1)[0] ?? ''),
    );
    return tools.filter((tool) => ['once', 'refund', 'sign'].includes(tool)).toSorted();
  };

  it('is each gated effect once when humans say yes, and none when they do not, at any depth', async () => {
    verifies('gate.runs', 'gate.no-way-around');
    expect(await effects('depth 7', 'approve')).toEqual(['refund']);
    expect(await effects('depth 7', 'deny')).toEqual([]);
    expect(await effects('depth 7', 'expire')).toEqual([]);
  });

  it('is a turn up to its first no, whatever humans said of the calls after it', async () => {
    const turn = 'a turn of plain, gated, plain, gated';
    const all = ['once done', 'refund done', 'row done', 'sign done', 'look done'];
    expect(await calls(turn, 'approve')).toEqual(all);
    expect(await calls(turn, 'approve-last')).toEqual(all);
    const none = ['once done', 'refund declined', 'row not_executed', 'sign not_executed', 'look done'];
    expect(await calls(turn, 'deny')).toEqual(none);
    expect(await calls(turn, 'yes-last, then no')).toEqual(none);
    expect(await calls(turn, 'by turns')).toEqual([...all.slice(0, 3), 'sign declined', 'look done']);
    const late = ['once done', 'refund expired', 'row not_executed', 'sign expired', 'look done'];
    expect(await calls(turn, 'expire')).toEqual(late);
  });

  it('is no question that nobody needs an answer to, while the run waits for another one', async () => {
    const shape: NestedShape = {
      ...{ name: 'two turns with gates', start: 'again', input: { input: 'Go on.' } },
      routes: (stage) => declared(stage, [scripted('again', [[['refund'], ['sign']], [['refund']]])]),
    };
    const asked: string[][] = [];
    const onWait = (_: unknown, { approvals }: Loaded): void => {
      const pending = approvals.filter(({ status }) => status === 'pending');
      asked.push(pending.map(({ tool }) => tool));
    };
    await endure({ shape, policy: 'deny', onWait });
    expect(asked).toEqual([['refund', 'sign'], ['refund']]);
  });

  it('is nothing gated where another branch of a flow failed', async () => {
    expect(await effects('a parallel flow with two gates and a failing branch', 'approve')).toEqual([]);
    expect(await effects('a parallel flow with two gates', 'approve')).toEqual(['once', 'refund', 'sign']);
  });
});
