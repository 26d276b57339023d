import { describe, expect, it } from 'vitest';
import { readWords } from '../example/read-words.ts';

describe('readWords', () => {
  it('reads where to listen, and whether to tell what can be tried', () => {
    expect(readWords([])).toEqual({ flags: {}, tour: false });
    expect(readWords(['--port', '8311', '--host=::1', '--tour'])).toEqual({
      flags: { port: 8311, host: '::1' },
      tour: true,
    });
  });

  it.each([
    [['--nosuch'], 'unknown option "--nosuch"'],
    [['--prot=1'], 'unknown option "--prot"; did you mean "--port"?'],
    [['-p', '1'], 'unknown option "-p"'],
    [['8311'], 'there is nothing to do with "8311"'],
    [['--', '8311'], 'there is nothing to do with "8311"'],
    [['--port'], '--port needs a value'],
    [['--host='], '--host needs a value'],
    [['--port', '65536'], '--port 65536 is not a number from 0 to 65535'],
    [['--tour=no'], '--tour takes no value'],
  ])('refuses %j', (argv, message) => {
    expect(() => readWords(argv)).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });
});
