import type { TestProject } from 'vitest/node';
import { findProgram } from './find-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a Chromium or Chrome, of its headless shell where there is one; empty when the machine has none. */
    chromium: string;
    /** Path of the browser that people have, which asks them for permissions; empty when the machine has none. */
    wholeChromium: string;
  }
}

/**
 * Finds browsers once for all tests: `inject('chromium')`, and `inject('wholeChromium')` for tests of what the headless shell has not.
 *
 * Looks at `CHROMIUM`, which is both, then along `PATH`. The headless shell draws the same pages with a quarter less work.
 * Without a browser, tests of them are skipped on a developer's machine and the run fails where `REQUIRE_BROWSER=1`.
 */
export default function findChromium(project: TestProject): void {
  const { CHROMIUM: named, REQUIRE_BROWSER: required } = process.env;
  const whole = named ?? findProgram(['chromium', 'chromium-browser', 'google-chrome']) ?? '';
  const shell = named ?? findProgram(['chromium-headless-shell']) ?? whole;
  if (whole === '' && required === '1') throw new Error('no Chromium: install it or name it in CHROMIUM');
  if (shell === '') console.warn('no Chromium found: browser tests are skipped');
  project.provide('chromium', shell);
  project.provide('wholeChromium', whole);
}
