import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('greets by name', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  assert.deepEqual(await app.json('/greetings/Ada?loud=true'), { text: 'HELLO, ADA.' });
  assert.equal((await app.request(`/greetings/${'a'.repeat(51)}`)).status, 422);
});

await test('is a tool, too', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  assert.deepEqual(await app.as('operator').call('greet', { name: 'Ada' }), { text: 'Hello, Ada.' });
});
