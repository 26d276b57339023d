// Calls a provider as often as it is told: `caller.ts <who> <format> <url>`.
import type { CallerMessage, CallsDone } from './caller-process.ts';
import { type CallerName, makeCaller } from './callers.ts';
import type { Format } from './request.ts';

const [who, format, url = ''] = process.argv.slice(2);
const call = await makeCaller(who as CallerName, format as Format, url);
const tell = (message: CallerMessage): void => void process.send?.(message);

process.on('message', ({ calls, inFlight }: { readonly calls: number; readonly inFlight: number }) => {
  void run(calls, inFlight).then(tell);
});
process.on('disconnect', () => process.exit());
tell({ result: await call() });

async function run(calls: number, inFlight: number): Promise<CallsDone> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const { user, system } = process.cpuUsage(before);
  return { cpuMicros: (user + system) / calls, perSecond: (calls / (performance.now() - startedMs)) * 1000 };
}
