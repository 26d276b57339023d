import type { TestProject } from 'vitest/node';
import { findProgram } from './find-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a Chromium or Chrome; empty when the machine has none. */
    chromium: string;
  }
}

/**
 * Finds a browser once for all tests: `inject('chromium')`.
 *
 * Looks at `CHROMIUM`, then along `PATH`. Without one, browser tests are skipped on a developer's machine and
 * the run fails where `REQUIRE_BROWSER=1`.
 */
export default function findChromium(project: TestProject): void {
  const path = process.env.CHROMIUM ?? findProgram(['chromium', 'chromium-browser', 'google-chrome']) ?? '';
  if (path === '' && process.env.REQUIRE_BROWSER === '1') {
    throw new Error('no Chromium: install it or name it in CHROMIUM');
  }
  if (path === '') console.warn('no Chromium found: browser tests are skipped');
  project.provide('chromium', path);
}
