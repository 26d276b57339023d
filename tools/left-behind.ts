import { afterAll, vi } from 'vitest';

// A set-up file of vitest, run for each test file. Files of one worker share its timers: with fake ones that a file leaves
// behind, tests of another wait for ever. They share its variables, too, and `@waymark/server/testing` sets two that
// applications of other files would go by.
const names = ['WAYMARK_DATABASE_URL', 'LOG_LEVEL'] as const;
const before = names.map((name) => process.env[name]);

afterAll(() => {
  for (const [i, name] of names.entries()) {
    const value = before[i];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error('fake timers are left: write afterEach(() => void vi.useRealTimers())');
});
