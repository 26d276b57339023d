import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { createApplication } from '@waymark/server';
import * as v from 'valibot';
import { z } from 'zod';

const Order = z.object({ title: z.string().min(1), count: z.int().min(1).default(1) });
const Day = z.iso.date().transform((text) => new Date(text));

const app = createApplication('orders')
  .post('/orders', { input: { order: Order }, output: Order, tool: true }, ({ order }) => {
    'Take an order.';
    return order;
  })
  // One object for the whole input: its properties are the parameters.
  .get('/orders/{id}', { input: z.object({ id: z.int(), since: Day.optional() }) }, ({ id, since }) => ({
    id,
    year: since?.getUTCFullYear() ?? null,
  }))
  .post(
    '/notes',
    { input: { text: toStandardJsonSchema(v.pipe(v.string(), v.minLength(1))) } },
    ({ text }) => text,
  );

export const running = await app.listen();
