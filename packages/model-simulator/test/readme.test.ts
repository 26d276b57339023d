import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verbs } from '../src/script/parse-directive.ts';

const example = fileURLToPath(new URL('readme-example.ts', import.meta.url));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  it('shows the program that is tested here', () => {
    expect(/```ts\n(.*?)```/s.exec(readme)?.[1]).toBe(readFileSync(example, 'utf8'));
  });

  it('shows a program that runs, and ends', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=@waymark/source', example], {
      encoding: 'utf8',
    });
    expect({ lines: stdout.trim().split('\n'), stderr }).toEqual({
      lines: [
        expect.stringMatching(
          /^tool_use \[\{"type":"tool_use","id":"toolu_01\w+","name":"get_ticket","input":\{"id":4\},"caller":\{"type":"direct"\}\}\]$/,
        ),
        'end_turn [{"type":"text","text":"It burns.","citations":null}]',
        '200: 44 tokens in, 200: 109 tokens in',
      ],
      stderr: '',
    });
  });

  it('tells of every directive', () => {
    expect([...verbs].filter((verb) => !readme.includes(`\`[[${verb}`))).toEqual([]);
  });
});
