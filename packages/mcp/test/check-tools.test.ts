import { createRouteTable, type Route, Type } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { checkTools, toolRules } from '../src/index.ts';
import { tool } from './support.ts';

const check = (...routes: readonly Route[]) => checkTools(createRouteTable(routes));
/** A tool whose descriptor has so many characters. */
const ofLength = (characters: number): Route => {
  const bare = JSON.stringify({
    name: 'long',
    description: '',
    inputSchema: tool('long').inputSchema,
    annotations: { readOnlyHint: true, idempotentHint: true, requiresApproval: false },
  }).length;
  return tool('long', { summary: 'x'.repeat(characters - bare) });
};

describe('checkTools', () => {
  it('finds nothing wrong with ordinary tools', () => {
    expect(check(tool('ring'), tool('x'.repeat(41), { tool: false }))).toEqual([]);
  });

  it.each([39, 40])('takes a name of %i characters', (length) => {
    expect(check(tool('x'.repeat(length)))).toEqual([]);
  });

  it('warns of a name of 41 characters, where it is declared', () => {
    const name = 'x'.repeat(41);
    expect(check(tool(name, { declaredAt: 'src/app.ts:12' }))).toEqual([
      {
        code: 'tool-name-length',
        severity: 'warning',
        declaration: `route GET /${name}`,
        at: 'src/app.ts:12',
        rule: `the tool name "${name}" has 41 characters; clients put a prefix before it, and models take 64`,
        fix: 'set toolName to at most 40 characters',
      },
    ]);
  });

  it.each([99_996, 100_000])('takes a list of %i characters', (characters) => {
    expect(check(ofLength(characters))).toEqual([]);
  });

  it('leaves tools out of the list that are refused anyway', () => {
    const broken = tool('broken', { input: { q: Type.Integer({ default: 1n as unknown as number }) } });
    expect(broken.problems).toHaveLength(1);
    expect(check(broken)).toEqual([]);
  });

  it('warns of a list that takes more than 25,000 tokens', () => {
    expect(check(ofLength(100_004))).toEqual([
      {
        code: 'tool-list-size',
        severity: 'warning',
        declaration: 'application',
        rule: 'the list of its 1 tools takes a model about 25001 tokens to read',
        fix: 'make fewer routes tools, give callers scopes for what they need, or connect clients to /mcp?tools=…',
      },
    ]);
  });

  it('refuses parameters marked for a header that they cannot have', () => {
    const input = {
      type: 'object',
      properties: { score: { type: 'number', 'x-mcp-header': 'Score' } },
    } as const;
    expect(check(tool('send', { input, declaredAt: 'src/app.ts:3' }))).toEqual([
      {
        code: 'tool-header',
        declaration: 'route GET /send',
        at: 'src/app.ts:3',
        rule: 'x-mcp-header of "score" marks something else than a string, an integer or a boolean',
      },
    ]);
  });

  it('words each rule that it knows', () => {
    expect(Object.keys(toolRules).sort()).toEqual(['tool-header', 'tool-list-size', 'tool-name-length']);
  });
});
