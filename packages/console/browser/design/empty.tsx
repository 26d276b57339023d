import type { ComponentChildren, VNode } from 'preact';

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** What would bring something here, as a line of an application. */
  readonly code?: string;
}

/** Nothing is here, why, and what would be. */
export function Empty({ title, children, code }: EmptyProps): VNode {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {code !== undefined && <pre class="code">{code}</pre>}
    </div>
  );
}
