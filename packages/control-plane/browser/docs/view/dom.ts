import { toVisible } from '@waymark/contract/text';

/** What an element is made with: attributes by their names, listeners by their events. */
export interface Parts {
  /** True: there, without a value. False and undefined: not there. */
  readonly [attribute: string]: string | number | boolean | undefined | Listeners;
  readonly on?: Listeners;
}

type Listeners = Readonly<Record<string, (event: Event) => void>>;

/** An element inside another one, or a text, which never becomes markup. */
export type Child = Node | string | false | undefined;

/** Attributes whose text is shown or read out. */
const shownAttributes: ReadonlySet<string> = new Set(['title', 'aria-label', 'alt', 'placeholder']);

/** Makes an element. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { on = {}, ...attributes }: Parts = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string' || typeof value === 'number') setAttribute(element, name, `${value}`);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  addChildren(element, ...children);
  return element;
}

/** Writes a text in the place of what is inside. */
export function setText(element: Element, text: string): void {
  element.textContent = toVisible(text);
}

/** Puts others in the place of what is inside. */
export function setChildren(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...toShown(children));
}

/** Puts more behind what is inside. */
export function addChildren(element: Element, ...children: readonly Child[]): void {
  element.append(...toShown(children));
}

/** Names the page. */
export function setTitle(title: string): void {
  document.title = toVisible(title);
}

/** Sets an attribute; one that is shown or read out as a text is. */
function setAttribute(element: Element, name: string, value: string): void {
  element.setAttribute(name, shownAttributes.has(name) ? toVisible(value) : value);
}

/** An element that is opened by its first line. What is inside is made when it is first opened. */
export function unfolding(
  summary: readonly Child[],
  make: () => readonly Child[],
  { open = false, class: name }: { readonly open?: boolean; readonly class?: string } = {},
): HTMLDetailsElement {
  const element = el('details', { class: name }, el('summary', {}, ...summary));
  let made = false;
  const fill = (): void => {
    if (made || !element.open) return;
    made = true;
    addChildren(element, ...make());
  };
  element.addEventListener('toggle', fill);
  if (open) {
    element.open = true;
    fill();
  }
  return element;
}

/** What somebody sees of a text is all of it: what cannot be seen is written out. */
function toShown(children: readonly Child[]): readonly (Node | string)[] {
  return children
    .filter((child) => child !== undefined && child !== false)
    .map((child) => (typeof child === 'string' ? toVisible(child) : child));
}
