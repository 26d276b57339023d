import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

/** A page of a device that is open, and what it did that it should not. */
export interface OpenedPage {
  readonly page: Page;
  /** Violations of its policy, requests to other origins, errors of its scripts. */
  readonly faults: readonly string[];
}

/** How somebody opens it. */
export interface OpenOptions {
  /** In the fragment of the address. */
  readonly key?: string;
  readonly width?: number;
}

/** Starts a browser. Two of its pages work at the same time, also behind each other. */
export function launchBrowser(executablePath: string, more: readonly string[] = []): Promise<Browser> {
  const args = [
    ...['--no-sandbox', '--disable-gpu', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ...['--disable-background-timer-throttling', '--disable-renderer-backgrounding'],
    '--disable-backgrounding-occluded-windows',
    `--disable-features=${[...withoutByPlaywright, ...withoutHere].join(',')}`,
    ...more,
  ];
  return chromium.launch({ executablePath, args });
}

/** What Playwright starts a Chromium without: of two lists it heeds the last alone. */
const withoutByPlaywright = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];

/**
 * Nobody sees its address bar, and yet what that suggests are two pages of Chromium's own, each in a process, in every context:
 * without them a context that opens the console takes half the time of the processor, 0.8 s instead of 1.4.
 */
const withoutHere = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];

/** What is there in a page, of which this program has no types. */
interface InPage {
  reportViolation(text: string): void;
  addEventListener(type: string, listener: (event: Readonly<Record<string, string>>) => void): void;
}

/** Opens a page of a device in a context of its own: nothing is known there of other tabs. */
export async function openDevicePage(
  browser: Browser,
  address: string,
  { key, width = 1_200 }: OpenOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ colorScheme: 'light', viewport: { width, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on('pageerror', (error) => void faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted|Permissions-Policy/i.test(message.text()))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('blob:')) faults.push(`request to ${url}`);
    if (key !== undefined && url.includes(key)) faults.push('the key stands in an address');
  });
  await page.exposeFunction('reportViolation', (text: string) => void faults.push(text));
  await page.addInitScript(() => {
    const { reportViolation, addEventListener } = globalThis as unknown as InPage;
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      reportViolation(`violates ${effectiveDirective}: ${blockedURI}`);
    });
  });
  await page.goto(key === undefined ? address : `${address}#key=${encodeURIComponent(key)}`);
  return { page, faults };
}

/** What axe finds wrong with a page as it is now, one line each. @param dark in the dark, too, where it differs by its colours */
export async function accessibilityFaults(page: Page, dark = false): Promise<readonly string[]> {
  // Half a megabyte of script, which stays for as long as the document does.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  const faults = await faultsBy(page);
  if (!dark) return faults;
  await page.emulateMedia({ colorScheme: 'dark' });
  const inTheDark = await faultsBy(page, colourRules);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...faults, ...inTheDark.map((fault) => `in the dark: ${fault}`)];
}

/** Rules of axe that colours decide. */
const colourRules = ['color-contrast', 'link-in-text-block'] as const;

function faultsBy(page: Page, runOnly?: readonly string[]): Promise<readonly string[]> {
  return page.evaluate(async (only) => {
    const { run } = (globalThis as unknown as { axe: Axe }).axe;
    interface Axe {
      run(options: Options): Promise<{ violations: Violation[] }>;
    }
    interface Options {
      readonly resultTypes: readonly string[];
      readonly runOnly?: readonly string[];
    }
    interface Violation {
      readonly id: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }
    // All rules are tried unless some are named; of what is right the details are not written.
    const { violations } = await run({ resultTypes: ['violations'], ...(only && { runOnly: only }) });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, runOnly);
}

/** Leaves a picture of a whole page for somebody to look at. @param dark and one of it in the dark */
export async function photograph(page: Page, path: string, dark: boolean): Promise<void> {
  await page.screenshot({ path: `${path}.png`, fullPage: true });
  if (!dark) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: `${path} (dark).png`, fullPage: true });
  await page.emulateMedia({ colorScheme: 'light' });
}

/** The ways in which a page is looked at: with and without light, and on a phone. */
export const looks = [
  { name: 'light and dark', dark: true, width: 1_200 },
  { name: 'on a phone', dark: false, width: 360 },
] as const;

/** Whether anything stands out at the side. */
export function isWiderThanItsWindow(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > innerWidth');
}
