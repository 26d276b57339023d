import { toVisible } from '@waymark/contract/text';

/** What an element is made with: attributes by their names, listeners by their events, texts and elements inside. */
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
  parts: Parts = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, parts, children);
  return element;
}

/** Writes a text where it is another one: what is not touched is neither laid out nor read out again. */
export function setText(node: Node, text: string): void {
  const shown = toVisible(text);
  if (node.textContent !== shown) node.textContent = shown;
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
export function setAttribute(element: Element, name: string, value: string): void {
  element.setAttribute(name, shownAttributes.has(name) ? toVisible(value) : value);
}

/** Shows an element, or takes it out of sight and out of reach. */
export function setShown(element: HTMLElement, shown: boolean): void {
  if (element.hidden === shown) element.hidden = !shown;
}

function fill(element: Element, { on = {}, ...attributes }: Parts, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string' || typeof value === 'number') setAttribute(element, name, `${value}`);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  addChildren(element, ...children);
}

/** What somebody sees of a text is all of it: what cannot be seen is written out. */
function toShown(children: readonly Child[]): readonly (Node | string)[] {
  return children
    .filter((child) => child !== undefined && child !== false)
    .map((child) => (typeof child === 'string' ? toVisible(child) : child));
}

/** Makes an element of a drawing. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  parts: Parts = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, parts, children);
  return element;
}
