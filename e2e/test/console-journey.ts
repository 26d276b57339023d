import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, type OpenedConsole, openByLink, openWindow, startDesk } from './console-desk.ts';
import { launchBrowser } from './device-pages.ts';

/** Somebody at a reference application that has just been started, let in by the link that it printed. */
export interface Traveller extends OpenedConsole {
  readonly desk: Desk;
  /** Goes to a place of the console: `#/runs`. */
  go(place: string): Promise<void>;
  /** Somebody else, in a window of their own, let in by a link of their own. */
  colleague(): Promise<OpenedConsole>;
  /** Opens an address in a window of its own, where nobody is signed in yet. */
  open(address: string): Promise<OpenedConsole>;
}

/** Declares what somebody does at the console, as a test. */
export type DeclareJourney = (
  does: string,
  walk: (traveller: Traveller) => Promise<void>,
  past?: (folder: string) => Promise<void>,
) => void;

/**
 * Journeys of operators: each has a browser context and a reference application of its own, freshly started, and begins as
 * its operator does, with the printed link. None may leave a fault behind: a violation of the policy, a request elsewhere,
 * a key in an address, an error of a script.
 */
export function journeysOf(executablePath: string): DeclareJourney {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(executablePath);
  });
  afterAll(() => browser?.close());
  return (does, walk, past) => {
    // oxlint-disable-next-line vitest/valid-title -- whoever declares a journey writes it out
    it(does, async () => {
      const desk = await startDesk(past);
      const windows: OpenedConsole[] = [];
      const open = async (address: string, opens = openWindow): Promise<OpenedConsole> => {
        const opened = await opens(browser, address);
        windows.push(opened);
        return opened;
      };
      try {
        const mine = await open(desk.link, openByLink);
        await mine.page.getByText('signed in as operator').waitFor();
        const go = async (place: string): Promise<void> => {
          await mine.page.goto(`${desk.url}/_svc/console${place}`);
        };
        const colleague = async () => open(await desk.newLink(), openByLink);
        await walk({ ...mine, desk, go, colleague, open: (address) => open(address) });
        expect(windows.flatMap(({ faults }) => faults)).toEqual([]);
      } finally {
        for (const { context } of windows) await context.close();
        await desk.close();
      }
    });
  };
}
