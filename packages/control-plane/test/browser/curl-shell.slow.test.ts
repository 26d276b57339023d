import { execFileSync } from 'node:child_process';
import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Draft } from '../../browser/docs/call/draft.ts';
import { type CurlCall, toCurl } from '../../browser/docs/snippets/to-curl.ts';

/** Anything that shells look at twice, and anything else. A program is given no text with a zero in it. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...`'"\\\`$!*?[]{}()<>|&;~#=%@^ \n\t-a`.split('')) }),
    fc.constantFrom(
      "'",
      "''",
      "\\'",
      '$(id)',
      '`id`',
      '$KEY',
      '!!',
      '@/etc/passwd',
      '-o/tmp/x',
      '--',
      '',
      '\n',
    ),
  )
  .map((one) => one.replaceAll('\0', '').toWellFormed());
const call: fc.Arbitrary<CurlCall> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'DELETE'),
  root: fc.constant('https://desk.example'),
  scheme: fc.constantFrom('apiKey', 'bearer', undefined),
  events: fc.boolean(),
  draft: fc.record({
    target: text.map((one) => `/a?b=${encodeURIComponent(one)}`),
    headers: fc.array(fc.tuple(fc.constant('if-match'), text)),
    body: fc.oneof(
      fc.constant({ kind: 'none' } as const),
      fc.record({ kind: fc.constant('json' as const), value: text }),
      fc.record({ kind: fc.constant('file' as const), name: text, type: text }),
    ),
    values: fc.constant<Draft['values']>(new Map()),
    faults: fc.constant<Draft['faults']>([]),
  }),
});

it('a shell reads the curl line as exactly what the form holds', () => {
  verifies('docs-page.shell');
  const calls = fc.sample(call, 500);
  // In place of curl: each word behind it with a zero after it, and an end.
  const curl = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; printf 'end of words\\0'; }`;
  const script = [curl, 'KEY=k TOKEN=t', ...calls.map(toCurl)].join('\n');
  const said = execFileSync('sh', { input: script, encoding: 'utf8', maxBuffer: 100_000_000 });
  const read = said.split('end of words\0').map((words) => words.split('\0').slice(0, -1));
  expect(read.slice(0, -1)).toEqual(calls.map(wordsOf));
});

/** What curl is to be given, one word each. */
function wordsOf({
  method,
  root,
  scheme,
  events,
  draft: { target, headers, body },
}: CurlCall): readonly string[] {
  return [
    ...(method === 'GET' ? [] : ['-X', method]),
    root + target,
    ...(scheme === 'apiKey' ? ['-H', 'x-api-key: k'] : []),
    ...(scheme === 'bearer' ? ['-H', 'authorization: Bearer t'] : []),
    ...headers.flatMap(([name, value]) => ['-H', value === '' ? `${name};` : `${name}: ${value}`]),
    ...(events ? ['-N', '-H', 'accept: text/event-stream'] : []),
    ...(body.kind === 'json'
      ? ['-H', 'content-type: application/json', '--data-raw', JSON.stringify(body.value)]
      : []),
    ...(body.kind === 'file' ? ['-H', `content-type: ${body.type}`, '--data-binary', `@${body.name}`] : []),
  ];
}
