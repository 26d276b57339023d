/** Why a browser gives no picture, in words that say what to do. @param error what `getUserMedia` threw */
export function toCameraSentence(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return sentences[name] ?? `The camera could not be started (${name}). Press Start to try again.`;
}

/** Browsers show no camera to a page that somebody on the way could have changed. */
export const insecureSentence =
  'Browsers give a camera to safe pages only: open this page by https or on localhost.';

/** By the names of the errors of Media Capture and Streams. */
const sentences: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The browser does not let this page use the camera. Allow it beside its address, or in the settings, then press Start.',
  NotFoundError: 'There is no camera here. Connect one, then press Start.',
  NotReadableError: 'Another program may be using the camera. Close it, then press Start.',
  OverconstrainedError: 'That camera is no longer there. Choose another one, then press Start.',
  SecurityError: insecureSentence,
};
