import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, Values } from '../../src/index.ts';
import { fitBody } from '../../src/stores/index.ts';
import { verifies } from '../../src/testing/index.ts';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
/** A body of exactly so many bytes. */
const sized = (bytes: number): Values => ({
  type: 'insight',
  output: 'x'.repeat(bytes - bytesOf({ type: 'insight', output: '' })),
});

describe('fitBody', () => {
  it.each([19_999, 20_000])('leaves a body of %i bytes as it is', (bytes) => {
    const body = sized(bytes);
    expect(bytesOf(body)).toBe(bytes);
    expect(fitBody(body)).toBe(body);
  });

  it('cuts one of 20,001 bytes, and says so', () => {
    verifies('webhook.size');
    const fitted = fitBody(sized(20_001));
    expect(bytesOf(fitted)).toBeLessThanOrEqual(20_000);
    expect(bytesOf(fitted)).toBeGreaterThan(19_990);
    expect(fitted).toMatchObject({ type: 'insight', truncated: true });
    expect(fitted['output']).toMatch(/^x+…$/);
  });

  it('cuts the longest texts alone, however deep they stand', () => {
    const fitted = fitBody(
      { id: 'a', data: { short: 'kept', long: ['y'.repeat(900), 'z'.repeat(800)] } },
      500,
    );
    expect(fitted).toMatchObject({ id: 'a', data: { short: 'kept' } });
    const { long } = fitted['data'] as { readonly long: readonly string[] };
    expect(long.map((text) => text.length)).toEqual([long[0]?.length, long[0]?.length]);
    expect(bytesOf(fitted)).toBeGreaterThan(490);
  });

  it('cuts between characters', () => {
    for (const bytes of [60, 61, 62, 63, 64])
      expect(fitBody({ output: '🦊'.repeat(99) }, bytes)['output']).toMatch(/^(🦊)*…$/u);
  });

  it('makes a text of what is too large without its texts', () => {
    const list = Array.from({ length: 9_000 }, (_, i) => i);
    const fitted = fitBody({
      type: 'approval_requested',
      data: { tool: 'sum', arguments: { list, unit: 'm' } },
    });
    expect(fitted).toMatchObject({ data: { tool: 'sum', arguments: { unit: 'm' } }, truncated: true });
    const { list: folded } = (fitted['data'] as { arguments: { list: string } }).arguments;
    expect(folded).toMatch(/^\[0,1,2,.*…$/);
    expect(bytesOf(fitted)).toBeLessThanOrEqual(20_000);
  });

  it('refuses a body that is too large without anything to cut', () => {
    const numbers = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`n${i}`, i]));
    expect(() => fitBody(numbers, 100)).toThrow('larger than 100 bytes');
  });

  it('gives what fits, for any arguments', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 200, max: 400 }), (given, maxBytes) => {
        const fitted = fitBody({ type: 'approval_requested', data: { arguments: given as Json } }, maxBytes);
        expect(bytesOf(fitted)).toBeLessThanOrEqual(maxBytes);
        expect(fitted['type']).toBe('approval_requested');
      }),
    );
  });

  it('cuts a megabyte of texts in one go', () => {
    const texts = Array.from({ length: 5_000 }, (_, i) => `${i}`.padEnd(200, 'x'));
    const before = process.threadCpuUsage();
    expect(bytesOf(fitBody({ data: { texts } }))).toBeLessThanOrEqual(20_000);
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(3_000);
  });
});
