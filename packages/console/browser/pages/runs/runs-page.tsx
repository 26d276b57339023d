import type { VNode } from 'preact';

/** Nothing yet. */
function RunsPage(): VNode {
  return (
    <div class="page">
      <header>
        <h1>Runs</h1>
      </header>
    </div>
  );
}

export { RunsPage as page };
