import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkspaces, repositoryRoot } from '../lib/workspace.ts';

/** Runs a module as whoever installed the packages would: without the condition that leads to the sources. */
function outputOf(program: string, ...options: readonly string[]): string {
  const args = [...options, '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { cwd: join(repositoryRoot, 'e2e'), encoding: 'utf8' });
}

const published = readWorkspaces(repositoryRoot).filter(({ manifest }) => !manifest.private);

describe('what is built of the packages', () => {
  it('is a tenth of the modules of the sources', () => {
    const counted = `
      import { registerHooks } from 'node:module';
      let count = 0;
      registerHooks({ load: (url, context, next) => ((count += /waymark|typebox|\\/(packages|apps)\\//.test(url) ? 1 : 0), next(url, context)) });
      await import('@waymark/server');
      console.log(count);`;
    const built = Number(outputOf(counted));
    const sources = Number(outputOf(counted, '--conditions=@waymark/source'));
    expect(built).toBeGreaterThan(15);
    expect(built * 10).toBeLessThan(sources);
  });

  it('knows a format that an application registers', () => {
    const program = `
      import { callTool, createRouteTable, defineRoute, Type } from '@waymark/contract';
      import { anonymous } from '@waymark/contract/principal';
      import { createDispatcher } from '@waymark/core-routes';
      import { Format } from 'typebox/format';
      Format.Set('even', (text) => text.length % 2 === 0);
      const input = { word: Type.String({ format: 'even' }) };
      const table = createRouteTable([defineRoute('GET', '/words', { input, tool: true }, ({ word }) => word)]).freeze();
      const dispatcher = createDispatcher(table);
      for (const word of ['even', 'odd']) {
        const call = { principal: anonymous(), via: 'mcp', requestId: '1', route: table.tool('get_words') };
        console.log(JSON.stringify(await callTool(dispatcher, { ...call, arguments: { word } })));
      }`;
    const [even, odd] = outputOf(program).trim().split('\n');
    expect(even).toContain('"even"');
    expect(odd).toContain('must match format \\"even\\"');
  });

  it('brings the licence of what was taken in, and maps that lead to sources that are published', () => {
    for (const { dir } of published) {
      const maps = globSync('dist/**/*.js.map', { cwd: join(repositoryRoot, dir) });
      for (const file of maps) {
        const path = join(repositoryRoot, dir, file);
        const { sources } = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
        const taken = sources.some((source) => source.includes('/node_modules/typebox/'));
        const own = sources.filter((source) => !source.includes('/node_modules/'));
        expect(own.filter((source) => !existsSync(join(path, '..', source)))).toEqual([]);
        if (!taken) continue;
        const licence = readFileSync(join(repositoryRoot, dir, 'dist/LICENSES.txt'), 'utf8');
        expect(licence).toContain('Haydn Paterson');
      }
    }
  });
});
