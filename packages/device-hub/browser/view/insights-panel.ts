import type { DeviceInsight } from '@waymark/client-gen/runtime';
import { el, setShown } from '../shell/dom.ts';

const mostInsights = 32;
const longestText = 4_000;

/** What watchers concluded, newest first. What is told again keeps its place; a run that goes on is the newest then. */
export class InsightsPanel {
  readonly element: HTMLElement;
  readonly #list = el('ol', { class: 'insights' });
  /** Oldest first. */
  readonly #items = new Map<string, { readonly item: HTMLElement; readonly status: string }>();

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
    const key = toKey(insight);
    const before = this.#items.get(key);
    if (before?.status === insight.status) this.#list.replaceChild(item, before.item);
    else {
      before?.item.remove();
      this.#items.delete(key);
      this.#list.insertBefore(item, this.#list.firstChild);
    }
    this.#items.set(key, { item, status: insight.status });
    const [oldest] = this.#items.keys();
    if (this.#items.size > mostInsights && oldest !== undefined) {
      this.#items.get(oldest)?.item.remove();
      this.#items.delete(oldest);
    }
    setShown(this.element, true);
  }
}

/** What comes from no run is told apart by when it came. */
function toKey({ run_id, watcher, at_ms }: DeviceInsight): string {
  return run_id === '' ? `${watcher} ${at_ms}` : run_id;
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
