import { spawn } from 'node:child_process';

/** One command of a gate. `tests` steps print `N passed, N failed` themselves. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly tests?: boolean;
}

/** What became of the steps: tests counted, and steps that failed without a failed test to show for it. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly failedSteps: readonly string[];
}

/** Far more than any step takes on a machine of its own. */
const stepTimeoutMs = 15 * 60_000;

/** Runs every step in order, even after a failure; shows what the failed ones printed, then a table with times. */
export async function runSteps(steps: readonly Step[]): Promise<Outcome> {
  let [passed, failed] = [0, 0];
  const failedSteps: string[] = [];
  const table: string[] = [];
  for (const { name, command, tests } of steps) {
    console.log(`== ${name}: ${command.join(' ')}`);
    const start = performance.now();
    const { ok, output } = await run(command);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const counts = tests ? countTests(output) : { passed: 0, failed: 0 };
    passed += counts.passed;
    failed += counts.failed;
    if (!ok) {
      failedSteps.push(name);
      if (counts.failed === 0) failed += 1;
      console.log(output.trimEnd());
    }
    const detail = tests ? `  ${output.trimEnd().split('\n').at(-1)}` : '';
    table.push(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${seconds.padStart(6)} s${detail}`);
  }
  console.log(`\n${table.join('\n')}`);
  return { passed, failed, failedSteps };
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
