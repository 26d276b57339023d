import { describe, expect, it } from 'vitest';
import { matchesOutput } from '../docs/snippets/matches-output.ts';
import { readSnippets } from '../docs/snippets/read-snippets.ts';

const read = (markdown: string) => readSnippets({ path: 'page', markdown });

describe('the blocks of code of a page', () => {
  it('are files, commands with what they print, and what is left out', () => {
    const markdown = [
      '```ts a/application.ts\nconst a = 1;\n```',
      '```sh\nls\n```\n\n```text output\nfile\n```',
      '```sh serve\nserve\n```',
      '```sh exit=78\nfail\n```',
      '```sh skip="needs a machine"\nsudo\n```',
      '```text\nshown\n```',
    ].join('\n\n');
    expect(read(markdown)).toEqual([
      { kind: 'file', line: 1, path: 'a/application.ts', text: 'const a = 1;\n' },
      { kind: 'shell', line: 5, text: 'ls\n', exit: 0, output: 'file\n' },
      { kind: 'shell', line: 13, text: 'serve\n', exit: 'serves' },
      { kind: 'shell', line: 17, text: 'fail\n', exit: 78 },
      { kind: 'skipped', line: 21, reason: 'needs a machine' },
    ]);
  });

  it.each([
    ['```ts\nconst a = 1;\n```', 'page:1: code that is neither a file nor skipped'],
    ['# Title\n\n```text output\nfile\n```', 'page:3: an output without a command before it'],
  ])('say what is done with them: %j', (markdown, message) => {
    expect(() => read(markdown)).toThrow(message);
  });
});

describe('what a command prints', () => {
  it.each([
    ['{"id":1}\n', '{ "id": 1 }', true],
    ['a\nb\nc\n', 'a … c', true],
    ['a\nb\nc\n', 'a … d', false],
    ['a.c', 'a?c', false],
    ['more', 'mor', false],
    ['', '…', true],
  ])('%j is what is shown as %j: %j', (printed, shown, matches) => {
    expect(matchesOutput(printed, shown)).toBe(matches);
  });
});
