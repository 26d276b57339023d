import { byTier, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { camera, createMemoryBackend } from '../../src/index.ts';
import { png } from '../pictures.ts';
import { recordsOf, serveHub } from '../serve-hub.ts';

const happening = fc.tuple(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant('frame') },
    { weight: 2, arbitrary: fc.constantFrom('no picture', 'finish') },
    { weight: 2, arbitrary: fc.constantFrom('reading', 'no JSON', 'stall', 'drain') },
  ),
  fc.nat({ max: 20 }),
);

const scene = fc.array(happening, { maxLength: 80, size: 'max' });

/** Lets everything that was received be taken. */
const settled = () => new Promise(setImmediate);

/** A backend that finishes a frame when the test says so, in any order. */
function handBackend() {
  const backend = createMemoryBackend({ keep: () => 1 });
  const open: (() => void)[] = [];
  let seq = 0;
  backend.publishFrame = () => {
    const number = ++seq;
    return new Promise((resolve) => open.push(() => resolve(number)));
  };
  return { backend, open };
}

describe('receipts', () => {
  it('are as many as the frames that came, in their order, whatever the backend finishes first', async () => {
    verifies('hub.receipts');
    let taken = 0;
    let held = 0;
    const property = fc.asyncProperty(scene, async (happenings) => {
      const { backend, open } = handBackend();
      const hub = await serveHub([camera('door', { maxFps: 1_000 })], { backend });
      const device = await hub.open('/devices/door/ws?receipts=1');
      const sent: string[] = [];
      for (const [what, n] of happenings) {
        if (what === 'frame' || what === 'no picture') sent.push(what);
        if (what === 'frame') device.receive(png());
        if (what === 'no picture') device.receive(new Uint8Array([1]));
        if (what === 'reading') device.receive('{}');
        if (what === 'no JSON') device.receive('{');
        if (what === 'finish') open.splice(n % Math.max(1, open.length), 1)[0]?.();
        if (what === 'stall') {
          device.stalled = true;
          device.bufferedAmount = n < 10 ? 0 : 70_000;
        }
        if (what === 'drain') device.drain();
        await settled();
        await hub.host.clock.advance(1);
        expect(open.length).toBeLessThanOrEqual(16);
        if (open.length === 16) held++;
      }
      for (let turn = 0; turn <= happenings.length; turn++) {
        device.drain();
        while (open.length > 0) open.pop()?.();
        await settled();
      }
      const receipts = recordsOf(device, 'receipt');
      expect(receipts).toHaveLength(sent.length);
      let last = 0;
      for (const [i, { seq, message }] of receipts.entries())
        if (message === 'a device takes 1000 frames a second') expect(seq).toBeNull();
        else if (sent[i] === 'frame') expect(seq).toBe(++last);
        else expect(message).toContain('these bytes are none');
      taken += last;
    });
    // As many as are taken before one is finished, whatever is drawn.
    const crowd = Array.from({ length: 40 }, (): [string, number] => ['frame', 0]);
    await fc.assert(property, { numRuns: byTier({ quick: 60, slow: 100, drill: 600 }), examples: [[crowd]] });
    expect(taken).toBeGreaterThan(300);
    expect(held).toBeGreaterThan(0);
  });
});
