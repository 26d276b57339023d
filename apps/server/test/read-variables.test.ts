import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readVariables } from '../src/cli/load/read-variables.ts';
import { inFolder } from './command-line.ts';

const text = '# keys\nA_KEY=one\nB_KEY="two words"\n';
const variables = { A_KEY: 'one', B_KEY: 'two words' };

describe('the variables of a file', () => {
  it.each([
    ['as it is', Buffer.from(text)],
    ['with the mark of UTF-8', Buffer.from(`\uFEFF${text.slice(text.indexOf('A_'))}`)],
    ['as UTF-16', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['with ends of lines of Windows', Buffer.from(text.replaceAll('\n', '\r\n'))],
  ])('are read %s', (_, bytes) => {
    inFolder();
    writeFileSync('.env', bytes);
    expect(readVariables('.env')).toEqual(variables);
  });

  it('are none where there is no file', () => {
    inFolder();
    expect(readVariables('.env')).toEqual({});
  });
});
