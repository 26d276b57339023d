import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const saidMs = 1_500;

interface CopyProps {
  readonly text: string;
  /** What is copied, for those who do not see where the button stands. */
  readonly what: string;
  readonly label?: string;
}

/** Copies a text, and says that it did. */
export function CopyButton({ text, what, label = 'Copy' }: CopyProps): VNode {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    // Only pages of secure origins have a clipboard.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
    written.then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed'),
    );
  };
  return (
    <button type="button" class="button plain slight" title={`Copy ${what}`} onClick={copy}>
      <span aria-live="polite">{said === '' ? label : said}</span>
      <span class="unseen"> {what}</span>
    </button>
  );
}
