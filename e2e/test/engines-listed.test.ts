import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { application, secrets, serve } from './served.ts';

it('the listing of routes has a word for every engine', async () => {
  verifies('listing.routes.all-engines');
  const folder = mkdtempSync(join(tmpdir(), 'engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'public'));
  writeFileSync(join(folder, 'board.hbs'), '<p>board</p>');
  const app = application({ database: ':memory:', templates: folder })
    .apiKey('SHOP_KEY', 'admin', { scopes: ['svc:admin'] })
    .query('GET', '/one', 'select 1 as one')
    .resource('notes', { text: 'string' }, { readScopes: ['svc:admin'], writeScopes: ['svc:admin'] })
    .page('/board', 'board', { data: 1 })
    .staticFiles('/assets', join(folder, 'public'))
    .upstream('desk', 'http://127.0.0.1:9')
    .proxy('GET', '/desk', 'desk')
    .agent('helper', { public: true })
    .behaviour('tidy', { public: true }, () => null)
    .flow('chain', { pipeline: [{ tool: 'tidy', input: {} }], public: true })
    .camera('door');
  app.memory('diary', { readScopes: ['svc:admin'], writeScopes: ['svc:admin'] });
  const { url } = await serve(app);
  const answer = await fetch(`${url}/_svc/routes`, { headers: { 'x-api-key': secrets.SHOP_KEY } });
  const { routes } = (await answer.json()) as { routes: readonly { path: string; engine: string }[] };
  const engineOf = (path: string): string | undefined => routes.find((one) => one.path === path)?.engine;
  expect({
    query: engineOf('/one'),
    resource: engineOf('/notes'),
    memory: routes.find(({ path }) => path.startsWith('/diary'))?.engine,
    page: engineOf('/board'),
    files: routes.find(({ path }) => path.startsWith('/assets'))?.engine,
    proxy: engineOf('/desk'),
    agent: engineOf('/agents/helper'),
    behaviour: engineOf('/behaviours/tidy'),
    flow: engineOf('/flows/chain'),
    device: engineOf('/devices/door/latest'),
  }).toEqual(
    Object.fromEntries(
      ['query', 'resource', 'memory', 'page', 'files', 'proxy', 'agent', 'behaviour', 'flow', 'device'].map(
        (word) => [word, word],
      ),
    ),
  );
});
