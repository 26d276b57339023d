import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Program, startProgram } from './program.ts';

/** The reference application in a folder of its own, until the test is over. */
function start(env: Readonly<Record<string, string>> = {}): Program {
  const folder = mkdtempSync(join(tmpdir(), 'simulated-'));
  const program = startProgram('apps/server/example/main.ts', { cwd: folder, env: { PORT: '0', ...env } });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });
  return program;
}

async function read(program: Program, path: string): Promise<unknown> {
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  const [, key = ''] = await program.saying(/OPERATOR_KEY=(wm_\S+)/);
  return (await fetch(url + path, { headers: { 'x-api-key': key } })).json();
}

interface Models {
  readonly providers: readonly { readonly name: string; readonly host: string }[];
}

describe('the reference application', () => {
  it('simulates models where no key of a provider is set, and says so on its first screen and in its listings', async () => {
    verifies('simulator.reference');
    const program = start();
    await program.saying(/^ +models +simulated, since neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set$/m);
    const listing = (await read(program, '/_svc/models')) as Models;
    expect(listing).toMatchObject({
      aliases: { default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' },
      resolved: { default: ['simulator/claude-opus-5'], fast: ['simulator/claude-haiku-4-5'] },
      anthropic: false,
      openai: false,
      providers: expect.arrayContaining([
        expect.objectContaining({ name: 'simulator', live: true }) as unknown,
      ]) as unknown,
      priced_models: ['simulator/claude-opus-5', 'simulator/claude-haiku-4-5'],
    });
    const { notes } = (await read(program, '/_svc/security')) as { readonly notes: readonly object[] };
    expect(notes).toContainEqual({
      text: 'models are simulated, since neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set',
      fix: 'set one of them to ask a real model',
    });
    // It is there, and answers as the provider would.
    const { host } = listing.providers.find(({ name }) => name === 'simulator') ?? {};
    const answer = await fetch(`http://${host}/v1/messages`, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: 'claude-opus-5',
        max_tokens: 100,
        messages: [{ role: 'user', content: '[[say Hello.]]' }],
      }),
    });
    expect(await answer.json()).toMatchObject({ content: [{ text: 'Hello.' }] });
  });

  it.each([
    ['ANTHROPIC_API_KEY', 'anthropic/claude-opus-5'],
    ['OPENAI_API_KEY', 'openai/gpt-5'],
  ])('asks real models where %s is set, and simulates none', async (variable, model) => {
    verifies('simulator.reference');
    const program = start({ [variable]: 'a-key' });
    await program.saying(/READER_KEY=/);
    expect(program.stdout()).not.toContain('simulated');
    const listing = (await read(program, '/_svc/models')) as { readonly prefixes: readonly string[] };
    expect(listing).toMatchObject({ resolved: { default: [model] } });
    expect(listing.prefixes).not.toContain('simulator');
  });

  it('takes the simulator with it when it cannot start', async () => {
    const program = start({ OPERATOR_KEY: 'short', DEVICE_KEY: 'short', READER_KEY: 'short' });
    expect(await program.ended()).toBe(78);
  });
});
