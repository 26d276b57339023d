import { HTTPError } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { withoutStack } from '../../src/engine/index.ts';

describe('withoutStack', () => {
  it('makes an error that is all there but for where it was made', () => {
    const error = withoutStack(() => new HTTPError(429, 'too often', { headers: { 'retry-after': '1' } }));
    expect(error).toMatchObject({ status: 429, message: 'too often', headers: { 'retry-after': '1' } });
    expect(error.stack).not.toContain('without-stack.test.ts');
    expect(new Error('another').stack).toContain('without-stack.test.ts');
  });

  it('leaves nothing behind where none is made', () => {
    const { stackTraceLimit } = Error;
    expect(() =>
      withoutStack(() => {
        throw new Error('no error');
      }),
    ).toThrow('no error');
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });
});
