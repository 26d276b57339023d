import { describe, expect, it } from 'vitest';
import { canonicalJson, fingerprintOf, hashOf } from '../../src/journal/fingerprint.ts';

describe('canonicalJson', () => {
  it('is the same text for equal values, in whatever order their members stand', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'ä' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"ä","d":null}]}',
    );
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it('keeps the order of lists', () => {
    expect(hashOf([1, 2])).not.toBe(hashOf([2, 1]));
  });
});

describe('fingerprintOf', () => {
  it.each(['model', 'compaction', 'history'] as const)('looks at the kind alone: %s', (kind) => {
    expect(fingerprintOf(kind, 'fast', { prompt: 'a' })).toBe(fingerprintOf(kind, 'slow', { prompt: 'b' }));
  });

  it.each(['context', 'handoff', 'value'] as const)('looks at kind and name: %s', (kind) => {
    expect(fingerprintOf(kind, 'a', 1)).toBe(fingerprintOf(kind, 'a', 2));
    expect(fingerprintOf(kind, 'a', 1)).not.toBe(fingerprintOf(kind, 'b', 1));
  });

  it.each(['call', 'run', 'ask'] as const)('looks at what is asked, too: %s', (kind) => {
    expect(fingerprintOf(kind, 'a', { x: 1, y: 2 })).toBe(fingerprintOf(kind, 'a', { y: 2, x: 1 }));
    expect(fingerprintOf(kind, 'a', { x: 1 })).not.toBe(fingerprintOf(kind, 'a', { x: 2 }));
    expect(fingerprintOf(kind, 'a', null)).not.toBe(fingerprintOf(kind, 'b', null));
  });

  it('tells kinds apart', () => {
    expect(fingerprintOf('call', 'a', null)).not.toBe(fingerprintOf('run', 'a', null));
  });
});
