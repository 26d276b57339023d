import {
  type Application,
  createApplication,
  createApplicationWith,
  type Reply,
  type RouteRequest,
  reply,
  Type,
} from '@waymark/server';
import { drizzle } from '@waymark/server/drizzle';
import { eq } from 'drizzle-orm';
import { integer as pgInteger, pgTable } from 'drizzle-orm/pg-core';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import express from 'express';
import { expectTypeOf } from 'vitest';
import type { DeclarationCalls } from '../src/application.ts';
import type { features, MethodName } from '../src/declaring/features.ts';
import { countdownsFeature } from './fixtures/countdowns/countdowns-feature.ts';

const app = createApplication('types');
const input = {
  id: Type.Integer(),
  style: Type.String({ default: 'short' }),
  page: Type.Optional(Type.Integer()),
};

// Schemas and path template give the arguments, through every call.
for (const declare of [app.get, app.post, app.put, app.patch, app.delete])
  declare('/maps/{id}/{name}', { input }, (values, request) => {
    expectTypeOf(values.id).toEqualTypeOf<number>();
    expectTypeOf(values.style).toEqualTypeOf<string>();
    expectTypeOf(values.page).toEqualTypeOf<number | undefined>();
    expectTypeOf(values.name).toEqualTypeOf<string>();
    expectTypeOf(request).toEqualTypeOf<RouteRequest>();
    // @ts-expect-error nobody declared it
    return values.nothing;
  });
app.route('GET', '/maps/{id}/{name}', { input }, ({ id, name }) => {
  expectTypeOf(id).toEqualTypeOf<number>();
  expectTypeOf(name).toEqualTypeOf<string>();
});

// The two-argument form: what the template names is a string.
app.get('/maps/{id}', ({ id }, request) => {
  expectTypeOf(id).toEqualTypeOf<string>();
  expectTypeOf(request).toEqualTypeOf<RouteRequest>();
});
app.get('/files/{path*}', ({ path }) => {
  expectTypeOf(path).toEqualTypeOf<string>();
});
app.get('/maps', (values) => {
  // @ts-expect-error the template names nothing
  return values.id;
});

// A declared output binds the handler.
const output = { 200: Type.Object({ id: Type.Integer() }), 404: Type.Object({ title: Type.String() }) };
app.get('/a', { output }, () => ({ id: 1 }));
app.get('/b', { output }, () => reply(404, { title: 'none' }));
// @ts-expect-error the output has no such member
app.get('/c', { output }, () => ({ name: 'x' }));
// @ts-expect-error nobody declared the status
app.get('/d', { output }, () => reply(409, { title: 'none' }));
expectTypeOf(reply(404, { title: 'none' })).toEqualTypeOf<Reply<404, { title: string }>>();

// @ts-expect-error no handler
app.get('/e');
// @ts-expect-error no handler
app.get('/f', { tool: true });
// @ts-expect-error a misspelt option
app.get('/g', { scpoes: [] }, () => 1);
// @ts-expect-error a method that no route has
app.route('FETCH', '/h', {}, () => 1);
// @ts-expect-error a misspelt option
createApplication('types', { controlPrefx: '/ops' });
// @ts-expect-error seconds are numbers
createApplication('types', { requestTimeout: '30' });

// Middleware written for express, and for node:http.
const forExpress: express.RequestHandler = (req, _res, next) => next(req.query['x']);
app.use(forExpress, express.json(), express.Router(), (req, res, next) => {
  expectTypeOf(req.url).toEqualTypeOf<string | undefined>();
  res.setHeader('x', 'y');
  next();
});
// @ts-expect-error not a function
app.use('/path');

// A method without a row, or a row without a method, does not compile.
expectTypeOf<keyof DeclarationCalls>().toEqualTypeOf<MethodName>();

// Where a method has one form, the function of its row takes whatever the method takes.
type KindOf<M extends MethodName> = Extract<
  (typeof features)[number]['kinds'][number],
  { readonly method: M }
>;
type OneForm = Exclude<
  MethodName,
  | ('get' | 'post' | 'put' | 'patch' | 'delete' | 'route' | 'pageHandler' | 'behaviour' | 'jwt' | 'resource')
  // Their options may be left out, which the method makes good before the function sees them.
  | ('cors' | 'rateLimit')
>;
type Refused = {
  readonly [M in OneForm]: Parameters<Application[M]> extends Parameters<KindOf<M>['declare']> ? never : M;
}[OneForm];
expectTypeOf<Refused>().toBeNever();

// The words of features of one's own take what `declare` takes.
const yard = createApplicationWith(countdownsFeature)('yard');
expectTypeOf(yard.countdown('launch', { seconds: 60 })).toExtend<Application>();
yard
  .countdown('launch')
  .countdown('landing')
  .get('/', () => 1);
// @ts-expect-error a misspelt option
yard.countdown('launch', { secnods: 60 });
// @ts-expect-error nobody has this word
yard.countup('launch');

// A drizzle table is a resource, and names its columns.
const lamps = sqliteTable('lamps', {
  id: integer().primaryKey(),
  name: text().notNull(),
  lit: integer({ mode: 'boolean' }),
  size: text({ enum: ['small', 'large'] }),
});
expectTypeOf(app.resource(lamps)).toEqualTypeOf<Application>();
app.resource(lamps, { name: 'lights', omit: ['lit'], fields: { name: Type.String({ minLength: 1 }) } });
// @ts-expect-error no column of the table
app.resource(lamps, { omit: ['dark'] });
// @ts-expect-error no column of the table
app.resource(lamps, { fields: { nmae: 'string' } });
// @ts-expect-error its table has a name
app.resource(lamps, { table: 'lights' });
// @ts-expect-error a table of another database
app.resource(pgTable('lamps', { id: pgInteger().primaryKey() }));

// In handlers rows have the types of the table.
const db = drizzle(app.database, { schema: { lamps } });
interface Lamp {
  id: number;
  name: string;
  lit: boolean | null;
  size: 'small' | 'large' | null;
}
const inHandlers = async (): Promise<void> => {
  expectTypeOf(await db.select().from(lamps).where(eq(lamps.lit, true))).toEqualTypeOf<Lamp[]>();
  expectTypeOf(await db.query.lamps.findFirst()).toEqualTypeOf<Lamp | undefined>();
  expectTypeOf((await db.delete(lamps)).rowsAffected).toEqualTypeOf<number>();
  const [made] = await db.transaction((tx) => tx.insert(lamps).values({ name: 'a' }).returning());
  expectTypeOf(made).toEqualTypeOf<Lamp | undefined>();
  const [all] = await db.batch([db.select({ name: lamps.name }).from(lamps)]);
  expectTypeOf(all).toEqualTypeOf<{ name: string }[]>();
  // @ts-expect-error a name is needed
  await db.insert(lamps).values({ lit: true });
};
void inHandlers;
// @ts-expect-error there is no schema
void drizzle(app.database).query.lamps;
