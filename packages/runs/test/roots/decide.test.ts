import { createRouteTable, toRoute } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import type { MovedApproval, RunStore } from '@waymark/contract/stores';
import { approvalRecord, testHost } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/roots/decide.ts';
import type { RunnerParts } from '../../src/roots/runner-parts.ts';

const approval: MovedApproval = {
  ...approvalRecord('a1', { runId: 'r', caller: 'ann' }),
  ...{ requestedOrd: 1, decidedOrd: null, movers: ['cid', 'dan'] },
};

/** Somebody with the given scopes. */
function person(name: string, ...scopes: readonly string[]): Principal {
  return { id: name, rootId: name, authenticated: true, scopes };
}

/** A question about `open_door`, whose route names who may decide; the store notes what it is told. */
function asked(approver: { readonly scope?: string; readonly fourEyes?: boolean }, outcome = 'expired') {
  const told: string[] = [];
  const engine = { kind: 'handler', answer: () => null } as const;
  const options = { tool: true, toolName: 'open_door', approval: 'required', approver } as const;
  const route = toRoute('POST', '/door', engine, options);
  const host = testHost({ table: createRouteTable([route]).freeze() });
  const store: Partial<RunStore> = {
    approval: async (id) => (id === 'a1' ? approval : undefined),
    decide: async (_, { status }) => {
      told.push(status);
      return { outcome: outcome as 'expired' };
    },
  };
  const roots = { has: () => false, draining: false, feed: { turn: () => {} } };
  // As far as a decision comes that is not taken.
  const parts = { ...host, store, roots, holder: 'p', leaseMs: 1 } as unknown as RunnerParts;
  const by = (principal: Principal, id = 'a1') =>
    decide(parts, id, { approve: true, note: '', by: principal });
  return { by, told };
}

describe('a decision', () => {
  it('is not for whoever started the run, where the route wants four eyes', async () => {
    const { by, told } = asked({ fourEyes: true });
    await expect(by(person('ann'))).rejects.toMatchObject({ status: 403 });
    expect(told).toEqual([]);
    await expect(by(person('bob'))).rejects.toMatchObject({ status: 410 });
    expect(told).toEqual(['approved']);
  });

  it.each(['cid', 'dan'])('is not for %s, who forked or retried the run, either', async (name) => {
    const { by, told } = asked({ fourEyes: true });
    await expect(by({ ...person('agent:helper'), rootId: name })).rejects.toMatchObject({
      ...{ status: 403, message: 'whoever forked or retried the run must not decide on it' },
    });
    expect(told).toEqual([]);
    await expect(asked({}).by(person(name))).rejects.toMatchObject({ status: 410 });
  });

  it('is for whoever has the scope that the route names', async () => {
    const { by, told } = asked({ scope: 'door' });
    await expect(by(person('bob', 'other'))).rejects.toMatchObject({
      ...{ status: 403, message: 'missing scope "door" to decide' },
    });
    expect(told).toEqual([]);
    await expect(by(person('bob', 'door'))).rejects.toMatchObject({ status: 410 });
  });

  it.each([
    ['expired', 410],
    ['already', 409],
    ['unknown', 404],
  ])('that the store finds %s is %i', async (outcome, status) => {
    await expect(asked({}, outcome).by(person('bob'))).rejects.toMatchObject({ status });
  });

  it('on what nobody asked is 404', async () => {
    await expect(asked({}).by(person('bob'), 'a9')).rejects.toMatchObject({ status: 404 });
  });
});
