import { askAdmission, type Probe, type Standing } from './admission.ts';
import { Announcer } from './announcer.ts';
import { Credentials } from './credentials.ts';
import { type DevicePath, devicePath } from './device-path.ts';
import { el, setChildren, setTitle } from './dom.ts';
import { PageHeader } from './page-header.ts';
import { askForKey } from './sign-in.ts';
import { asksForKey, type Purpose, sentenceFor, type Trouble } from './trouble.ts';

/** What a page is made of once somebody was let in. */
export interface Page {
  readonly device: DevicePath;
  readonly credentials: Credentials;
  readonly header: PageHeader;
  readonly announcer: Announcer;
  /** Empty, and its own for as long as it runs. */
  readonly main: HTMLElement;
}

/** One of the pages of a device. */
export interface PageKind {
  readonly purpose: Purpose;
  readonly probe: Probe;
  /** Works until it may not, and gives why. @param answer what the probe was answered */
  run(page: Page, answer: unknown): Promise<Trouble>;
}

const shortestWaitMs = 1_000;
const longestWaitMs = 15_000;

/** Runs a page for good: asks to be let in, for a key if one is needed, and begins again when that is over. */
export async function startPage({ purpose, probe, run }: PageKind): Promise<never> {
  const device = devicePath();
  const credentials = new Credentials();
  const announcer = new Announcer();
  const link =
    purpose === 'view'
      ? { href: './connect', text: 'Use a camera here' }
      : { href: './view', text: 'Watch live' };
  const header = new PageHeader(device.name, link, announcer);
  const main = el('main');
  const page: Page = { device, credentials, header, announcer, main };
  setTitle(device.name);
  setChildren(document.body, header.element, main, announcer.element);
  // Somebody who is here already may open an address with a key.
  addEventListener('hashchange', () => location.reload());

  let waits = 0;
  let wasIn = false;
  for (;;) {
    header.show('connecting', 'Connecting');
    const standing = await askAdmission(device.url, probe, credentials);
    if (standing.admitted) {
      waits = 0;
      wasIn = true;
      setChildren(main);
      const trouble = await run(page, standing.answer);
      // Another key is asked for when the probe says so, too.
      if (!asksForKey(trouble)) await waitAWhile(page, purpose, { admitted: false, trouble }, waits++);
      continue;
    }
    // It was taken a moment ago.
    const trouble = standing.trouble === 'key-wrong' && wasIn ? 'key-expired' : standing.trouble;
    if (asksForKey(trouble)) {
      wasIn = false;
      await takeKey(page, purpose, trouble);
    } else await waitAWhile(page, purpose, { ...standing, trouble }, waits++);
  }
}

async function takeKey(
  { device, credentials, header, main }: Page,
  purpose: Purpose,
  trouble: Trouble,
): Promise<void> {
  const sentence = sentenceFor(trouble, device.name, purpose);
  header.show('refused', sentence.title);
  const refused = trouble !== 'key-missing';
  credentials.set(await askForKey(main, { ...sentence, device: device.name, refused }));
}

/** Says what is wrong until it is worth another try: longer each time, or when somebody asks for it. */
async function waitAWhile(
  { device, header, main }: Page,
  purpose: Purpose,
  { trouble, detail, retryAfterMs }: Extract<Standing, { readonly admitted: false }>,
  waits: number,
): Promise<void> {
  const { title, text } = sentenceFor(trouble, device.name, purpose);
  const again = el('button', { type: 'button' }, 'Try again now');
  setChildren(
    main,
    el(
      'section',
      { class: 'card notice' },
      el('h2', {}, title),
      el('p', {}, text),
      detail !== undefined && el('p', { class: 'detail' }, `The server says: ${detail}`),
      again,
    ),
  );
  header.show('refused', title);
  const waitMs = Math.max(retryAfterMs ?? 0, Math.min(longestWaitMs, shortestWaitMs * 2 ** waits));
  const over = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
    again.addEventListener('click', () => resolve());
    // A laptop that was opened, a phone that is back in its network.
    addEventListener('online', () => resolve(), { signal: over.signal });
  });
  over.abort();
}
