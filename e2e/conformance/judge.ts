import { notRun } from './not-run.ts';
import type { Check, Offered, ScenarioResult } from './run-suite.ts';
import type { Verdict } from './verdict.ts';

/** Checks of a scenario that otherwise holds, and why they do not; the server has nothing that they look for. */
const notApplicable: Readonly<Record<string, string>> = {
  'sep-2549-prompts-list-caching-hints': 'the server has no prompts, and says so',
  'sep-2549-resources-list-caching-hints': 'the server has no resources, and says so',
  'sep-2549-resources-templates-list-caching-hints': 'the server has no resources, and says so',
};

/** Warnings that cannot be avoided, by check. Any other counts as a failure. */
const acceptedWarnings: Readonly<Record<string, string>> = {
  'server-sse-multiple-streams-session': 'the server keeps no session',
  'server-sse-polling-session': 'the server keeps no session',
};

/** Scenarios that find nothing to check, and why. Any other that checks nothing counts as a failure. */
const idle: Readonly<Record<string, string>> = {
  'server-session-lifecycle': 'there is no session',
  'server-sse-multiple-streams': 'on the older revisions it looks at sessions only',
  'server-sse-polling': 'it looks at sessions only',
};

/** Holds what a suite found on a revision against what it offers there: every scenario passes, or is on the list. */
export function judge(
  revision: string,
  offered: readonly Offered[],
  results: readonly ScenarioResult[],
): Verdict {
  const found = new Map(results.map(({ scenario, checks }) => [scenario, checks]));
  const wanted = offered.filter(
    ({ scenario, revisions }) => revisions.includes(revision) && !Object.hasOwn(notRun, scenario),
  );
  const failures: string[] = [];
  let passed = 0;
  for (const { scenario } of wanted) {
    const checks = found.get(scenario);
    if (!checks) {
      failures.push(`${scenario}: did not run`);
      continue;
    }
    const succeeded = checks.filter(({ status }) => status === 'SUCCESS').length;
    const faults = checks.filter(isFault);
    passed += succeeded;
    failures.push(
      ...faults.map(
        ({ id, description, errorMessage }) => `${scenario}: ${id}: ${errorMessage ?? description}`,
      ),
    );
    if (succeeded + faults.length === 0 && !Object.hasOwn(idle, scenario))
      failures.push(`${scenario}: checked nothing`);
  }
  return { passed, failures };
}

function isFault({ id, status }: Check): boolean {
  if (status === 'WARNING') return !Object.hasOwn(acceptedWarnings, id);
  return status === 'FAILURE' && !Object.hasOwn(notApplicable, id);
}

/** The lists must not outlive what they excuse: scenarios on them that no suite has, checks that never occurred. */
export function unusedExcuses(
  offered: readonly Offered[],
  results: readonly ScenarioResult[],
): readonly string[] {
  const scenarios = new Set(offered.map(({ scenario }) => scenario));
  const checks = new Set(results.flatMap((result) => result.checks.map(({ id }) => id)));
  return [
    ...Object.keys({ ...notRun, ...idle }).filter((scenario) => !scenarios.has(scenario)),
    ...Object.keys({ ...notApplicable, ...acceptedWarnings }).filter((id) => !checks.has(id)),
  ].map((excused) => `${excused}: is excused, and no suite has it`);
}
