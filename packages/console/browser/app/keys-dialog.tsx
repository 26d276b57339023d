import type { VNode } from 'preact';
import { Dialog } from '../design/dialog.tsx';
import { useApp } from './app-context.ts';

/** What can be pressed on this page. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }): VNode {
  const { keys } = useApp();
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.list().map(({ keys: pressed, says }) => (
          <>
            <dt key={pressed}>
              {pressed.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{says}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
