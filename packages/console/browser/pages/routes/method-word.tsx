import type { VNode } from 'preact';

/** The method of a route; those that change something stand out. */
export function MethodWord({ method }: { readonly method: string }): VNode {
  return (
    <span class="method mono" data-method={method}>
      {method}
    </span>
  );
}
