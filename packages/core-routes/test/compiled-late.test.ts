import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { echo, jsonBody, serve } from './kit.ts';

afterEach(() => void vi.restoreAllMocks());

describe('the schema of a route', () => {
  it('is compiled when it was checked a thousand times, and not for the first request', async () => {
    verifies('http.validation.tiers');
    const evaluated = vi.spyOn(globalThis, 'Function');
    // The router makes functions, too.
    const compiled = (): number => evaluated.mock.calls.filter(([first]) => first === 'CheckContext').length;
    const { request } = serve([
      echo('POST', '/tickets', { input: { title: Type.String({ maxLength: 3 }) } }),
      echo('POST', '/others', { input: { title: Type.String({ maxLength: 3 }) } }),
    ]);
    const body = jsonBody({ title: 'abc' });
    const wrong = jsonBody({ title: 'abcd' });
    const refused = await request('POST', '/tickets', { body: wrong });
    for (let i = 2; i < 1_000; i++) await request('POST', '/tickets', { body });
    await request('POST', '/others', { body });
    expect(compiled()).toBe(0);
    await request('POST', '/tickets', { body });
    expect(compiled()).toBe(1);
    expect(await request('POST', '/tickets', { body: wrong })).toEqual(refused);
    expect(refused.status).toBe(422);
    expect(compiled()).toBe(1);
  });
});
