import { describe, expect, it } from 'vitest';
import { refuseInfinite } from '../../src/route/index.ts';

const told = 'must be a number that JavaScript keeps, such as whole ones up to 2^53 (a string keeps more)';

describe('refuseInfinite', () => {
  it.each([
    ['1e400', ''],
    ['-1e400', ''],
    ['[1,[2,1e309]]', '/1/1'],
    ['{"a":{"b/c~d":[null,{"x":-1e999}]},"z":1e999}', '/a/b~1c~0d/1/x'],
    [`{"n":${'9'.repeat(309)}}`, '/n'],
  ])('refuses what JSON could not give back: %s', (text, path) => {
    const refuse = (at?: string) => () => refuseInfinite(JSON.parse(text), at);
    expect(refuse()).toThrow(
      expect.objectContaining({ status: 422, members: { errors: [{ path, message: told }] } }) as Error,
    );
    expect(refuse('/whole')).toThrow(
      expect.objectContaining({ members: { errors: [{ path: `/whole${path}`, message: told }] } }) as Error,
    );
  });

  it.each(['1.7976931348623157e308', '-1e308', '{"a":[0,null,"1e400",true,{}]}', '"x"', '{"1e400":1}'])(
    'leaves alone what it could: %s',
    (text) => {
      expect(() => refuseInfinite(JSON.parse(text))).not.toThrow();
    },
  );
});
