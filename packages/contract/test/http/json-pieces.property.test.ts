import { isDeepStrictEqual } from 'node:util';
import { byTier } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPieces } from '../../src/http/index.ts';

/** Reads it to its end, or says that it is none. */
function inPieces(text: string): { readonly value: unknown; readonly pieces: number } | 'malformed' {
  try {
    const reading = jsonPieces(text);
    for (let pieces = 1; ; pieces++) {
      const piece = reading.next();
      if (piece.done) return { value: piece.value, pieces };
    }
  } catch (error) {
    if (error instanceof SyntaxError) return 'malformed';
    throw error;
  }
}

function atOnce(text: string): { readonly value: unknown } | 'malformed' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'malformed';
  }
}

/** Both the same, names in the same order and `__proto__` among them. */
function expectSame(text: string): void {
  const [pieces, whole] = [inPieces(text), atOnce(text)];
  if (pieces === 'malformed' || whole === 'malformed') expect(pieces).toBe(whole);
  else {
    expect(isDeepStrictEqual(pieces.value, whole.value)).toBe(true);
    expect(JSON.stringify(pieces.value)).toBe(JSON.stringify(whole.value));
  }
}

/** Fills what is drawn until it takes several pieces. */
const filler = fc.constantFrom(
  '1',
  '"a\\"]}{[,"',
  '{"x":[],"y":{}}',
  '[[],[{}],-1.5e3]',
  'null',
  '"é\\u0000"',
);
const blank = fc.constantFrom('', '', ' ', '\n\t', '\r ');
const name = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('__proto__', 'constructor', '1', '0', 'a', '\\u0061'),
);

/** JSON texts with many members, in containers of containers. */
const text = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc
      .tuple(filler, fc.integer({ min: 1, max: 4_000 }), fc.boolean(), blank)
      .map(([one, count, isList, gap]) => {
        const members = Array.from({ length: count }, (_, i) =>
          isList ? one : `"n${i}"${gap}:${gap}${one}`,
        );
        return isList ? `[${members.join(`,${gap}`)}]` : `{${members.join(`${gap},`)}}`;
      }),
    fc
      .tuple(fc.array(tie('node'), { maxLength: 4 }), blank)
      .map(([all, gap]) => `[${gap}${all.join(`${gap},`)}${gap}]`),
    fc
      .tuple(fc.array(fc.tuple(name, tie('node')), { maxLength: 4 }), blank)
      .map(
        ([all, gap]) =>
          `{${gap}${all.map(([key, one]) => `${JSON.stringify(key)}${gap}:${one}`).join(`,${gap}`)}}`,
      ),
  ),
})).node;

const numRuns = byTier({ quick: 40, slow: 100, drill: 3_000 });

describe('jsonPieces', () => {
  it('reads what `JSON.parse` reads, to the same', () => {
    fc.assert(fc.property(text, expectSame), { numRuns });
  });

  it('takes for malformed what `JSON.parse` does, wherever it is broken', () => {
    const breaks = fc.constantFrom(',', '[', ']', '{', '}', '"', ':', '1', '-', '[]', '{}', '', ' x');
    const broken = fc
      .tuple(text, breaks, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 3 }))
      .map(([whole, mark, where, cut]) => {
        const at = Math.floor(where * whole.length);
        return whole.slice(0, at) + mark + whole.slice(at + cut);
      });
    fc.assert(fc.property(broken, expectSame), { numRuns: 4 * numRuns });
  });
});
