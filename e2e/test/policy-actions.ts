import type { Page } from 'playwright-core';

// What these scripts use of a browser's globals: the compiler knows those of node only.
interface Violation {
  readonly violatedDirective: string;
  readonly blockedURI: string;
}
declare const document: {
  readonly body: { append(child: object): void };
  readonly styleSheets: { item(i: number): { readonly cssRules: { readonly length: number } } | null };
  createElement(name: string): { textContent: string };
  addEventListener(type: string, listener: (violation: Violation) => void): void;
};
declare const refused: (what: string) => void;

/** Collects what the policy of a page refuses, from its first byte on: directive and what it stopped. */
export async function watchPolicy(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  await page.exposeFunction('refused', (what: string) => void found.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      refused(`${violatedDirective} ${blockedURI}`),
    );
  });
  return found;
}

/** The rules of the first style sheet that a page loaded. */
export function countStyles(page: Page): Promise<number> {
  return page.evaluate(() => document.styleSheets.item(0)?.cssRules.length ?? 0);
}

/** Puts a script into a page, as markup of a stranger would. */
export function injectScript(page: Page): Promise<void> {
  return page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "ran"';
    document.body.append(script);
  });
}
