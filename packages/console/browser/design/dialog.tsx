import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** A dialog in front of everything; Escape and its button close it. */
export function Dialog({ title, children, onClose }: DialogProps): VNode {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    // One that is closed gives the focus back to what opened it; one that is only taken away does not.
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={box} class="box" aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <div class="row">
          <h2 id={id} class="grow">
            {title}
          </h2>
          <button type="button" class="button plain slight" onClick={() => box.current?.close()}>
            Close
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
