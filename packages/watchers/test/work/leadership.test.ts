import { memoryStores } from '@waymark/contract/memory';
import { type FixedClock, fixedClock, type TestHost, testHost } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Leadership } from '../../src/work/leadership.ts';

/** Processes on one database, by one clock; what each was told, in order. */
function processes(clock: FixedClock = fixedClock()) {
  const stores = memoryStores();
  const told: string[] = [];
  let ids = 0;
  const add = (name: string, members: Partial<TestHost> = {}) => {
    const host = testHost({
      stores,
      now: clock.now,
      monotonic: clock.monotonic,
      after: clock.after,
      newId: () => `id${++ids}`,
      ...members,
    });
    const leadership = new Leadership(host, {
      gained: () => void told.push(`${name} gained`),
      lost: () => void told.push(`${name} lost`),
    });
    return { leadership, host };
  };
  return { clock, stores, told, add };
}

describe('Leadership', () => {
  it('is of the first who asks, and of the next as soon as that one stops', async () => {
    const { clock, told, add } = processes();
    const [one, other] = [add('one').leadership, add('other').leadership];
    await one.start();
    await other.start();
    expect([one.held, other.held, told]).toEqual([true, false, ['one gained']]);
    await clock.advance(60_000);
    expect(told).toEqual(['one gained']);
    await one.stop();
    await clock.advance(1_000);
    expect([one.held, other.held, told]).toEqual([false, true, ['one gained', 'other gained']]);
  });

  it('passes within seconds when a process is killed', async () => {
    const { clock, told, add } = processes();
    const dead = fixedClock(clock.now());
    const one = add('one', { now: dead.now, monotonic: dead.monotonic, after: dead.after }).leadership;
    const other = add('other').leadership;
    await one.start();
    await other.start();
    await clock.advance(2_000);
    expect(other.held).toBe(false);
    await clock.advance(2_000);
    expect([other.held, told]).toEqual([true, ['one gained', 'other gained']]);
  });

  it('is known to be over by whoever stood still, before anybody says so', async () => {
    const { clock, told, add } = processes();
    const still = fixedClock(clock.now());
    const one = add('one', { now: clock.now, monotonic: clock.monotonic, after: still.after }).leadership;
    await one.start();
    await clock.advance(2_999);
    expect(one.held).toBe(true);
    await clock.advance(1);
    expect(one.held).toBe(false);
    const other = add('other').leadership;
    await other.start();
    expect(other.held).toBe(true);
    expect(await one.confirm()).toBe(false);
    expect(told).toEqual(['one gained', 'other gained', 'one lost']);
  });

  it('does not hang on the clock on the wall, which may be set', async () => {
    const { clock, told, add } = processes();
    const { leadership } = add('one');
    await leadership.start();
    clock.step(-5 * 3_600_000);
    await clock.advance(10_000);
    expect([leadership.held, await leadership.confirm()]).toEqual([true, true]);
    clock.step(9 * 3_600_000);
    await clock.advance(10_000);
    expect([leadership.held, told]).toEqual([true, ['one gained']]);
  });

  it('runs out while the stores cannot be asked, and comes back with them', async () => {
    const { clock, stores, told, add } = processes();
    let broken = false;
    const leases = {
      ...stores.leases,
      acquire: (...given: Parameters<typeof stores.leases.acquire>) =>
        broken ? Promise.reject(new Error('locked')) : stores.leases.acquire(...given),
    };
    const { leadership, host } = add('one', { stores: { ...stores, leases } });
    await leadership.start();
    broken = true;
    await clock.advance(2_500);
    expect(leadership.held).toBe(true);
    await clock.advance(1_000);
    expect([leadership.held, told]).toEqual([false, ['one gained', 'one lost']]);
    expect(host.logs.length).toBeGreaterThan(0);
    broken = false;
    await clock.advance(1_000);
    expect([leadership.held, told]).toEqual([true, ['one gained', 'one lost', 'one gained']]);
  });

  it('is asked for again when whoever has it could not begin', async () => {
    const { clock, stores } = processes();
    const host = testHost({ stores, now: clock.now, monotonic: clock.monotonic, after: clock.after });
    let tries = 0;
    const leadership = new Leadership(host, {
      gained: () => {
        if (++tries === 1) throw new Error('the database is busy');
      },
      lost: () => {},
    });
    await leadership.start();
    expect(leadership.held).toBe(false);
    await clock.advance(1_000);
    expect([leadership.held, tries]).toEqual([true, 2]);
  });

  it('leaves nothing behind', async () => {
    const { clock, add } = processes();
    const { leadership } = add('one');
    await leadership.start();
    await leadership.stop();
    expect([clock.pending, leadership.held, await leadership.confirm()]).toEqual([0, false, false]);
  });
});
