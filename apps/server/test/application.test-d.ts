import { createApplication, type Reply, type RouteRequest, reply, Type } from '@waymark/server';
import express from 'express';
import { expectTypeOf } from 'vitest';

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
