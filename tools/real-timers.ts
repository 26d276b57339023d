import { afterAll, vi } from 'vitest';

// A set-up file of vitest, run for each test file. Files of one worker share its timers: with fake ones that a file leaves
// behind, tests of another wait for ever.
afterAll(() => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error('fake timers are left: write afterEach(() => void vi.useRealTimers())');
});
