import { dirname } from 'node:path';
import { runUntilSignal } from '@waymark/server';
import { formatReport } from '../src/boot/first-screen.ts';
import { isLoopback } from '../src/check/is-loopback.ts';
import { exitCodes, printFailure } from '../src/cli/output/print-failure.ts';
import { UsageError } from '../src/cli/output/usage-error.ts';
import { hasColors } from '../src/cli/terminal/has-colors.ts';
import { helpHint, listenForKeys } from '../src/cli/terminal/hot-keys.ts';
import { consoleLink } from '../src/develop/console-link.ts';
import { devKeys } from '../src/develop/dev-keys.ts';
import { privateFolder } from '../src/develop/private-folder.ts';
import { resolveSettings } from '../src/options/resolve-settings.ts';
import { createExample } from './application.ts';
import { startBilling } from './billing.ts';
import { chooseModels } from './choose-models.ts';
import { startDockCamera } from './dock-camera.ts';
import { hotKeys } from './hot-keys.ts';
import { keyNames } from './key-roles.ts';
import { readWords } from './read-words.ts';
import { startSightingsReceiver } from './sightings-receiver.ts';
import { simulateDevices } from './simulate-devices.ts';
import { tour } from './tour.ts';

/** Runs the reference application: `npm start`. */
async function main(): Promise<void> {
  const { flags, tour: isToured } = readWords(process.argv.slice(2));
  const file = '.waymark/dev.env';
  const data = '.waymark/support-desk.db';
  const missing = keyNames.filter((name) => process.env[name] === undefined);
  const { host } = resolveSettings({}, flags);
  // Keys that are printed and lie in a file are for this machine alone.
  const dev = missing.length > 0 && isLoopback(host) ? devKeys(file, missing) : undefined;
  const env = { ...process.env, ...dev?.keys };
  privateFolder(dirname(data));
  const billing = await startBilling();
  const dock = await startDockCamera();
  const sightings = await startSightingsReceiver();
  const app = createExample(
    { env: { ...env, SIGHTINGS_SECRET: sightings.secret }, database: `sqlite://${data}` },
    { billingUrl: billing.url, dockUrl: dock.url, sightingsUrl: sightings.url },
  );
  const simulated = await chooseModels(app, env);
  const running = await app.listen(flags).catch(async (error: unknown) => {
    await simulated?.close();
    billing.close();
    dock.close();
    sightings.close();
    throw error;
  });
  sightings.keepIn(app.database);
  // Before anything is said: whoever reads "is ready" may stop it at once.
  const stopDevices = simulateDevices(running.url, env['DEVICE_KEY'] ?? '');
  const close = (): Promise<void> => {
    stopDevices();
    return running.close();
  };
  const stopped = runUntilSignal({ ...running, close });
  const { controlPrefix } = resolveSettings({});
  const consoleUrl = (): Promise<string | undefined> =>
    consoleLink({ url: running.url, controlPrefix, keys: [env['OPERATOR_KEY'] ?? ''] });
  const shown = (): string => tour(running.url, { file: dev?.file, failUrl: dock.failUrl });
  const keys = listenForKeys(hotKeys(running.url, { tour: shown, console: consoleUrl, file: dev?.file }));
  const screen = { color: hasColors(process.stdout), ...(keys && { hint: helpHint }) };
  const opens = isLoopback(host) ? await consoleUrl() : undefined;
  const report = {
    ...running.report,
    ...(opens !== undefined && { consoleUrl: opens }),
    ...(dev && { keys: dev }),
    ...(simulated && { models: simulated.notice }),
  };
  console.log(formatReport(report, screen));
  // Where nobody sits who could press a key.
  if (isToured) console.log(shown());
  await stopped.finally(() => keys?.close());
}

main().catch(async (error: unknown) => {
  if (error instanceof UsageError) {
    console.error(error.message);
    process.exitCode = exitCodes.usage;
    return;
  }
  // A variable would not win over a word.
  const isTold = process.argv.some((word) => /^--(host|port)\b/.test(word));
  process.exitCode = await printFailure(error, isTold ? undefined : { host: 'WAYMARK_HOST=', port: 'PORT=' });
});
