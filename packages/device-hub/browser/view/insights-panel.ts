import type { DeviceInsight } from '@waymark/client-gen/runtime';
import { el, setShown } from '../shell/dom.ts';

const mostInsights = 32;
const longestText = 4_000;

/** What watchers concluded, newest first. A run that is told again takes its own place. */
export class InsightsPanel {
  readonly element: HTMLElement;
  readonly #list = el('ol', { class: 'insights' });
  /** Oldest first. */
  readonly #items = new Map<string, HTMLElement>();

  constructor() {
    this.element = el(
      'section',
      { class: 'card', 'aria-labelledby': 'insights-title', hidden: true },
      el('h2', { id: 'insights-title' }, 'Insights'),
      this.#list,
    );
  }

  take(insight: DeviceInsight): void {
    const item = toItem(insight);
    const before = this.#items.get(insight.run_id);
    if (before) before.replaceWith(item);
    else this.#list.prepend(item);
    this.#items.set(insight.run_id, item);
    const [oldest] = this.#items.keys();
    if (this.#items.size > mostInsights && oldest !== undefined) {
      this.#items.get(oldest)?.remove();
      this.#items.delete(oldest);
    }
    setShown(this.element, true);
  }
}

function toItem({ watcher, status, output, error, at_ms, seq }: DeviceInsight): HTMLElement {
  const failed = error !== null && error !== undefined;
  const at = new Date(at_ms);
  // A time that is none is not shown, whatever sent it.
  const time = Number.isNaN(at.getTime()) ? '' : at.toLocaleTimeString();
  return el(
    'li',
    { class: failed ? 'insight failed' : 'insight' },
    el('p', { class: 'insight-text' }, cut(failed ? error : output)),
    el(
      'p',
      { class: 'soft' },
      [cut(watcher), cut(status), time, typeof seq === 'number' ? `picture ${seq}` : '']
        .filter((part) => part !== '')
        .join(' · '),
    ),
  );
}

function cut(text: unknown): string {
  const whole = String(text ?? '');
  return whole.length <= longestText ? whole : `${whole.slice(0, longestText)}…`;
}
