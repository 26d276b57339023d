import { byTier, verifies } from '@waymark/contract/testing';
import { eq } from 'drizzle-orm';
import { blob, integer, numeric, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drizzle } from '../../src/drizzle/index.ts';
import { resource } from '../../src/index.ts';
import { serve } from '../ask.ts';
import { testDatabase } from '../open.ts';

const values = sqliteTable('some_values', {
  id: integer().primaryKey(),
  word: text('a word'),
  count: integer(),
  flag: integer({ mode: 'boolean' }),
  second: integer({ mode: 'timestamp' }),
  instant: integer({ mode: 'timestamp_ms' }),
  weight: real(),
  price: numeric(),
  share: numeric({ mode: 'number' }),
  extra: text({ mode: 'json' }),
  packed: blob({ mode: 'json' }),
});

const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const word = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0);
const time = fc.date({ min: new Date(-1e13), max: new Date(1e13), noInvalidDate: true });
const plainJson = fc
  .jsonValue()
  .filter((one) => one !== null)
  .map((one): unknown => JSON.parse(JSON.stringify(one)));
const row = fc.record({
  word: orNull(word),
  count: orNull(fc.maxSafeInteger()),
  flag: orNull(fc.boolean()),
  second: orNull(time.map((one) => new Date(Math.floor(one.getTime() / 1_000) * 1_000))),
  instant: orNull(time),
  weight: orNull(number),
  price: orNull(fc.integer().map((one) => String(one / 8))),
  share: orNull(number.filter((one) => !Number.isInteger(one) || Number.isSafeInteger(one))),
  extra: orNull(plainJson),
  packed: orNull(plainJson),
});

describe('a row of a drizzle table', () => {
  it('is the same by the resource and by drizzle, whoever wrote it', async () => {
    verifies('resource.drizzle.columns');
    const database = await testDatabase();
    const { ask } = await serve([resource(values)], database);
    const db = drizzle(database);
    const byDrizzle = async (id: number): Promise<unknown> =>
      JSON.parse(JSON.stringify(await db.select().from(values).where(eq(values.id, id)).get()));
    await fc.assert(
      fc.asyncProperty(row, async (given) => {
        const inJson = JSON.parse(JSON.stringify(given)) as object;
        const created = await ask('create_some_values', { ...inJson });
        expect(created).toMatchObject({ status: 201 });
        const { id, ...rest } = created.value as { readonly id: number };
        expect(rest).toEqual(inJson);
        expect(await byDrizzle(id)).toEqual(created.value);
        const [written] = await db.insert(values).values(given).returning({ id: values.id });
        const read = await ask('get_some_values', { id: written?.id });
        expect(read.value).toEqual({ id: written?.id, ...inJson });
      }),
      { numRuns: byTier({ quick: 60, slow: 80, drill: 300 }) },
    );
  });
});
