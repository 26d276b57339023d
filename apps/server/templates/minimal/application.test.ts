import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { application } from './application.ts';

// The requests of tests are no news; LOG_LEVEL=info shows them.
process.env['LOG_LEVEL'] ??= 'silent';

/** Serves on a free port until the test is over. */
async function serve(context: TestContext): Promise<string> {
  const { url, close } = await application.listen({ port: 0 });
  context.after(close);
  return url;
}

await test('greets by name', async (context) => {
  const url = await serve(context);
  const response = await fetch(`${url}/greetings/Ada?loud=true`);
  assert.deepEqual(await response.json(), { text: 'HELLO, ADA.' });
});

await test('is a tool, too', async (context) => {
  const url = await serve(context);
  const response = await fetch(`${url}/_svc/tools`);
  const { tools } = (await response.json()) as { tools: { name: string }[] };
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['greet'],
  );
});
