/** Every store of the service over a libsql server: `data-remote.drill.ts` has the other ways to reach one. */
import { byTier, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRemote } from './servers/check-remote.ts';
import { findSqld } from './servers/sqld.ts';

const sqld = await findSqld();

beforeAll(() => sqld?.start());
afterAll(() => sqld?.remove());

/** For a machine that has much else to do; it takes a third of a minute. */
const timeoutMs = 240_000;

it.skipIf(!sqld)(
  'the stores of the service keep their promises on a libsql server',
  { timeout: timeoutMs },
  async () => {
    verifies('scale.machines.stores');
    const { failed, passed } = await checkRemote(
      sqld?.url ?? '',
      byTier({ quick: 110, slow: 110, drill: 300 }),
    );
    expect(failed).toEqual([]);
    // The cases of all stores, and those of the database.
    expect(passed).toBeGreaterThan(140);
  },
);
