import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createApplication } from '../src/index.ts';
import { type Machine, processesOf } from '../src/options/processes-of.ts';

const mebibyte = 1024 * 1024;
const large: Machine = { cpus: 8, memoryBytes: 64 * 1024 * mebibyte, platform: 'linux', temporary: true };
const nothing = {
  settings: { workers: undefined, database: undefined },
  declared: { agents: [], credentials: [], flows: [], watchers: [], outbox: [], routes: [] },
};

function shop(options: { readonly database?: string; readonly workers?: number } = {}) {
  return createApplication('shop', { ...options, env: { HOOK_SECRET: 'whsec_c2VjcmV0LW9mLXNoaXBwaW5n' } });
}

describe('processesOf', () => {
  it('is one for each CPU, as far as 256 MiB are there for each', () => {
    verifies('app.option.workers.default', 'scale.workers.start');
    const on = (machine: Partial<Machine>) => processesOf(nothing, { ...large, ...machine });
    expect(on({})).toEqual({ processes: 8 });
    expect(on({ memoryBytes: 2_048 * mebibyte })).toEqual({ processes: 8 });
    expect(on({ memoryBytes: 2_047 * mebibyte })).toEqual({
      processes: 7,
      because: '2047 MB of memory are for no more',
    });
    expect(on({ memoryBytes: 128 * mebibyte })).toMatchObject({ processes: 1 });
    expect(on({ cpus: 1 })).toEqual({ processes: 1, because: 'there is 1 CPU' });
  });

  it('is what was asked for, whatever the machine is', () => {
    const asked = { ...nothing, settings: { workers: 3, database: undefined } };
    expect(processesOf(asked, { ...large, cpus: 1, memoryBytes: 1, platform: 'win32' })).toEqual({
      processes: 3,
    });
  });

  it('is one where processes cannot meet', () => {
    expect(processesOf(nothing, { ...large, platform: 'win32' })).toMatchObject({ processes: 1 });
    expect(processesOf(nothing, { ...large, temporary: false })).toEqual({
      processes: 1,
      because: 'processes meet in a folder of temporary files, and none can be made',
    });
  });

  it('is one where what is declared keeps its state in the process', () => {
    verifies('scale.why-one');
    const because = (application: ReturnType<typeof shop>) => application.plan().because;
    expect(because(shop({ database: ':memory:' }))).toBe('the database is in memory');
    const issued = 'sessions of browsers that signed in with a token of an issuer are kept by a process';
    expect(because(shop().jwt({ issuer: 'https://login.example.org', audience: 'shop' }))).toBe(issued);
    expect(because(shop().jwt('ISSUER_PEM', { algorithm: 'RS256' }))).toBe(issued);
    const clerk = { description: 'Helps.', model: 'fast' };
    expect(because(shop().agent('clerk', clerk))).toBe('no database keeps its runs');
    expect(because(shop().behaviour('tidy', {}, () => 1))).toBe('no database keeps its runs');
    expect(because(shop().notify('https://example.org', { events: [], secretEnv: 'HOOK_SECRET' }))).toBe(
      'no database keeps its deliveries',
    );
    expect(because(shop().post('/orders', () => 1))).toBe('no database keeps what POST /orders changes');
  });

  it('is one for each CPU where that is kept elsewhere, or not at all', () => {
    const whole = processesOf(nothing);
    const clerk = { description: 'Helps.', model: 'fast' };
    for (const application of [
      shop().get('/orders', () => []),
      shop().post('/orders', { placement: 'owner' }, () => 1),
      shop().post('/sums', { readOnly: true }, () => 1),
      shop().camera('door'),
      shop().jwt('JWT_SECRET'),
      shop({ database: 'sqlite://shop.db' })
        .post('/orders', () => 1)
        .agent('clerk', clerk),
    ])
      expect(application.plan()).toMatchObject(whole);
    expect(
      shop({ workers: 2 })
        .post('/orders', () => 1)
        .plan(),
    ).toMatchObject({ processes: 2 });
  });
});
