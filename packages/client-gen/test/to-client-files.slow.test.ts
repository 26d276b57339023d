import { listing } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { toClient, toClientFiles } from '../src/index.ts';
import { runnable } from './desk-table.ts';
import { deviceRoutes } from './device-table.ts';
import { expectClean } from './expect-clean.ts';
import { makeProject } from './generated.ts';
import { richTable, route } from './rich-table.ts';
import { startServer } from './server.ts';

const greet = route('GET', '/greet/{name}', {
  input: { name: { type: 'string' } },
  output: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
});
const health = route('GET', '/health', {
  plane: 'control',
  output: { type: 'object', properties: { status: { type: 'string' } } },
  facts: { client: 'health' },
});
const approvals = listing('approvals', () => [], { row: { type: 'object' } });
const decide = route('POST', '/approvals/{id}', {
  plane: 'control',
  input: { approve: { type: 'boolean' } },
  output: { type: 'object', properties: { status: { type: 'string' } } },
  facts: { client: 'approvals.decide' },
});

const linesOf = (text = ''): number => text.split('\n').length - 1;
const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

describe('toClientFiles', () => {
  it('writes what an application declares into the first file, and nothing else', () => {
    verifies('client.small');
    const files = toClientFiles([greet, health, approvals, decide], { title: 'One' });
    expect(files.map(({ name }) => name)).toEqual(['client.ts', 'client.control.ts', 'client.runtime.ts']);
    const [main] = files;
    expect(linesOf(main?.source)).toBeLessThanOrEqual(200);
    expect(main?.source).not.toMatch(/_svc|class |AbortSignal\.timeout/);
  });

  it('has no file for a control plane that is not there, and names the others after the first', () => {
    const names = (name?: string) =>
      toClientFiles([greet], { title: 'One', ...(name !== undefined && { name }) }).map((file) => file.name);
    expect(names()).toEqual(['client.ts', 'client.runtime.ts']);
    expect(names('desk')).toEqual(['desk.ts', 'desk.runtime.ts']);
    expect(names('index')).toEqual(['index.ts', 'runtime.ts']);
  });

  it('gives groups and methods of the control plane that would be called `then` another name', () => {
    const row = route('GET', '/row', { plane: 'control', facts: { client: 'then.list' } });
    const other = route('GET', '/other', { plane: 'control', facts: { client: 'rows.then' } });
    const [, control] = toClientFiles([row, other], { title: 'One' });
    expect(control?.source).toContain('readonly then2: {');
    expect(control?.source).not.toMatch(/\bthen[:(]/);
  });

  it('holds of the runtime what an application needs', () => {
    verifies('client.small');
    const runtime = (table: Parameters<typeof toClientFiles>[0]): string =>
      toClientFiles(table, { title: 'x' }).at(-1)?.source ?? '';
    expect(runtime([greet])).not.toMatch(/WebSocket|RunClient/);
    expect(runtime(deviceRoutes('door'))).toMatch(/WebSocket/);
    expect(runtime(deviceRoutes('door'))).not.toMatch(/RunClient|AgentSocket/);
    expect(runtime(runnable('flow', 'triage', '/triage', {}))).not.toMatch(/WebSocket|AgentSocket/);
    expect(runtime(runnable('agent', 'support', '/support', {}))).toMatch(/AgentSocket/);
  });

  it('imports files by the ending that is asked for', () => {
    const endings = (imports?: 'ts' | 'js') =>
      toClientFiles([greet, health], { title: 'x', ...(imports && { imports }) }).flatMap(({ source }) =>
        [...source.matchAll(/from '\.\/[^']*\.(\w+)'/g)].map(([, ending]) => ending),
      );
    expect(new Set(endings())).toEqual(new Set(['ts']));
    expect(new Set(endings('js'))).toEqual(new Set(['js']));
  });

  it('writes the same bytes for the same table', () => {
    verifies('client.deterministic');
    expect(toClientFiles(richTable(), { title: 'x' })).toEqual(toClientFiles(richTable(), { title: 'x' }));
  });

  it('imports nothing but ky, and that once', () => {
    verifies('client.one-package');
    const files = toClientFiles(richTable(), { title: 'x' });
    const imported = files.flatMap(({ source }) =>
      [...source.matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name),
    );
    expect(imported).toEqual(['ky']);
  });

  it.each([
    ['one route', [greet]],
    ['the control plane alone', [health, approvals, decide]],
    ['every form', richTable()],
    ['devices', deviceRoutes('door')],
    ['an agent', runnable('agent', 'support', '/support', {})],
    ['an agent and a device', [...runnable('agent', 'support', '/support', {}), ...deviceRoutes('door')]],
    [
      'operations and members with names of the runtime',
      [
        route('GET', '/a', {
          toolName: 'connect',
          output: {
            type: 'object',
            properties: { BinaryBody: { type: 'string' }, Frames: { const: 'Progress' } },
          },
        }),
        route('GET', '/b', {
          toolName: 'send',
          output: { type: 'object', title: 'Operation', properties: { a: {} } },
        }),
        route('GET', '/c', { toolName: 'retry', summary: 'ProblemError and RunClient.' }),
      ],
    ],
  ])('compiles and is formatted: %s', async (_, table) => {
    verifies('client.typed');
    await expectClean(toClientFiles(table, { title: 'A "title" */ of\nlines' }));
  });

  it('groups the control plane as its routes say, and calls what they are', async () => {
    verifies('client.control');
    const server = await startServer();
    ending.push(() => server.close());
    for (const source of [
      toClient([greet, health, approvals, decide], { title: 'x' }),
      toClientFiles([greet, health, approvals, decide], { title: 'x' }),
    ]) {
      const project = await makeProject(source);
      ending.push(() => project.remove());
      const { createClient } = (await project.load('client.ts')) as {
        createClient(options: object): Grouped;
      };
      const { control } = createClient({ baseUrl: server.url });
      server.answer({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
      await control.health();
      await control.approvals.list();
      await control.approvals.decide({ id: 'a', approve: true });
      expect(server.seen.slice(-3).map(({ method, url }) => `${method} ${url}`)).toEqual([
        'GET /_svc/health',
        'GET /_svc/approvals',
        'POST /_svc/approvals/a',
      ]);
      expect(Object.keys(control)).toEqual(['health', 'approvals']);
    }
  });

  it('keeps a group apart from a method that wants its name', () => {
    const clash = route('GET', '/runs', { plane: 'control', toolName: 'approvals' });
    const source = toClient([approvals, clash], { title: 'x' });
    expect(source).toMatch(/^ {2}readonly approvals: \{$/m);
    expect(source).toMatch(/^ {2}approvals_\w{6}\(/m);
  });
});

interface Grouped {
  readonly control: {
    health(): Promise<unknown>;
    readonly approvals: { list(): Promise<unknown>; decide(input: object): Promise<unknown> };
  };
}
