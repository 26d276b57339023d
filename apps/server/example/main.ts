import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { formatReport, runUntilSignal } from '@waymark/server';
import { printFailure } from '../src/cli/print-failure.ts';
import { isLoopback } from '../src/compose.ts';
import { resolveSettings } from '../src/options.ts';
import { createExample } from './application.ts';
import { chooseModels } from './choose-models.ts';
import { devKeys, keyRoles } from './dev-keys.ts';
import { tour } from './tour.ts';

/** Runs the reference application: `npm start`. */
async function main(): Promise<void> {
  const file = '.waymark/dev.env';
  const data = '.waymark/support-desk.db';
  const given = Object.keys(keyRoles).some((name) => process.env[name] !== undefined);
  const { host } = resolveSettings({});
  // Keys that are printed and lie in a file are for this machine alone.
  const dev = given || !isLoopback(host) ? undefined : devKeys(file);
  const env = { ...process.env, ...dev?.keys };
  mkdirSync(dirname(data), { recursive: true });
  const app = createExample({ env, database: `sqlite://${data}` });
  const simulated = await chooseModels(app, env);
  const running = await app.listen().catch(async (error: unknown) => {
    await simulated?.close();
    throw error;
  });
  // Before anything is said: whoever reads "is ready" may stop it at once.
  const stopped = runUntilSignal(running);
  console.log(formatReport(running.report));
  if (simulated) console.log(simulated.notice);
  if (dev) console.log(tour(running.url, dev, file));
  await stopped;
}

main().catch((error: unknown) => {
  process.exitCode = printFailure(error);
});
