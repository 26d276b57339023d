import type { VNode } from 'preact';

/** Nothing yet. */
function PlaygroundPage(): VNode {
  return (
    <div class="page">
      <header>
        <h1>Playground</h1>
      </header>
    </div>
  );
}

export { PlaygroundPage as page };
