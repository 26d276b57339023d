import type { VNode } from 'preact';

/** Nothing yet. */
function ApprovalsPage(): VNode {
  return (
    <div class="page">
      <header>
        <h1>Approvals</h1>
      </header>
    </div>
  );
}

export { ApprovalsPage as page };
