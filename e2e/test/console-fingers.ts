import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Tabs that lead through any page of the reference application. */
const mostTabs = 150;

/** A page that is used by keyboard alone. */
export interface Fingers {
  readonly page: Page;
  /** Keys one after the other: `g a`. */
  press(keys: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Tab, or Shift and Tab, until what has the focus is called so; each on the way must show that it has it. */
  tabTo(name: RegExp, way?: 'Tab' | 'Shift+Tab'): Promise<void>;
  /** What has the focus, by its name. */
  focused(): Promise<string>;
  /** What was there when the focus was found nowhere for a while. */
  readonly lost: readonly string[];
}

/** What a page says of the element that has the focus. */
interface Focused {
  readonly name: string;
  readonly isSeen: boolean;
}

/** Watches a console that is signed in from here on. Its fingers never touch a mouse. */
export async function fingersOn(page: Page): Promise<Fingers> {
  const lost: string[] = [];
  await page.exposeFunction('tellLost', (what: string) => void lost.push(what));
  await page.evaluate(watchFocus);
  const look = (): Promise<Focused> => page.evaluate<Focused>(describeFocus);
  return {
    ...{ page, lost },
    press: async (keys) => {
      for (const key of keys.split(' ')) await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text),
    focused: async () => (await look()).name,
    tabTo: async (name, way = 'Tab') => {
      const passed: string[] = [];
      for (let i = 0; i < mostTabs; i++) {
        await page.keyboard.press(way);
        let focused = await look();
        // What has just come up may not be drawn yet.
        for (let left = 100; !focused.isSeen && left > 0; left--) {
          await page.waitForTimeout(50);
          focused = await look();
        }
        expect(focused.isSeen, `the focus is seen on “${focused.name}” after ${passed.join(' | ')}`).toBe(
          true,
        );
        if (name.test(focused.name)) return;
        passed.push(focused.name);
      }
      throw new Error(`no ${name} among ${passed.join(' | ')}`);
    },
  };
}

/** The name that is read out, as far as this page needs it, and whether somebody sees where the focus is. */
const describeFocus = `(() => {
  const element = document.activeElement;
  const label = element.labels?.[0] ?? (element.id && document.querySelector('label[for="' + element.id + '"]'));
  const name = element.getAttribute('aria-label') || (label || element).innerText || element.tagName;
  const shows = (one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const { width, height } = one.getBoundingClientRect();
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && width > 1 && height > 1;
  };
  // Past the last one the browser has it; the page itself has it when what had it is gone, until the next key.
  const isSeen = element === document.body || element.id === 'main' || (element.matches(':focus-visible') && (shows(element) || (label && shows(label))));
  return { name: name.replace(/\\s+/g, ' ').trim(), isSeen: Boolean(isSeen) };
})()`;

/** Tells of a focus that was nowhere for half a second, and what had it before. Whoever tabs past the last one meant it. */
const watchFocus = `(() => {
  let [before, meant, nowhere] = ['nothing', false, 0];
  addEventListener('keydown', ({ key }) => { meant = key === 'Tab'; }, true);
  setInterval(() => {
    const element = document.activeElement;
    const isNowhere = !element || element === document.body;
    if (!isNowhere) before = (element.getAttribute('aria-label') || element.innerText || element.tagName).slice(0, 60);
    nowhere = isNowhere && !meant ? nowhere + 1 : 0;
    if (nowhere === 5) tellLost(before + ' at ' + location.hash);
  }, 100);
})()`;
