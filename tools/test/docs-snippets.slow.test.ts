import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { toPage } from '../docs/page.ts';
import { runSnippets } from '../docs/snippets/run-snippets.ts';
import { repositoryRoot } from '../lib/workspace.ts';

const page = (name: string, ...blocks: readonly string[]) =>
  toPage({
    path: name,
    section: 's',
    source: `docs/${name}.md`,
    markdown: [`# ${name}\n\nText.`, ...blocks].join('\n\n'),
  });

const program = `\`\`\`ts application.ts
import { createApplication } from '@waymark/server';

export const application = createApplication('desk').get('/tickets', () => ['one']);
\`\`\``;

it('runs what pages say, and reports what goes otherwise, with its page and line', async () => {
  verifies('docs.snippets');
  const { passed, failures, ran, skipped } = await runSnippets(repositoryRoot, [
    page(
      'right',
      program,
      '```sh serve\nnpx waymark start\n```',
      '```sh\ncd /\ncd -\nwho=me\n```',
      '```sh\necho $who; curl -s http://127.0.0.1:8000/tickets\n```',
      '```json output\nme ["one"]\n```',
      '```sh skip="needs a machine"\nsudo\n```',
    ),
    page('output', '```sh\necho one\n```', '```text output\ntwo\n```'),
    page('exit', '```sh\nfalse\n```'),
    page('ends', '```sh serve\necho no server\n```'),
    page('types', '```ts wrong-type.ts\nexport const count: number = "one";\n```', '```sh\nls\n```'),
  ]);
  expect(passed).toBe(2);
  expect(ran).toBe(9);
  expect(skipped).toEqual(['right:29: needs a machine']);
  expect(failures.toSorted()).toEqual([
    expect.stringMatching(/^docs\/ends\.md: line 5: the server ended with 0/),
    expect.stringMatching(/^docs\/exit\.md: line 5: ended with 1, not 0/),
    expect.stringMatching(/^docs\/output\.md: line 5: printed something else:\none/),
    expect.stringMatching(/^types\/types-0\/wrong-type\.ts\(1,14\): error TS2322/),
  ]);
});
