import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { describe, expect, it, vi } from 'vitest';
import * as models from '../src/index.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });

  it('names every function that there is', () => {
    const functions = Object.entries(models).filter(([, value]) => typeof value === 'function');
    for (const [name] of functions) expect(read('../README.md')).toContain(`\`${name}`);
  });
});

describe('the program of the README', () => {
  it('asks the declared provider, with its key, and knows what that cost', async () => {
    verifies('declare.provider');
    const simulator = await startSimulator({ apiKeys: ['the-key'] });
    vi.stubEnv('ROUTER_URL', `${simulator.url}/v1`);
    vi.stubEnv('ROUTER_KEY', 'the-key');
    const { reply } = await import('./example.ts');
    vi.unstubAllEnvs();
    await simulator.close();
    expect(reply).toMatchObject({ stop: 'end', value: { mood: 'good' } });
    const [{ inputTokens, outputTokens, costMicros } = { inputTokens: 0, outputTokens: 0, costMicros: 0 }] =
      reply.spend;
    expect(costMicros).toBe(Math.round(inputTokens * 0.5 + outputTokens * 2));
  });
});
