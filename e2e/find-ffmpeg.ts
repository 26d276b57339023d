import type { TestProject } from 'vitest/node';
import { findProgram } from './find-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of an ffmpeg; empty when the machine has none. */
    ffmpeg: string;
  }
}

/**
 * Finds ffmpeg once for all tests: `inject('ffmpeg')`.
 *
 * Looks at `FFMPEG`, then along `PATH`. Without one, tests of cameras are skipped on a developer's machine and the run
 * fails where `REQUIRE_FFMPEG=1`.
 */
export default function findFfmpeg(project: TestProject): void {
  const path = process.env.FFMPEG ?? findProgram(['ffmpeg']) ?? '';
  if (path === '' && process.env.REQUIRE_FFMPEG === '1')
    throw new Error('no ffmpeg: install it or name it in FFMPEG');
  if (path === '') console.warn('no ffmpeg found: tests of cameras are skipped');
  project.provide('ffmpeg', path);
}
