import type { Page } from 'playwright-core';

// What these scripts use of a browser's globals: the compiler knows those of node only.
interface Element {
  append(child: Element): void;
  setAttribute(name: string, value: string): void;
  submit(): void;
  onload: (() => void) | null;
  method: string;
  action: string;
  src: string;
  srcdoc: string;
}
declare const document: { cookie: string; readonly body: Element; createElement(name: string): Element };
declare const window: {
  readonly opener: unknown;
  open(url: string): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
};

/** How a page fetches; the part of the browser's own that can be handed to it. */
export interface Init {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly mode?: 'cors' | 'no-cors';
  readonly credentials?: 'include';
  readonly keepalive?: boolean;
}

/** What a script got: the answer as far as the browser shows it, or that it shows none. */
export type Fetched =
  | {
      readonly type: string;
      readonly status: number;
      readonly text: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | 'refused';

/** Fetches from within a page. */
export function fetchFrom(page: Page, url: string, init: Init = {}): Promise<Fetched> {
  return page.evaluate(
    async ([target, options]): Promise<Fetched> => {
      try {
        const response = await fetch(target, options);
        const { type, status, headers } = response;
        return { type, status, text: await response.text(), headers: Object.fromEntries(headers) };
      } catch {
        return 'refused';
      }
    },
    [url, init] as const,
  );
}

/** Opens a WebSocket from within a page, sends one message and gives the answer to it. */
export function talkFrom(page: Page, url: string): Promise<string> {
  return page.evaluate(
    (target) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(target);
        socket.onopen = () => socket.send('hello');
        socket.onmessage = ({ data }) => {
          socket.close();
          resolve(String(data));
        };
        socket.onerror = () => resolve('refused');
      }),
    url,
  );
}

/** Submits a form, as a page can without any script's permission, and gives the status of where the browser ended. */
export async function submitFrom(page: Page, url: string): Promise<number | undefined> {
  const navigated = page.waitForResponse((response) => response.url() === url);
  await page.evaluate((target) => {
    const form = document.createElement('form');
    form.method = 'POST';
    form.action = target;
    document.body.append(form);
    form.submit();
  }, url);
  return (await navigated).status();
}

/** Frames an address, and says whether the browser shows it. */
export async function framesFrom(page: Page, url: string): Promise<boolean> {
  await page.evaluate(
    (target) =>
      new Promise<void>((resolve) => {
        const frame = document.createElement('iframe');
        frame.onload = () => resolve();
        frame.src = target;
        document.body.append(frame);
      }),
    url,
  );
  return page.frames().some((frame) => frame !== page.mainFrame() && frame.url() === url);
}

/** Opens an address in a window of its own. */
export async function openFrom(page: Page, url: string): Promise<Page> {
  const opened = page.context().waitForEvent('page');
  await page.evaluate((target) => window.open(target), url);
  const popup = await opened;
  await popup.waitForLoadState();
  return popup;
}

/** Whether a page still holds the window that opened it, and the other way round. */
export function hasOpener(page: Page): Promise<boolean> {
  return page.evaluate(() => window.opener !== null);
}

/** Sets a cookie the way pages do. */
export async function setCookieFrom(page: Page, cookie: string): Promise<void> {
  await page.evaluate((text) => {
    document.cookie = text;
  }, cookie);
}

/** Posts from a sandboxed frame, which has no origin: `null read` or `null refused`. */
export function postFromSandbox(page: Page, url: string): Promise<string> {
  return page.evaluate(
    (target) =>
      new Promise<string>((resolve) => {
        window.onmessage = ({ data }) => resolve(String(data));
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', 'allow-scripts');
        frame.srcdoc = `<script>fetch(${JSON.stringify(target)}, { method: 'POST' })
          .then(() => 'read', () => 'refused').then((got) => parent.postMessage(origin + ' ' + got, '*'))</script>`;
        document.body.append(frame);
      }),
    url,
  );
}
