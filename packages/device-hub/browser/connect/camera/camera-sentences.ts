/** Why a browser gives no picture, in words that say what to do. @param error what `getUserMedia` threw */
export function toCameraSentence(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return sentences[name] ?? `The camera could not be started (${name || 'for a reason the browser keeps'}).`;
}

/** Browsers show no camera to a page that somebody on the way could have changed. */
export const insecureSentence =
  'Browsers give a camera to safe pages only: open this page by https, or on the machine itself by http://localhost.';

/** By the names of the errors of Media Capture and Streams. */
const sentences: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The browser does not let this page use the camera. Allow it beside the address of the page, or in the settings of the system, then press Start.',
  NotFoundError: 'There is no camera here. Connect one, then press Start.',
  NotReadableError:
    'The camera is there but gives no picture: another program may be using it. Close that one, then press Start.',
  AbortError: 'The camera stopped before its first picture. Press Start to try again.',
  OverconstrainedError: 'That camera is no longer there. Choose another one, then press Start.',
  SecurityError: insecureSentence,
};
