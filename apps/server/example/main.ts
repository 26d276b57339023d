import { formatReport, runUntilSignal } from '@waymark/server';
import { printFailure } from '../src/cli/print-failure.ts';
import { createExample } from './application.ts';
import { devKeys, keyRoles } from './dev-keys.ts';
import { tour } from './tour.ts';

/** Runs the reference application: `npm start`. */
async function main(): Promise<void> {
  const file = '.waymark/dev.env';
  const given = Object.keys(keyRoles).some((name) => process.env[name] !== undefined);
  const host = process.env['WAYMARK_HOST'] ?? '127.0.0.1';
  const dev = given || host !== '127.0.0.1' ? undefined : devKeys(file);
  const running = await createExample({ env: { ...process.env, ...dev?.keys } }).listen();
  console.log(formatReport(running.report));
  if (dev) console.log(tour(running.url, dev, file));
  await runUntilSignal(running);
}

main().catch((error: unknown) => {
  process.exitCode = printFailure(error);
});
