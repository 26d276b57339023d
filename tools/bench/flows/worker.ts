// Does the work of one contestant as long as it is told: `worker.ts <module> <folder>`.
import { serveParent } from '../agents/child.ts';
import { checkWork, type Form, type MakeWork, steps } from './work.ts';

/** Which form, how long, and how many runs at once. */
export interface Shift {
  readonly form: Form;
  readonly ms: number;
  readonly inFlight: number;
}

/** What one step took: the CPU time of the process, microseconds. */
export interface ShiftCost {
  readonly forms: readonly Form[];
  readonly stepMicros: number;
}

const [, , module = '', folder = ''] = process.argv;
const { makeWork } = (await import(module)) as { readonly makeWork: MakeWork };
const work = await makeWork(folder);
await checkWork(work);
const forms = Object.keys(work) as Form[];

serveParent<ShiftCost>({ forms, stepMicros: 0 }, async ({ form, ms, inFlight }: Shift) => {
  const run = work[form];
  if (!run) throw new Error(`it has no ${form}`);
  const startedMs = performance.now();
  const before = process.cpuUsage();
  let runs = 0;
  const lane = async (): Promise<void> => {
    do {
      await run(1);
      runs++;
    } while (performance.now() - startedMs < ms);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const { user, system } = process.cpuUsage(before);
  return { forms, stepMicros: (user + system) / (runs * steps) };
});
