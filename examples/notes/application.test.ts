import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('finds notes by their words, as a tool and on a page', async (t) => {
  const app = await testApplication(application);
  t.after(app.close);
  const editor = app.as('editor');
  for (const text of ['Water the plants.', 'Say "hello" to 50% of \\them', '<b>Plants</b> need light.'])
    await editor.call('create_notes', { text });
  const found = async (words: string): Promise<readonly number[]> => {
    const rows: readonly { readonly id: number }[] = await editor.call('search_notes', { words });
    return rows.map(({ id }) => id);
  };
  assert.deepEqual(await found('plants'), [3, 1]);
  assert.deepEqual(await found('the plants'), [1]);
  assert.deepEqual(await found('"hello" \\them 50%'), [2]);
  assert.deepEqual(await found('%'), [2]);
  assert.deepEqual(await found('_'), []);
  const page = await (await editor.request('/found?words=need')).text();
  assert.match(page, /<li>&lt;b&gt;Plants&lt;\/b&gt; need light\.<\/li>/);
  assert.equal((await app.request('/found?words=need')).status, 401);
});
