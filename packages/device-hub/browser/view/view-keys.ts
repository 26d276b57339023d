import type { PicturePanel } from './picture-panel.ts';

/** Does by a key what the buttons do: `s` saves, `f` fills the screen, space pauses. */
export function listenToKeys(pictures: PicturePanel, signal: AbortSignal): void {
  const acts: Readonly<Record<string, () => void>> = {
    s: () => pictures.save(),
    f: () => void pictures.toggleFullScreen(),
    ' ': () => pictures.togglePause(),
  };
  const onKey = (event: KeyboardEvent): void => {
    const act = acts[event.key.toLowerCase()];
    // Those of the browser, and those that a field or a button wants for itself.
    if (!act || pictures.element.hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat)
      return;
    if (event.target instanceof Element && event.target.closest('button, input, select, textarea, a')) return;
    event.preventDefault();
    act();
  };
  document.addEventListener('keydown', onKey, { signal });
}
