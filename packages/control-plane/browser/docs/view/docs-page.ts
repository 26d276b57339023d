import { type Api, readApi } from '../model/api.ts';
import { type Asked, askForKey } from './ask-for-key.ts';
import { addChildren, el, setChildren, setTitle } from './dom.ts';
import { keyMenu } from './key-menu.ts';
import { type Loaded, loadDocument } from './load-document.ts';
import { operationAt } from './operation-href.ts';
import { OperationView } from './operation-view.ts';
import { overview } from './overview.ts';
import { Sidebar } from './sidebar.ts';
import { Visitor } from './visitor.ts';

/** Opens the page: asks for the document, for a key where it is not given without one, and shows it. */
export async function openDocsPage(place: HTMLElement): Promise<void> {
  const visitor = new Visitor();
  setChildren(place, el('main', { class: 'alone' }, el('p', { class: 'soft' }, 'Loading …')));
  let loaded = await loadDocument(undefined);
  if (loaded.is === 'document') visitor.cameInWithoutKey();
  while (loaded.is !== 'document') {
    const main = el('main', { class: 'alone' });
    setChildren(place, main);
    if (loaded.is === 'failed') await failed(main, loaded.detail);
    else visitor.key = await askForKey(main, toAsked(loaded, visitor.key));
    loaded = await loadDocument(visitor.key);
  }
  showDocument(place, readApi(loaded.document), visitor);
}

function toAsked(
  { reason, detail }: Extract<Loaded, { readonly is: 'refused' }>,
  key: string | undefined,
): Asked {
  if (reason === 'unknown' && key === undefined)
    return {
      title: 'API documentation',
      text: 'Who may read the documentation of this service shows a key. Enter one that holds svc:admin.',
      refused: false,
    };
  return reason === 'unknown'
    ? {
        title: 'This key is not known',
        text: 'Check that it was copied whole, or enter another one.',
        refused: true,
      }
    : {
        title: 'You may not read this',
        text: `${detail || 'It is for keys that hold svc:admin.'}. Enter another key, or ask for this one to be let in.`,
        refused: true,
      };
}

/** Until somebody wants to try again. */
function failed(place: HTMLElement, detail: string): Promise<void> {
  const again = el('button', { type: 'button', class: 'main' }, 'Try again');
  addChildren(
    place,
    el('section', { class: 'card sign-in' }, el('h1', {}, 'Nothing to show'), el('p', {}, detail), again),
  );
  again.focus();
  return new Promise((resolve) => again.addEventListener('click', () => resolve()));
}

function showDocument(place: HTMLElement, api: Api, visitor: Visitor): void {
  const root = rootOf(api);
  const sidebar = new Sidebar(api);
  const main = el('main', { id: 'main' });
  let shown: OperationView | undefined;
  const show = (focus: boolean): void => {
    const operation = operationAt(api, location.hash);
    shown?.leave();
    shown = operation && new OperationView(operation, { api, root, visitor });
    place.dataset['view'] = operation ? 'operation' : 'overview';
    setChildren(main, shown?.element ?? overview(api, root));
    setTitle(operation ? `${operation.summary || operation.id} · ${api.title}` : api.title);
    sidebar.mark(operation);
    if (!focus) return;
    scrollTo({ top: 0 });
    main.querySelector('h1')?.focus({ preventScroll: true });
  };
  const skip = el('a', { class: 'skip', href: '#main' }, 'To the operation');
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    main.querySelector('h1')?.focus();
  });
  setChildren(
    place,
    skip,
    el(
      'header',
      { class: 'top' },
      el('a', { href: '#/', class: 'home' }, api.title),
      el('span', { class: 'version' }, api.version),
      keyMenu(api, visitor),
    ),
    sidebar.element,
    main,
  );
  addEventListener('hashchange', () => show(true));
  addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    sidebar.focusSearch();
  });
  show(false);
}

/** Where the service is: this page without its own path, since the service may be mounted below another one. */
function rootOf({ docs }: Api): string {
  const { origin, pathname } = location;
  const path = docs !== undefined && pathname.endsWith(docs) ? pathname.slice(0, -docs.length) : '';
  return origin + path;
}
