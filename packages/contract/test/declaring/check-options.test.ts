import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOptions, type Shapes, wellShaped } from '../../src/declaring/check-options.ts';

const shapes: Shapes = {
  ...{ port: 'number', open: 'boolean', host: 'text', hosts: 'texts', limit: 'options', trust: 'any' },
  ...{ level: ['low', 'high'], declaredAt: 'text' },
};
const rulesOf = (options: unknown, owner?: string): readonly string[] =>
  checkOptions(options, shapes, owner).map(
    ({ code, rule, nearest, fix }) => `${code}: ${rule}; ${nearest ?? fix}`,
  );

describe('checkOptions', () => {
  it('finds nothing wrong with good options, or with none', () => {
    expect(rulesOf({})).toEqual([]);
    expect(
      rulesOf({ port: Number.NaN, open: false, host: '', hosts: [], limit: {}, trust: null, level: 'low' }),
    ).toEqual([]);
  });

  it('takes an option that holds nothing for one that is left out, known or not', () => {
    expect(rulesOf({ port: undefined, banana: undefined })).toEqual([]);
  });

  it.each([
    [{ prot: 1 }, 'unknown-option: unknown option "prot"; port'],
    [
      { banana: 1 },
      'unknown-option: unknown option "banana"; take it out; there are port, open, host, hosts, limit, trust, level',
    ],
    [{ constructor: 1 }, expect.stringContaining('unknown option "constructor"')],
    [{ port: '80' }, 'option-type: port is not a number; write 80, without quotes'],
    [{ port: 'http' }, 'option-type: port is not a number; write a number'],
    [{ open: 'false' }, 'option-type: open is not true or false; write false, without quotes'],
    [{ open: 0 }, 'option-type: open is not true or false; write true or false'],
    [{ host: 5 }, "option-type: host is not a text; write '5'"],
    [{ host: null }, "option-type: host is not a text; write a text: '…'"],
    [{ hosts: 'a' }, 'option-type: hosts is not a list of texts; write ["a"]'],
    [{ hosts: [5] }, "option-type: hosts is not a list of texts; write ['…']"],
    [{ limit: [] }, 'option-type: limit is not an object; write { … }'],
    [{ level: 'hihg' }, 'unknown-word: unknown level "hihg"; high'],
    [{ level: 'so so' }, 'unknown-word: unknown level "so so"; write low or high'],
    [{ level: 5 }, 'option-type: level is not low or high; write low or high'],
  ])('finds %j', (options, line) => {
    expect(rulesOf(options)).toEqual([line]);
  });

  it.each([undefined, null, 5, 'text', [], () => 1])('finds options that are none: %j', (options) => {
    expect(rulesOf(options)).toEqual(['options-form: the options are not an object; write { name: value }']);
  });

  it('names options inside of an option by both names', () => {
    expect(rulesOf({ port: 'x' }, 'listen.')).toEqual([
      'option-type: listen.port is not a number; write a number',
    ]);
    expect(rulesOf(5, 'listen.')).toEqual(['options-form: listen is not an object; write { name: value }']);
  });

  it('finds everything at once', () => {
    expect(rulesOf({ prot: 1, open: 1, host: 1 })).toHaveLength(3);
  });
});

describe('wellShaped', () => {
  it('keeps what is known and has its type', () => {
    const options = { port: 1, open: 'yes', prot: 2, level: 'high', host: undefined };
    expect(wellShaped(options, shapes)).toEqual({ port: 1, level: 'high' });
    expect(wellShaped('port' as never, shapes)).toEqual({});
  });

  it('keeps nothing that is reported, and everything else', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(shapes), 'x'), fc.jsonValue()), (options) => {
        const kept = wellShaped(options, shapes);
        expect(checkOptions(kept, shapes)).toEqual([]);
        const lost = Object.keys(options).length - Object.keys(kept).length;
        expect(checkOptions(options, shapes)).toHaveLength(lost);
      }),
    );
  });
});
