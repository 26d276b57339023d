import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { programForm } from '../lib/program-form.ts';
import { repositoryRoot } from '../lib/workspace.ts';

const read = (...path: readonly string[]): string => readFileSync(join(repositoryRoot, ...path), 'utf8');
const programs = {
  express: 'tools/alone/embed-express.ts',
  'node:http': 'tools/alone/embed-node-http.ts',
  Fastify: 'tools/alone/embed-fastify.ts',
  Next: 'e2e/embed-peers/next/server.js',
};

/** Runs a program of `tools/alone` from this repository, with a visitor that uses it. */
function visited(visitor: string, visitorArgs: readonly string[], program: string) {
  const alone = join(repositoryRoot, 'tools', 'alone');
  const node = [process.execPath, ...programForm, join(alone, program)];
  return promisify(execFile)(process.execPath, [join(alone, visitor), ...visitorArgs, ...node]);
}

/** The lines of a program that are there for `embed`: its import, its call, and what is done with what it gives. */
function ceremony(program: string): readonly string[] {
  const call = /^const waymark = await embed\([\s\S]*?^}\);$/m.exec(program)?.[0].split('\n') ?? [];
  const others = program.split('\n').filter((line) => /waymark[.(]|@waymark\/embed/.test(line));
  return [...call, ...others];
}

describe('the page about embedding', () => {
  it('shows the program for express, and of the others what is different', () => {
    const page = read('docs', 'embedding.md');
    const [whole, ...parts] = [...page.matchAll(/```(?:ts|js)\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    expect(whole).toBe(read(programs.express));
    expect(parts).toHaveLength(3);
    for (const [i, file] of [programs['node:http'], programs.Fastify, programs.Next].entries())
      expect(read(file)).toContain(parts[i]);
  });

  it.each(Object.entries(programs))('has at most 15 lines of ours in the program for %s', (_, file) => {
    const lines = ceremony(read(file));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length).toBeLessThanOrEqual(15);
  });

  it.each([
    ['embed-express.ts', 'application'],
    ['embed-node-http.ts', 'server'],
    ['embed-fastify.ts', 'application'],
  ])('shows %s, which serves routes, MCP and a camera beside its pages, and stops', async (file, owner) => {
    verifies('embed.programs', 'hub.alone');
    const run = visited('embed-visitor.ts', [`a page of the ${owner}: `], file);
    await expect(run).resolves.toMatchObject({ stderr: '' });
  });
});

describe('the page about embedding the device hub', () => {
  it('shows hub-node-http.ts, which takes a frame, gives it back, refuses strangers and stops', async () => {
    verifies('hub.alone', 'hub.alone.no-database');
    const program = read('tools', 'alone', 'hub-node-http.ts');
    expect(read('docs', 'embedding-the-hub.md')).toContain(`\`\`\`ts\n${program}\`\`\`\n`);
    await expect(visited('hub-visitor.ts', [], 'hub-node-http.ts')).resolves.toMatchObject({ stderr: '' });
  });
});
