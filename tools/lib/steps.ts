import { spawn } from 'node:child_process';
import { ChildCpu } from './child-cpu.ts';

/** One command of a gate. `tests` steps print `N passed, N failed` themselves. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly tests?: boolean;
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
}

/** Far more than any step takes on a machine of its own. */
const stepTimeoutMs = 15 * 60_000;

/**
 * Runs stage after stage, and every step even after a failure. Shows what the failed ones printed, then a table with times
 * in the order in which the steps stand, then the slowest files of the tests.
 */
export async function runSteps(stages: readonly Stage[]): Promise<Outcome> {
  const results: Result[] = [];
  const cpu = new ChildCpu();
  for (const stage of stages) {
    const lanes = await Promise.all(stage.map((steps) => runLane(steps, cpu)));
    results.push(...lanes.flat());
  }
  let [passed, failed] = [0, 0];
  const failedSteps: string[] = [];
  for (const { step, ok, output } of results) {
    const counts = step.tests ? countTests(output) : { passed: 0, failed: 0 };
    passed += counts.passed;
    failed += counts.failed;
    if (ok) continue;
    failedSteps.push(step.name);
    if (counts.failed === 0) failed += 1;
  }
  console.log(`\n${results.map(toRow).join('\n')}`);
  for (const { step, output } of results) {
    const slowest = output.match(/^slowest: .*$/gm);
    if (step.tests && slowest) console.log(`\n${step.name}\n${slowest.join('\n')}`);
  }
  return { passed, failed, failedSteps };
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

function toRow({ step, ok, output, seconds, cpuSeconds }: Result): string {
  const counts = step.tests ? `  ${output.trimEnd().split('\n').at(-1)}` : '';
  const cpu = cpuSeconds === undefined ? '' : `  cpu ${cpuSeconds.toFixed(0).padStart(4)} s`;
  return `${ok ? 'ok    ' : 'FAILED'} ${step.name.padEnd(12)} ${seconds.toFixed(1).padStart(6)} s${cpu}${counts}`;
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
