import { isRightToLeft, toVisible, toVisibleParts } from '@waymark/contract/text';
import { type ComponentChildren, Fragment, h, options, type VNode } from 'preact';

/** Attributes whose text is shown or read out. */
const shownAttributes = ['title', 'aria-label', 'alt', 'placeholder'] as const;

/** Elements that hold text alone. */
const textOnly: ReadonlySet<unknown> = new Set(['option', 'textarea', 'title', 'text', 'tspan']);

/**
 * Makes every text of every element visible from now on, wherever it comes from: no page can forget to, and none shows
 * another text than the one that is there. What fields hold, and what is copied, stays as it is.
 */
export function showEscapes(): void {
  const next = options.vnode;
  options.vnode = (vnode) => {
    makeVisible(vnode);
    next?.(vnode);
  };
}

function makeVisible({ type, props }: VNode): void {
  if (typeof type !== 'string' && type !== Fragment) return;
  // Nobody has seen an element that is being made: Preact lets these hooks change what it is drawn from.
  const changed = props as Record<string, unknown>;
  for (const name of shownAttributes) {
    const text = changed[name];
    if (typeof text === 'string') changed[name] = toVisible(text);
  }
  if (changed['children'] !== undefined)
    changed['children'] = toShown(changed['children'] as ComponentChildren, type);
}

function toShown(children: ComponentChildren, type: unknown): ComponentChildren {
  if (Array.isArray(children)) return children.map((one) => toShown(one, type));
  if (typeof children !== 'string') return children;
  if (textOnly.has(type)) return toVisible(children);
  const shown = toMarked(children);
  return type !== 'bdi' && isRightToLeft(children) ? h('bdi', null, shown) : shown;
}

function toMarked(text: string): ComponentChildren {
  const [first, ...more] = toVisibleParts(text);
  if (first && !first.escaped && more.length === 0) return first.text;
  return [...(first ? [first] : []), ...more].map((part) =>
    part.escaped ? h('span', { class: 'escape' }, part.text) : part.text,
  );
}
