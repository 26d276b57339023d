import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApplication } from '@waymark/server/testing';
import { application } from './application.ts';

await test('shows the yard to whoever may look', async (t) => {
  const app = await testApplication(application, { model: ['Nothing.'] });
  t.after(app.close);
  const picture = await app.as('operator').request('/devices/yard/latest');
  assert.equal(picture.headers.get('content-type'), 'image/png');
  assert.equal((await app.request('/devices/yard/latest')).status, 401);
});

await test('concludes what is in the yard', { timeout: 30_000 }, async (t) => {
  const app = await testApplication(application, { model: ['There is a ball.'] });
  t.after(app.close);
  const concluded: string[] = [];
  // The watcher looks as soon as it is started; what it concludes comes a moment later.
  while (concluded.length === 0 && !t.signal.aborted) {
    const { insights } = await app.as('operator').call('yard_insights');
    for (const { output } of insights) concluded.push(output);
  }
  assert.deepEqual(concluded, ['There is a ball.']);
});
