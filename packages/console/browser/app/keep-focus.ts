/** What takes the focus when the element that had it is gone: what can have it, and what a reader would call a place. */
const places = '[tabindex], section, article, form, dialog, main';

/**
 * Keeps whoever works by keyboard where they are: when what had the focus leaves the page, since live data replaced it or it has
 * done its work, the nearest part of the page that is still there gets it, or what says there that it is the place to go on
 * (`data-home`). Focus that somebody gave up stays given up.
 */
export function keepFocus(): void {
  let last: { readonly element: HTMLElement; readonly around: readonly HTMLElement[] } | undefined;
  const isNowhere = (): boolean => document.activeElement === document.body || !document.activeElement;
  const look = (records: readonly MutationRecord[]): void => {
    if (!last || !isNowhere()) return;
    const { element, around } = last;
    const left = records.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(element)));
    // One that was moved is still there, and has lost it all the same.
    if (left) focusOn(element.isConnected ? element : toHome(around));
  };
  const changes = new MutationObserver(look);
  changes.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement) last = { element: target, around: [...ancestorsOf(target)] };
  });
  document.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget) return;
    queueMicrotask(() => {
      look(changes.takeRecords());
      if (isNowhere() && last?.element.isConnected) last = undefined;
    });
  });
}

/** Leaves a field: the keys of the page are heard again, and Tab goes on from where the field stands. */
export function leaveField(field: HTMLElement): void {
  focusOn(toHome([...ancestorsOf(field)]));
}

function toHome(around: readonly HTMLElement[]): HTMLElement {
  const [nearest] = around.filter((one) => one.isConnected);
  const main = document.getElementById('main') ?? document.body;
  return nearest?.querySelector<HTMLElement>('[data-home]') ?? nearest?.closest<HTMLElement>(places) ?? main;
}

function focusOn(element: HTMLElement): void {
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

function* ancestorsOf(element: HTMLElement): Generator<HTMLElement> {
  for (let one = element.parentElement; one; one = one.parentElement) yield one;
}
