// A server beside single packages and its author's own TypeBox and express: whatever is imported from wherever, it is one.
import assert from 'node:assert/strict';
import {
  callTool,
  createRouteTable,
  defineRoute,
  DeclarationError as ItsDeclarationError,
  HTTPError as ItsError,
  Type as ItsType,
} from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { createDispatcher } from '@waymark/core-routes';
import { mcpRoute } from '@waymark/mcp';
import { createApplication, DeclarationError, HTTPError, Type as ServerType } from '@waymark/server';
import express from 'express';
import { Type } from 'typebox';
import { Format } from 'typebox/format';

assert.equal(HTTPError, ItsError);
assert.equal(DeclarationError, ItsDeclarationError);
assert.equal(ServerType, ItsType);

Format.Set('even', (text) => text.length % 2 === 0);
const word = Type.String({ format: 'even' });
const app = createApplication('together', { port: 0 });
app.use(express.json());
app.post(
  '/words',
  { input: { word, count: Type.Optional(Type.Integer({ minimum: 1 })) }, tool: true },
  ({ word, count = 1 }) => ({
    said: word.repeat(count),
  }),
);
app.get('/gone', {}, () => {
  throw new ItsError(410, 'it is gone');
});
const running = await app.listen();

async function post(body: object): Promise<[number, unknown]> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${running.url}/words`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}
assert.deepEqual(await post({ word: 'even', count: 2 }), [200, { said: 'eveneven' }]);
assert.equal((await post({ word: 'odd' }))[0], 422);
assert.equal((await post({ word: 'even', count: 0 }))[0], 422);
const gone = await fetch(`${running.url}/gone`);
assert.equal(gone.status, 410);
assert.match(await gone.text(), /it is gone/);
assert.match(await (await fetch(`${running.url}/_svc/openapi.json`)).text(), /"\/words"/);
await running.close();

// What is wrong with a declaration is told with its place in the file of its author.
const wrong = createApplication('wrong', { port: 0 });
wrong.get('no-slash', {}, () => 'never');
await assert.rejects(wrong.listen(), (error) => {
  assert.ok(error instanceof ItsDeclarationError);
  assert.match(error.message, /out\/together\.js:\d+ /);
  return true;
});

// The parts of a server beside it, on routes of the same contract.
const hello = defineRoute(
  'GET',
  '/hello',
  { input: { name: word }, tool: true },
  ({ name }) => `hello ${name}`,
);
const table = createRouteTable([hello, mcpRoute({ info: { name: 'parts', version: '1.0.0' } })]).freeze();
const call = { principal: anonymous(), via: 'mcp', requestId: '1', route: hello } as const;
const dispatcher = createDispatcher(table);
assert.equal((await callTool(dispatcher, { ...call, arguments: { name: 'even' } })).ok, true);
assert.equal((await callTool(dispatcher, { ...call, arguments: { name: 'odd' } })).ok, false);
console.log('one of each');
