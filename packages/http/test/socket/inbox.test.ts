import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../src/socket/inbox.ts';

describe('Inbox', () => {
  it('is a queue that knows how much it holds', () => {
    const message = fc.oneof(fc.string(), fc.uint8Array());
    fc.assert(
      fc.property(fc.array(fc.option(message, { freq: 3 })), (steps) => {
        const inbox = new Inbox();
        const model: (string | Uint8Array)[] = [];
        for (const step of steps) {
          if (step === null) expect(inbox.shift()).toBe(model.shift());
          else {
            inbox.push(step);
            model.push(step);
          }
          expect(inbox.length).toBe(model.length);
          expect(inbox.bytes).toBe(model.reduce((sum, { length }) => sum + length, 0));
        }
        inbox.clear();
        expect([inbox.length, inbox.bytes, inbox.shift()]).toEqual([0, 0, undefined]);
      }),
    );
  });
});
