import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What the test has handed to `verifies(…)` so far. */
    verifies?: readonly string[];
  }
}

const name = 'waymark:verifies';

/**
 * Notes with the running test what it says it proves: a set-up file of vitest, run for each test file. Of several that run
 * at once it may be another one: that matters only where one of them fails, and then the whole run does.
 */
function note(ids: unknown): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined)
    throw new Error(`verifies(${String(ids)}) stands outside of a test: call it in the test that proves it`);
  test.meta.verifies = [...(test.meta.verifies ?? []), ...(ids as readonly string[])]; // what `verifies` publishes
}

subscribe(name, note);
afterAll(() => {
  unsubscribe(name, note);
});
