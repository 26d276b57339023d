import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@waymark/contract/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Program, startProgram } from './program.ts';

/** The keys of the reference application, as these tests start it. */
export const keys = {
  OPERATOR_KEY: 'operator-key-of-the-console',
  DEVICE_KEY: 'device-key-of-the-console',
  READER_KEY: 'reader-key-of-the-console',
} as const;

/** A reference application that was started, with a folder of its own. */
export interface Desk {
  readonly url: string;
  /** The line of the first screen that opens the console signed in. */
  readonly link: string;
  /** Ends the process without a word, and starts another one on the same port and folder. */
  restart(): Promise<void>;
  /** Another link, by the route that `o` in the terminal of the desk asks for one. */
  newLink(): Promise<string>;
  /** Calls a route as the operator. */
  get(path: string): Promise<Readonly<Record<string, unknown>>>;
  post(path: string, body: object, key?: string): Promise<Readonly<Record<string, unknown>>>;
  /** Has the camera of the dock fail for so many seconds, at the address that the tour prints. */
  failDock(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts the reference application. @param past what happened in its folder before */
export async function startDesk(past?: (folder: string) => Promise<void>): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  await past?.(folder);
  const start = async (port: string): Promise<readonly [Program, string]> => {
    const program = startProgram('apps/server/example/main.ts', {
      cwd: folder,
      env: { ...keys, PORT: port, LOG_LEVEL: 'error' },
      argv: ['--tour'],
    });
    const [, url = ''] = await program.saying(/url +(http:\S+)/);
    return [program, url];
  };
  let [program, url] = await start(String(await freePort()));
  const [, link = ''] = await program.saying(/console +(http:\S+)\n/);
  const ask = async (path: string, init: RequestInit, key: string = keys.OPERATOR_KEY) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(url + path, { ...init, headers });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  return {
    ...{ url, link },
    restart: async () => {
      program.child.kill('SIGKILL');
      await program.ended();
      [program, url] = await start(new URL(url).port);
    },
    newLink: async () => {
      const { code } = await ask('/_svc/session/code', { method: 'POST' });
      return `${url}/_svc/console#code=${String(code)}`;
    },
    get: (path) => ask(path, {}),
    post: (path, body, key) => ask(path, { method: 'POST', body: JSON.stringify(body) }, key),
    failDock: async (seconds) => {
      const [, address = ''] = await program.saying(/'(http:\S+\/fail\?seconds=)30'/);
      await fetch(address + seconds, { method: 'POST' });
    },
    close: async () => {
      program.child.kill('SIGTERM');
      await program.ended();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The console in a window of its own, and what it did that it should not. */
export interface OpenedConsole {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of its policy, requests to other origins or with a key in the address, errors of its scripts. */
  readonly faults: readonly string[];
}

interface OpenOptions {
  /** Nobody signs in without one. */
  readonly key?: string | undefined;
  readonly width?: number;
}

/** What is there in a page, of which this program has no types. */
interface InPage {
  reportViolation(text: string): void;
  addEventListener(type: string, listener: (event: Readonly<Record<string, string>>) => void): void;
}

/** Opens the console at a place, and signs in with a key that is typed. */
export async function openConsole(
  browser: Browser,
  url: string,
  place = '#/',
  { key = keys.OPERATOR_KEY, ...look }: OpenOptions = {},
): Promise<OpenedConsole> {
  const opened = await openWindow(browser, `${url}/_svc/console${place}`, look);
  if (key !== '') await signIn(opened.page, key);
  return opened;
}

/** Opens the console by a link that signs in. */
export async function openByLink(browser: Browser, link: string): Promise<OpenedConsole> {
  expect(link).toMatch(/\/_svc\/console#code=[\w-]{22}$/);
  const opened = await openWindow(browser, link);
  await opened.page.waitForSelector('.frame');
  return opened;
}

/** Opens an address of the console in a window that nobody has used. */
export async function openWindow(
  browser: Browser,
  address: string,
  { width = 1_200 }: Pick<OpenOptions, 'width'> = {},
): Promise<OpenedConsole> {
  const { origin } = new URL(address);
  const context = await browser.newContext({ colorScheme: 'light', viewport: { width, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => void faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(origin) && !asked.startsWith('blob:')) faults.push(`request to ${asked}`);
    if (Object.values(keys).some((one) => asked.includes(one))) faults.push('a key stands in an address');
  });
  await page.exposeFunction('reportViolation', (text: string) => void faults.push(text));
  await page.addInitScript(() => {
    const { reportViolation, addEventListener } = globalThis as unknown as InPage;
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      reportViolation(`violates ${effectiveDirective}: ${blockedURI}`);
    });
  });
  await page.goto(address);
  return { page, context, faults };
}

/** Types a key where the console asks for one. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.fill('#key', key);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.frame');
}

/** Presses a key until something comes of it: a question hears none in its first second. */
export async function pressUntil(page: Page, key: string, done: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(async () => {
      if (await done()) return true;
      await page.keyboard.press(key);
      return done();
    })
    .toBe(true);
}
