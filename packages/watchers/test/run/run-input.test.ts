import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toRunInput } from '../../src/run/run-input.ts';

const frame = {
  kind: 'frame',
  seq: 3,
  mediaType: 'image/png',
  bytes: new Uint8Array([1, 2, 3]),
  atMs: 0,
} as const;

describe('toRunInput', () => {
  it('is the prompt, a blank line and the reading as JSON, with the picture', () => {
    verifies('watcher.input');
    const telemetry = { kind: 'telemetry', data: { lux: 3, door: 'open' }, atMs: 0 } as const;
    expect(toRunInput('Who is there?', { frame, telemetry })).toEqual({
      input: 'Who is there?\n\n{"lux":3,"door":"open"}',
      images: [{ media_type: 'image/png', data: 'AQID' }],
    });
  });

  it('is the prompt alone where there is no reading, and has no pictures where there is none', () => {
    expect(toRunInput('Who is there?', { frame })).toMatchObject({ input: 'Who is there?' });
    const telemetry = { kind: 'telemetry', data: null, atMs: 0 } as const;
    expect(toRunInput('How warm?', { telemetry })).toEqual({ input: 'How warm?\n\nnull' });
  });

  it('reads no more of a shared buffer than the picture', () => {
    const bytes = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4);
    expect(toRunInput('x', { frame: { ...frame, bytes } })).toMatchObject({ images: [{ data: 'AQID' }] });
  });
});
