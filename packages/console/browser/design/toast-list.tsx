import type { VNode } from 'preact';
import { useApp } from '../app/app-context.ts';

/** Shows what was said last. */
export function ToastList(): VNode {
  const { toasts } = useApp();
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.shown.value.map(({ id, tone, text }) => (
        <div class="toast fade" data-tone={tone} key={id}>
          <span>{text}</span>
          <button
            type="button"
            class="button plain slight"
            aria-label="Close"
            onClick={() => toasts.close(id)}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
