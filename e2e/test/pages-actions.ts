import type { Page } from 'playwright-core';

// What these scripts use of a browser's globals: the compiler knows those of node only.
interface Element {
  readonly textContent: string;
  readonly tagName: string;
  name: string;
  href: string;
  hidden: boolean;
  append(child: Element): void;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  dispatchEvent(event: Event): boolean;
}
declare const document: {
  readonly body: Element;
  createElement(name: string): Element;
  getElementById(id: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
};
declare const MouseEvent: new (type: string, options: object) => Event;

/**
 * Does on a page of `everyPlace` whatever a visitor can do: each link is followed and each form sent, into a frame of
 * its own, where a script would run as well. The last link does run, `ran(-1)`: what came before it has had its turn.
 *
 * @returns how many links and forms there were
 */
export function visitEverything(page: Page): Promise<number> {
  return page.evaluate(() => {
    for (const node of document.querySelectorAll('section, section *'))
      for (const type of ['focus', 'mouseover', 'load', 'error', 'toggle'])
        node.dispatchEvent(new Event(type));
    const visit = (node: Element, n: number): void => {
      const frame = document.createElement('iframe');
      frame.name = `elsewhere${n}`;
      // It is a page with all its scripts, and yet nothing of it is drawn.
      frame.hidden = true;
      document.body.append(frame);
      node.setAttribute(node.tagName === 'BUTTON' ? 'formtarget' : 'target', frame.name);
      node.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    };
    const all = [...document.querySelectorAll('a.link, section button')];
    for (const [n, node] of all.entries()) visit(node, n);
    const last = document.createElement('a');
    last.href = 'javascript:ran(-1)';
    document.body.append(last);
    visit(last, all.length);
    return all.length;
  });
}

/** The texts of a page of `everyPlace` as a browser reads them, by the place they stand in. */
export function readEverything(page: Page): Promise<Readonly<Record<string, readonly (string | null)[]>>> {
  return page.evaluate(() => {
    const texts = (selector: string) =>
      [...document.querySelectorAll(selector)].map((node) => node.textContent);
    const attributes = (selector: string, name: string) =>
      [...document.querySelectorAll(selector)].map((node) => node.getAttribute(name));
    const json = (id: string) => JSON.parse(document.getElementById(id)?.textContent ?? '');
    return {
      texts: texts('section > p'),
      titles: attributes('section > p', 'title'),
      data: attributes('section > p', 'data-text'),
      areas: texts('section textarea'),
      options: attributes('section option', 'value'),
      partials: texts('section em'),
      json: json('rows').map(({ text }: { text: string }) => text),
      deep: json('deep').list[1].map(({ text }: { text: string }) => text),
    };
  });
}
