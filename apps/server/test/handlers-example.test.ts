import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { application } from './handlers-example.ts';
import { rpc } from './serve.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

it('the README shows the handlers of handlers-example.ts', () => {
  const readme = read('../README.md');
  const chapter = readme.slice(readme.indexOf('## Handlers'));
  expect(/```ts\n([\s\S]*?)```/.exec(chapter)?.[1]).toBe(read('handlers-example.ts'));
});

it('those handlers give content, tell how far they are, and know their request', async () => {
  verifies('face.signature.request');
  const running = await application.listen({ port: 0 });
  onTestFinished(() => running.close());
  const { url } = running;

  const picture = { media_type: 'image/gif', data: expect.stringMatching(/^R0lG/) };
  expect(await (await fetch(`${url}/pictures/dot`)).json()).toEqual({
    name: 'dot',
    picture: { $image: picture },
  });
  const called = await rpc(url, 'tools/call', { name: 'get_pictures_by_name', arguments: { name: 'dot' } });
  expect(called).toMatchObject({ content: [{ type: 'text' }, { type: 'image', mimeType: 'image/gif' }] });

  const post = (path: string, body: object, accept: string): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', 'accept-language': 'rm' },
      body: JSON.stringify(body),
    });
  const told = await (await post('/films', { frames: 2 }, 'text/event-stream')).text();
  expect([...told.matchAll(/^(?:event|data): (.*)$/gm)].map(([, text]) => text)).toEqual([
    'progress',
    '{"done":1,"total":2,"message":"frame 1"}',
    'progress',
    '{"done":2,"total":2,"message":"frame 2"}',
    'result',
    '{"status":200,"body":{"frames":2}}',
  ]);
  expect(await (await post('/films', { frames: 2 }, 'application/json')).json()).toEqual({ frames: 2 });

  const noted = await post('/notes?draft=1', { title: 'bread' }, 'application/json');
  expect(await noted.json()).toEqual({
    ...{ id: noted.headers.get('x-request-id'), method: 'POST', path: '/notes', query: { draft: '1' } },
    ...{ asker: 'anonymous', language: 'rm', title: 'bread', bytes: '{"title":"bread"}'.length, late: false },
  });
});
