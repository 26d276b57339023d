import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { example, hello, measureStart } from '../bench/start/start-programs.ts';

/** Promised on a machine with nothing else to do; a busy one slows the same work down, but not to a third. */
const busy = 3;

describe('the CPU time until what is built serves', () => {
  it.each([
    { subject: hello, promisedMs: 250 },
    { subject: example, promisedMs: 450 },
  ])('is within three times what is promised: $subject.name', async ({ subject, promisedMs }) => {
    verifies('start.cpu');
    const { cpuMs } = await measureStart(subject, 2);
    expect(cpuMs).toBeGreaterThan(20);
    expect(cpuMs).toBeLessThan(busy * promisedMs);
  });
});
