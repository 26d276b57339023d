import type { VNode } from 'preact';

/** Nothing yet. */
function OverviewPage(): VNode {
  return (
    <div class="page">
      <header>
        <h1>Overview</h1>
      </header>
    </div>
  );
}

export { OverviewPage as page };
