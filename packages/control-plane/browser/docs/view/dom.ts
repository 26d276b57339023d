/** What an element is made with: attributes by their names, listeners by their events. */
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
  { on = {}, ...attributes }: Parts = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string' || typeof value === 'number') element.setAttribute(name, `${value}`);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
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
    element.append(...make().filter((child) => child !== undefined && child !== false));
  };
  element.addEventListener('toggle', fill);
  if (open) {
    element.open = true;
    fill();
  }
  return element;
}
