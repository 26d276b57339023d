// Draws docs/console/*.png: each page of the operator console in both themes and on a phone, of a reference application that
// is started for it. Needs a Chromium (CHROMIUM names one) and an ffmpeg, which makes the pictures small.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { repositoryRoot } from '../tools/lib/workspace.ts';

const key = 'operator-key-for-pictures';
/** Named on the command line: `route runs`; all without any. */
const only = process.argv.slice(2);
const folder = join(repositoryRoot, 'docs/console');

/** Each page, by its place, and what is there once it is drawn. */
const pages = (run: string): readonly (readonly [name: string, place: string, shown: string])[] => [
  ['overview', '#/', '.uplot'],
  ['approvals', '#/approvals', '.asked a'],
  ['runs', '#/runs', '.table .body .line'],
  ['run', `#/runs/${run}?step=5`, '.step'],
  ['playground', '#/playground/agent/support', '#words'],
  ['devices', '#/devices', '.live img'],
  ['device', '#/devices/lobby', '.insights li'],
  ['routes', '#/routes', '.table .body .line'],
  ['route', '#/routes/POST%20%2Ftickets', '.surfaces pre'],
  ['reference', '#/reference/create_ticket', 'iframe'],
  ['usage', '#/usage', '.uplot'],
  ['audit', '#/audit', '.table .body .line'],
  ['webhooks', '#/webhooks/watcher%3Alobby_watch', '.table .body .line'],
  ['security', '#/security', '.findings'],
  ['data', '#/data/tickets/1', '.event-view .pairs'],
];

const looks = [
  { name: 'light', colorScheme: 'light', width: 1_200, height: 760 },
  { name: 'dark', colorScheme: 'dark', width: 1_200, height: 760 },
  { name: 'phone', colorScheme: 'light', width: 360, height: 740 },
] as const;

const work = mkdtempSync(join(tmpdir(), 'console-pictures-'));
const desk = spawn(
  process.execPath,
  ['--conditions=@waymark/source', join(repositoryRoot, 'apps/server/example/main.ts')],
  {
    cwd: work,
    env: {
      ...{ PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'error', OPERATOR_KEY: key },
      ...{ DEVICE_KEY: 'device-key-for-pictures', READER_KEY: 'reader-key-for-pictures' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  mkdirSync(folder, { recursive: true });
  const url = await new Promise<string>((resolve) => {
    let said = '';
    desk.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = /url +(http:\S+)\n/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  await draw(url, await furnish(url));
} finally {
  desk.kill('SIGTERM');
  await new Promise((resolve) => desk.once('close', resolve));
  rmSync(work, { recursive: true });
}

/** Something of each kind to look at. @returns the id of a run with many steps */
async function furnish(url: string): Promise<string> {
  const post = async (path: string, body: object): Promise<{ readonly run_id?: string }> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { readonly run_id?: string };
  };
  await post('/flows/refund', { customer: 1, euros: 49, reason: 'Billed twice in March.' });
  await post('/behaviours/triage', { escalate: true });
  await post('/agents/archivist', { input: '[[call digest_tickets {}]] [[say Nothing to purge.]]' });
  const { run_id: run = '' } = await post('/agents/support', {
    input:
      'Pay customer 2 back. [[call list_open_tickets {}]] [[handoff biller a refund]] [[call list_invoices {"id":2}]] [[call refund_customer {"id":2,"euros":49}]] [[say Paid.]]',
  });
  return run;
}

async function draw(url: string, run: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  for (const { name: look, colorScheme, width, height } of looks) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height } });
    await page.goto(`${url}/_svc/console`);
    await page.fill('#key', key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.frame');
    for (const [name, place, shown] of pages(run)) {
      if (only.length > 0 && !only.includes(name)) continue;
      await page.goto(`${url}/_svc/console${place}`);
      await page.waitForSelector(shown);
      // What arms after a second, and what comes in a burst, is there by then.
      await page.waitForTimeout(1_500);
      // What the machine of whoever draws them was busy with is no picture of the console.
      await page.getByText('Degraded.', { exact: true }).waitFor({ state: 'detached', timeout: 120_000 });
      const drawn = join(work, 'drawn.png');
      await page.screenshot({ path: drawn });
      toPalette(drawn, join(folder, `${name}-${look}.png`));
    }
    await page.close();
  }
  await browser.close();
}

function toPalette(from: string, to: string): void {
  const filter = 'split[a][b];[a]palettegen=max_colors=128:stats_mode=single[p];[b][p]paletteuse=dither=none';
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', from, '-vf', filter, to]);
}
