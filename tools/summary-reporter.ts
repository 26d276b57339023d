import type { Reporter, TestModule } from 'vitest/node';

/** So many files are named as the slowest; where no more were run, none. */
const most = 10;

/**
 * Names the files that took longest and those that failed, and prints one machine-readable last line: `N passed, N failed`, and `, N skipped`
 * when there are any.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed += 1;
      // A hook of a suite: its tests were skipped, or passed and left something behind.
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    for (const module of modules)
      if (module.state() === 'failed') process.stdout.write(`failed file: ${module.relativeModuleId}\n`);
    if (counts.failed > 0) process.stdout.write(`failed outside: ${errors.length}\n`);
    const skipped = counts.skipped + counts.pending;
    process.stdout.write(
      `${slowest(modules).join('')}${counts.passed} passed, ${counts.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}

function slowest(modules: readonly TestModule[]): readonly string[] {
  if (modules.length <= most) return [];
  return modules
    .map((module) => ({ file: module.relativeModuleId, ms: module.diagnostic().duration }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, most)
    .map(({ file, ms }) => `slowest: ${(ms / 1000).toFixed(1).padStart(5)} s ${file}\n`);
}
