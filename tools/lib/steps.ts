import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { ChildCpu } from './child-cpu.ts';

/** One command of a gate. `tests` steps print `N passed, N failed` themselves. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly tests?: boolean;
  /** Whether test files that failed beside others are run once more by themselves, named behind the command. */
  readonly again?: boolean;
}

/** Steps that go side by side: each lane runs its own one after another. */
export type Stage = readonly (readonly Step[])[];

/** What became of the steps: tests counted, and steps that failed without a failed test to show for it. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly failedSteps: readonly string[];
}

/** One step that has ended. */
interface Result {
  readonly step: Step;
  readonly ok: boolean;
  readonly output: string;
  readonly seconds: number;
  /** Time of all cores it took, where the system tells. */
  readonly cpuSeconds: number | undefined;
  readonly again?: SecondRun;
}

/** What became of files that failed beside others, when they had the machine for themselves. */
interface SecondRun {
  readonly files: readonly string[];
  readonly ok: boolean;
  readonly output: string;
}

/** Far more than any step takes: a machine of others' was slow enough for 15 minutes, and nothing hung. */
const stepTimeoutMs = 40 * 60_000;

/** When more files than that have failed, it was not the load of the machine. */
const mostAgain = 8;

/** So much of a failed step is shown at the end. */
const lastLines = 25;

/**
 * Runs stage after stage, and every step even after a failure. Shows what the failed ones printed, then a table with times
 * in the order in which the steps stand, the slowest files of the tests, those that passed only by themselves, and last once more how
 * each failed step ended: of a long log its end is what somebody sees.
 */
export async function runSteps(stages: readonly Stage[]): Promise<Outcome> {
  const results: Result[] = [];
  const cpu = new ChildCpu();
  for (const stage of stages) {
    const lanes = await Promise.all(stage.map((steps) => runLane(steps, cpu)));
    for (const result of lanes.flat()) results.push(await withSecondRun(result));
  }
  let [passed, failed] = [0, 0];
  const failedSteps: string[] = [];
  for (const result of results) {
    const counts = countResult(result);
    passed += counts.passed;
    failed += counts.failed;
    if (isOk(result)) continue;
    failedSteps.push(result.step.name);
    if (counts.failed === 0) failed += 1;
  }
  console.log(`\n${results.map(toRow).join('\n')}`);
  for (const { step, output } of results) {
    const slowest = output.match(/^slowest: .*$/gm);
    if (step.tests && slowest) console.log(`\n${step.name}\n${slowest.join('\n')}`);
  }
  const unsteady = results.flatMap(({ again }) => (again?.ok ? again.files : []));
  if (unsteady.length > 0)
    console.log(`\nfailed beside others, passed by themselves: ${unsteady.join(', ')}`);
  for (const result of results)
    if (!isOk(result)) console.log(`\n${result.step.name} failed:\n${endOf(result.again ?? result)}`);
  return { passed, failed, failedSteps };
}

/** The last lines of what it printed, without colours. */
function endOf({ output }: { readonly output: string }): string {
  return stripVTControlCharacters(output).trimEnd().split('\n').slice(-lastLines).join('\n');
}

async function runLane(steps: readonly Step[], cpu: ChildCpu): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const step of steps) {
    console.log(`== ${step.name}: ${step.command.join(' ')}`);
    const startMs = performance.now();
    const { ok, output } = await run(step.command);
    const cpuSeconds = cpu.ofJustEnded();
    if (!ok) console.log(`== ${step.name} failed\n${output.trimEnd()}`);
    results.push({ step, ok, output, seconds: (performance.now() - startMs) / 1000, cpuSeconds });
  }
  return results;
}

/**
 * A busy machine fails tests that are right, and a verdict is about the code: what failed beside others is asked once more,
 * alone. Not what drew its cases, since another draw says nothing of the first; and nothing that failed in no file.
 */
async function withSecondRun(result: Result): Promise<Result> {
  const { step, ok, output } = result;
  const files = [...output.matchAll(/^failed file: (.*)$/gm)].map(([, file]) => file ?? '');
  const isWorthIt =
    files.length > 0 &&
    files.length <= mostAgain &&
    !files.some((file) => file.endsWith('.property.test.ts')) &&
    /^failed outside: 0$/m.test(output);
  if (!step.again || ok || !isWorthIt) return result;
  console.log(`== ${step.name}, once more: ${files.join(' ')}`);
  const [program, ...args] = step.command;
  const second = await run([program, ...args, ...files]);
  if (!second.ok) console.log(`== ${step.name} failed once more\n${second.output.trimEnd()}`);
  return { ...result, again: { files, ...second } };
}

/** The tests of a step: those that were run twice count by their second run. */
function countResult({ step, output, again }: Result): { passed: number; failed: number } {
  if (!step.tests) return { passed: 0, failed: 0 };
  const first = countTests(output);
  if (!again?.ok) return first;
  return { passed: first.passed + first.failed, failed: 0 };
}

function isOk({ ok, again }: Result): boolean {
  return ok || again?.ok === true;
}

function toRow(result: Result): string {
  const { step, output, seconds, cpuSeconds, again } = result;
  const counts = step.tests ? `  ${output.trimEnd().split('\n').at(-1)}` : '';
  const cpu = cpuSeconds === undefined ? '' : `  cpu ${cpuSeconds.toFixed(0).padStart(4)} s`;
  const twice = again ? `, ${again.ok ? 'none' : 'some'} once more by themselves` : '';
  return `${isOk(result) ? 'ok    ' : 'FAILED'} ${step.name.padEnd(12)} ${seconds.toFixed(1).padStart(6)} s${cpu}${counts}${twice}`;
}

/** Adds up the summary lines that tools/summary-reporter.ts printed. */
export function countTests(output: string): { passed: number; failed: number } {
  let [passed, failed] = [0, 0];
  for (const [, p, f] of output.matchAll(/^(\d+) passed, (\d+) failed/gm)) {
    passed += Number(p);
    failed += Number(f);
  }
  return { passed, failed };
}

/** Runs a command in a process group of its own, so that a timeout ends its children too. */
function run([program, ...args]: Step['command']): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const append = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    const timer = setTimeout(() => {
      output += `\ntimed out after ${stepTimeoutMs / 1000} s\n`;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, stepTimeoutMs);
    const finish = (ok: boolean): void => {
      clearTimeout(timer);
      resolve({ ok, output });
    };
    child.on('error', (error) => {
      output += `${program}: ${error.message}\n`;
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}
