import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication } from '@waymark/server';
import { type } from 'arktype';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startThinking, type ThinkingApplication } from './agents-application.ts';

const key = 'a-key-of-more-than-sixteen-bytes';
const headers = { 'x-api-key': key, 'content-type': 'application/json' };

/** Taken as text, worked with as a number: to read it a second time would fail. */
const cents = z.string().transform(Number).pipe(z.number().int());

function bank(database: string): Application {
  const app = createApplication('bank', { port: 0, database, env: { KEY: key, LOG_LEVEL: 'silent' } }).apiKey(
    'KEY',
    'me',
    { scopes: ['svc:admin'] },
  );
  return app
    .post(
      '/refund',
      { tool: true, toolName: 'refund', approval: 'required', summary: 'Pays back.', input: { cents } },
      (input) => ({ refunded: input.cents + 1 }),
    )
    .behaviour(
      'pay',
      { tools: ['refund', 'child'], input: { cents, on: z.iso.date().transform((text) => new Date(text)) } },
      async (ctx, input) => {
        const nested = await ctx.run('child', { cents: String(input.cents) });
        const paid = await ctx.call('refund', { cents: String(input.cents) });
        return { cents: input.cents + 1, year: input.on.getUTCFullYear(), nested, paid };
      },
    )
    .behaviour('child', { input: z.object({ cents }) }, (_, input) => input.cents + 1)
    .flow('again', {
      pipeline: [{ tool: 'refund', input: { cents: '$.text' } }],
      inputSchema: type({ text: 'string' }),
    });
}

/** One process of the bank. */
async function openBank(database: string) {
  const running = await bank(database).listen();
  const send = async (path: string, body?: unknown) => {
    const response = await fetch(running.url + path, {
      headers,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  };
  return { send, close: () => running.close() };
}

interface Body {
  readonly detail: string;
  readonly output: unknown;
  readonly pending_approvals: readonly { readonly approval_id: string; readonly arguments: unknown }[];
}

describe('runs whose input a library transforms', () => {
  it.each([
    ['behaviours/pay', { cents: '7', on: '2026-11-20' }],
    ['flows/again', { text: '7' }],
  ])('go on in another process with what was sent, read once: %s', async (path, input) => {
    verifies('face.library.stored');
    const folder = mkdtempSync(join(tmpdir(), 'waymark-libraries-'));
    try {
      const database = `sqlite://${join(folder, 'bank.db')}`;
      const first = await openBank(database);
      expect((await first.send(`/${path}`, { ...input, cents: 7, text: 7 })).status).toBe(422);
      const started = await first.send(`/${path}`, input);
      expect(started.status).toBe(202);
      const [approval] = started.body.pending_approvals;
      // A human sees what was sent.
      expect(approval?.arguments).toEqual({ cents: '7' });
      await first.close();
      const second = await openBank(database);
      const decided = await second.send(`/_svc/approvals/${approval?.approval_id}`, {
        approve: true,
        note: '',
      });
      expect(decided.status).toBe(200);
      const { body } = await second.send(started.headers.get('location') ?? '');
      expect(body.output ?? body).toEqual(
        path === 'flows/again' ? { refunded: 8 } : { cents: 8, year: 2026, nested: 8, paid: { refunded: 8 } },
      );
      await second.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('schemas of libraries in what is stored', () => {
  let close: () => Promise<void>;
  let send: Awaited<ReturnType<typeof openShop>>['send'];
  beforeAll(async () => {
    ({ send, close } = await openShop());
  });
  afterAll(() => close());

  it('are the fields of a resource', async () => {
    verifies('face.library.everywhere');
    expect(await send('POST', '/books', { title: 'Ink', pages: 5 })).toEqual({
      status: 201,
      body: { id: 1, title: 'ink', pages: 5, kind: 'paper', note: null },
    });
    for (const wrong of [
      { title: '', pages: 5 },
      { title: 'a', pages: 4 },
      { title: 'a' },
      { title: 'a', pages: 5, x: 1 },
    ])
      expect((await send('POST', '/books', wrong)).status).toBe(422);
    expect((await send('PATCH', '/books/1', { note: 'new' })).body).toMatchObject({
      kind: 'paper',
      note: 'new',
    });
    expect((await send('PATCH', '/books/1', { note: null })).body).toMatchObject({
      title: 'ink',
      note: null,
    });
    expect((await send('PATCH', '/books/1', { pages: 4 })).body).toMatchObject({
      detail: '/pages must be odd',
    });
    expect((await send('GET', '/books?pages=5')).body).toHaveLength(1);
    expect((await send('GET', '/books?pages=x')).status).toBe(422);
  });

  it('are the params of queries and pages', async () => {
    expect((await send('GET', '/with/Ink')).body).toEqual([{ title: 'ink' }]);
    expect((await send('GET', '/with/%20')).status).toBe(422);
    expect((await send('GET', '/shown?id=1')).body).toContain('ink');
    expect((await send('GET', '/shown?id=-1')).status).toBe(422);
  });
});

async function openShop() {
  const templates = join(import.meta.dirname, 'libraries-templates');
  const app = createApplication('shop', {
    ...{ port: 0, database: 'sqlite://:memory:', templates },
    env: { KEY: key, LOG_LEVEL: 'silent' },
  }).apiKey('KEY', 'me', { scopes: ['svc:admin'] });
  app
    .resource('books', {
      title: z
        .string()
        .min(1)
        .transform((text) => text.toLowerCase())
        .pipe(z.string()),
      pages: z.int().refine((count) => count % 2 === 1, 'must be odd'),
      kind: z.enum(['paper', 'sound']).default('paper'),
      note: type('string | undefined'),
    })
    .query('GET', '/with/{title}', 'select title from books where title = :title', {
      params: { title: z.string().trim().min(1).toLowerCase() },
    })
    .page('/shown', 'shown', {
      sql: 'select title from books where id = :id',
      params: { id: type('number.integer > 0') },
    });
  const running = await app.listen();
  return {
    close: () => running.close(),
    async send(method: string, path: string, body?: unknown) {
      const response = await fetch(running.url + path, {
        ...{ method, headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
      };
    },
  };
}

const late = async () => true;

/** Schemas that wait, as far as some answers are concerned. */
const waiting: Readonly<Record<string, object>> = {
  check: z.object({ ids: z.array(z.string().min(3).refine(late)) }),
  transform: z.object({
    id: z
      .int()
      .min(5)
      .transform(async (id) => id),
  }),
  format: z.email().transform(async (mail) => mail),
  union: z.union([z.object({ a: z.string() }), z.object({ b: z.string().refine(late) })]),
  both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.boolean().refine(late) })),
  tuple: z.tuple([z.string(), z.enum(['a']).refine(late)]),
};

describe('a question of a behaviour', () => {
  let app: ThinkingApplication;
  const said: string[] = [];
  beforeAll(async () => {
    app = await startThinking(
      (desk) => {
        desk.behaviour('judge', {}, async (ctx) => {
          const { score } = await ctx.ask('Well?', {
            schema: z.object({
              score: z
                .string()
                .transform(Number)
                .refine((n) => n > 3, 'is too low'),
            }),
          });
          return { score: score.toFixed(1) };
        });
        desk.behaviour('lost', {}, (ctx) => ctx.ask('Well?', { schema: z.date() }).catch(String));
        desk.behaviour('typo', {}, (ctx) =>
          ctx.ask('Well?', { schema: { type: 'string', maxlen: 3 } }).catch(String),
        );
        desk.behaviour('slow', {}, (ctx, input) =>
          ctx.ask('Well?', { schema: waiting[String(input['schema'])] ?? z.never() }).catch(String),
        );
      },
      { script: () => said.shift() },
    );
  });
  afterAll(() => app.close());

  it('has the answer that the library makes, and is put again where it refuses one', async () => {
    verifies('face.library.everywhere');
    said.push('[[json {"score":"2"}]]', '[[json {"score":"5"}]]');
    expect((await app.send('/behaviours/judge', {})).value).toEqual({ score: '5.0' });
    expect(said).toEqual([]);
  });

  it.each(Object.keys(waiting))('is not put to a model where its schema waits: %s', async (schema) => {
    said.push('[[say Nobody asks.]]');
    const { text } = await app.send('/behaviours/slow', { schema });
    expect(text).toContain('the schema of a question must not wait');
    expect(said.splice(0)).toHaveLength(1);
  });

  it('is refused where nothing could be held to its schema', async () => {
    expect((await app.send('/behaviours/lost', {})).text).toContain('gives no JSON Schema of its input');
    expect((await app.send('/behaviours/typo', {})).text).toContain('no keyword of JSON Schema');
  });
});
