import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type OpenedPage, type OpenOptions, openDevicePage } from './device-pages.ts';
import { startProgram } from './program.ts';

/** Keys of the reference application. */
export const docsKeys = {
  OPERATOR_KEY: 'operator-key-of-the-tests',
  DEVICE_KEY: 'device-key-of-the-tests',
  READER_KEY: 'reader-key-of-the-tests',
} as const;

/** The reference application, started. */
export interface StartedReference {
  readonly url: string;
  /** Of the page of its document. */
  readonly docs: string;
  stop(): Promise<void>;
}

/** Starts it in a folder of its own. */
export async function startReference(): Promise<StartedReference> {
  const folder = mkdtempSync(join(tmpdir(), 'docs-page-'));
  const program = startProgram('apps/server/example/main.ts', {
    cwd: folder,
    env: { ...docsKeys, PORT: '0', LOG_LEVEL: 'error' },
  });
  const [, docs = ''] = await program.saying(/docs +(http:\S+)/);
  return {
    url: new URL(docs).origin,
    docs,
    async stop() {
      program.child.kill('SIGTERM');
      await program.ended();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Opens the page, at an operation, and shows a key where it asks for one. */
export async function openDocs(
  browser: Browser,
  docs: string,
  {
    operation,
    key = docsKeys.OPERATOR_KEY,
    ...look
  }: Omit<OpenOptions, 'key'> & { readonly operation?: string; readonly key?: string } = {},
): Promise<OpenedPage> {
  const opened = await openDevicePage(
    browser,
    operation === undefined ? docs : `${docs}#/${operation}`,
    look,
  );
  const { page } = opened;
  await page.getByLabel('Key').waitFor();
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
  await page.locator('#main h1').waitFor();
  return opened;
}
