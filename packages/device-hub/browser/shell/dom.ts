/** What an element is made with: attributes by their names, listeners by their events, texts and elements inside. */
export interface Parts {
  /** True: there, without a value. False and undefined: not there. */
  readonly [attribute: string]: string | number | boolean | undefined | Listeners;
  readonly on?: Listeners;
}

type Listeners = Readonly<Record<string, (event: Event) => void>>;

/** An element inside another one, or a text, which never becomes markup. */
export type Child = Node | string | false | undefined;

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
  if (node.textContent !== text) node.textContent = text;
}

/** Shows an element, or takes it out of sight and out of reach. */
export function setShown(element: HTMLElement, shown: boolean): void {
  if (element.hidden === shown) element.hidden = !shown;
}

function fill(element: Element, { on = {}, ...attributes }: Parts, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string' || typeof value === 'number') element.setAttribute(name, `${value}`);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  element.append(...children.filter((child) => child !== undefined && child !== false));
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
