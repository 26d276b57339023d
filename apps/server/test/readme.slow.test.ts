import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run } from './running.ts';
import { ask, otherSecret, rpc, secret } from './serve.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

it('the README shows the program of example.ts', () => {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
  expect(program).toBe(read('example.ts'));
});

it('the program of the README serves what it says, and stops when told to', async () => {
  const env = { PORT: '0', OWNER_KEY: secret, READER_KEY: otherSecret };
  const program = run(['apps/server/test/example.ts'], { env });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  await program.saying(/2 API keys: owner, reader/);
  expect((await ask(url)).body).toEqual({ openapi: '/_svc/openapi.json', mcp: '/_svc/mcp' });
  expect((await ask(`${url}/maps/atlas`, { key: otherSecret })).body).toBe(30);
  expect((await ask(`${url}/maps/globe`, { key: otherSecret })).body).toMatchObject({
    detail: 'there is no map globe',
  });
  const put = { method: 'PUT', body: { price: 12.5 } };
  expect((await ask(`${url}/maps/globe`, { ...put, key: otherSecret })).status).toBe(403);
  expect((await ask(`${url}/maps/globe`, { ...put, key: secret })).status).toBe(204);
  const called = await rpc(
    url,
    'tools/call',
    { name: 'get_maps_by_name', arguments: { name: 'globe' } },
    { key: secret },
  );
  expect(called).toMatchObject({ isError: false, content: [{ text: '12.5' }] });
  program.child.kill('SIGTERM');
  expect(await program.ended()).toBe(0);
});
